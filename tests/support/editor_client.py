"""A client of the language server in a process of its own, as editors ask it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

Answer = TypeVar("Answer")


class Editor:
    """A client with some files open."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = folder
        self.client: Any = LanguageClient("test", "1")
        self.found: dict[str, list[lsp.Diagnostic]] = {}
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self._published = asyncio.Event()

        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._publish(params))
        self.run(self._start())

    def _publish(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.found[Path(params.uri).name] = list(params.diagnostics)
        self._published.set()

    async def _start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "dsl", "lsp")
        await self.client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
        self.client.initialized(lsp.InitializedParams())

    def run(self, what: Awaitable[Answer]) -> Answer:
        return self.loop.run_until_complete(asyncio.wait_for(what, 60))

    def stop(self) -> None:
        self.run(self.client.shutdown_async(None))
        self.client.exit(None)
        self.run(self.client.stop())
        self.loop.close()

    def write(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Open a file or change its text; what is wrong with it."""
        self.found.pop(name, None)
        uri = self.document(name).uri
        if name not in self.texts:
            (self.folder / name).write_text(text, encoding="utf-8")
            self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "dsl", 1, text)))
        else:
            self.versions[name] = self.versions.get(name, 1) + 1
            version = lsp.VersionedTextDocumentIdentifier(self.versions[name], uri)
            change = lsp.TextDocumentContentChangeWholeDocument(text)
            self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [change]))
        self.texts[name] = text
        self.run(self._until_known(name))
        return self.found[name]

    async def _until_known(self, name: str) -> None:
        while name not in self.found:
            self._published.clear()
            await self._published.wait()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier((self.folder / name).as_uri())

    def at(self, name: str, before: str, after: str = "") -> lsp.Position:
        """The place between two texts, in units of UTF-16."""
        offset = self.texts[name].index(before + after) + len(before)
        line = self.texts[name].rfind("\n", 0, offset) + 1
        units = len(self.texts[name][line:offset].encode("utf-16-le")) // 2
        return lsp.Position(self.texts[name].count("\n", 0, offset), units)

    def shown(self, name: str, before: str, after: str = "") -> str:
        params = lsp.HoverParams(self.document(name), self.at(name, before, after))
        found = self.run(self.client.text_document_hover_async(params))
        assert found is not None and isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    def labels(self, name: str, before: str, after: str = "") -> list[str]:
        params = lsp.CompletionParams(self.document(name), self.at(name, before, after))
        found = self.run(self.client.text_document_completion_async(params))
        assert isinstance(found, list | tuple)
        return [item.label for item in found]

    def written(self, location: Any) -> tuple[str, str]:
        """The file of a place, and the text there."""
        path = Path(location.uri.removeprefix("file://"))
        lines = self.texts.get(path.name, path.read_text(encoding="utf-8")).splitlines()
        return path.name, lines[location.range.start.line][
            location.range.start.character : location.range.end.character
        ]

    def apply(self, edit: lsp.WorkspaceEdit) -> dict[str, str]:
        """The texts after an edit, by file."""
        return {Path(uri).name: self.edited(Path(uri).name, edits) for uri, edits in (edit.changes or {}).items()}

    def edited(self, name: str, edits: Any) -> str:
        text = self.texts[name]
        starts = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

        def offset(place: lsp.Position) -> int:
            line = text[starts[place.line] :].partition("\n")[0]
            return starts[place.line] + len(line.encode("utf-16-le")[: 2 * place.character].decode("utf-16-le"))

        for each in sorted(edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
            text = text[: offset(each.range.start)] + each.new_text + text[offset(each.range.end) :]
        return text
