"""The server: which request of the protocol each answer is for. It speaks on its standard input and output."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from dsl.lsp import calls, complete, describe, highlight, hints, navigate, outline, repairs
from dsl.lsp.analysis import Analysis, Checked
from dsl.lsp.places import Places, path_of
from dsl.version import VERSION

PAUSE = 0.5
"""Seconds after the last change until files near by are indexed."""

SLICE = 0.03
"""Seconds after which a check is put off, with what was edited checked: requests and changes come in between."""


class Server(LanguageServer):
    """A server with what is open."""

    def __init__(self) -> None:
        super().__init__("dsl", VERSION)
        self.analysis = Analysis()
        self.finished = False
        self._next: asyncio.TimerHandle | None = None
        self._published: dict[Path, list[lsp.Diagnostic]] = {}

    @property
    def places(self) -> Places:
        """Places in the units that the client asked for."""
        return Places(self.workspace.position_codec)

    def at(self, document: lsp.TextDocumentIdentifier, position: lsp.Position) -> tuple[Checked, int] | None:
        """The program at a place, and the character of its text."""
        return self.places.program_at(self.analysis, path_of(document.uri), position)

    def programs(self, document: lsp.TextDocumentIdentifier) -> tuple[Checked, ...]:
        """The programs in a file."""
        return self.analysis.programs(path_of(document.uri))

    def changed(self, uri: str) -> None:
        """Check what was edited, and publish what is wrong; the rest that a change concerns is checked afterwards."""
        path = path_of(uri)
        self.analysis.open(path, self.workspace.get_text_document(uri).source)
        self._published.pop(path, None)
        self._check(path)
        self._later(0.0, self._go_on, path)

    def _later(self, pause: float, work: Callable[[Path], None], path: Path) -> None:
        """Do some work between requests, unless a change comes first."""
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().call_later(pause, work, path)

    def _check(self, path: Path) -> None:
        """Check a file for a moment, and publish what is wrong in it."""
        end = time.perf_counter() + SLICE
        self.analysis.enough = lambda: time.perf_counter() > end
        try:
            self.analysis.go_on(path)
            self.publish(path)
        finally:
            self.analysis.enough = bool

    def _go_on(self, path: Path) -> None:
        """Check more of what a change concerns, the changed file first."""
        waiting = sorted(self.analysis.stale(), key=lambda each: each != path)
        if waiting:
            self._check(waiting[0])
            self._later(0.0, self._go_on, path)
        else:
            self._later(PAUSE, self._index_one, path)

    def _index_one(self, path: Path) -> None:
        """Index the files near a file, one at a time."""
        if self.analysis.index_one(path):
            self._later(0.0, self._index_one, path)
        else:
            collect_garbage()

    def publish(self, path: Path) -> None:
        """Publish what is wrong in a file, unless that was published before."""
        found = [repairs.to_lsp(d, self.places) for d in self.analysis.diagnostics(path)]
        if self._published.get(path) != found:
            self._published[path] = found
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(path.as_uri(), found))


def collect_garbage() -> None:
    """Collect garbage now, and exempt what is left from collections until the next time: one amid a check would walk
    over all that is known of the programs."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def make_server() -> Server:
    """A server that answers everything."""
    server = Server()
    _follow_life(server)
    _follow_documents(server)
    _answer_about_places(server)
    _answer_about_names(server)
    _answer_about_renaming(server)
    _answer_about_calls(server)
    _answer_about_documents(server)
    _answer_about_declarations(server)
    return server


def serve() -> bool:
    """Serve one client until it exits or goes away. Return whether it asked for a shutdown first."""
    gc.set_threshold(100_000, 50, 100)
    server = make_server()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:  # the protocol closes the stream that it writes to
        server.start_io(stdout=answers)
    return server.finished


def _follow_life(server: Server) -> None:
    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.finished = True


def _follow_documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.analysis.close(path_of(params.text_document.uri))


def _answer_about_places(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = server.at(params.text_document, params.position)
        return None if found is None else describe.hover(*found, server.places)

    options = lsp.CompletionOptions(trigger_characters=["."], resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, options)
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        found = server.at(params.text_document, params.position)
        return [] if found is None else complete.complete(server.analysis, *found)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    def resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
        return complete.resolve(server.analysis, item)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        programs = server.programs(params.text_document)
        return [action for checked in programs for action in repairs.actions(checked, params.range, server.places)]


def _answer_about_names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        found = server.at(params.text_document, params.position)
        return None if found is None else navigate.definition(*found, server.places)

    @server.feature(lsp.TEXT_DOCUMENT_TYPE_DEFINITION)
    def type_definition(params: lsp.TypeDefinitionParams) -> lsp.Location | None:
        found = server.at(params.text_document, params.position)
        return None if found is None else navigate.type_definition(*found, server.places)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        found = server.at(params.text_document, params.position)
        path, own = path_of(params.text_document.uri), params.context.include_declaration
        return [] if found is None else navigate.references(server.analysis, path, *found, own, server.places)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def occurrences(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        found = server.at(params.text_document, params.position)
        return [] if found is None else navigate.occurrences(*found, server.places)


def _answer_about_renaming(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        found = server.at(params.text_document, params.position)
        path = path_of(params.text_document.uri)
        with _refusals():
            return None if found is None else navigate.prepare_rename(server.analysis, path, *found, server.places)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        found = server.at(params.text_document, params.position)
        path, name = path_of(params.text_document.uri), params.new_name
        with _refusals():
            return None if found is None else navigate.rename(server.analysis, path, *found, name, server.places)


@contextmanager
def _refusals() -> Iterator[None]:
    """Answer with the reason where a name cannot be given another."""
    try:
        yield
    except navigate.Refused as reason:
        raise JsonRpcInvalidParams(str(reason)) from None


def _answer_about_calls(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature_help(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        found = server.at(params.text_document, params.position)
        return None if found is None else calls.signature_help(server.analysis, *found)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    def prepare(params: lsp.CallHierarchyPrepareParams) -> list[lsp.CallHierarchyItem]:
        found = server.at(params.text_document, params.position)
        return [] if found is None else calls.prepare(*found, server.places)

    @server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
    def incoming(params: lsp.CallHierarchyIncomingCallsParams) -> list[lsp.CallHierarchyIncomingCall]:
        return calls.incoming(server.analysis, params.item, server.places)

    @server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
    def outgoing(params: lsp.CallHierarchyOutgoingCallsParams) -> list[lsp.CallHierarchyOutgoingCall]:
        return calls.outgoing(server.analysis, params.item, server.places)


def _answer_about_documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        programs = server.programs(params.text_document)
        found = (hint for checked in programs for hint in hints.hints(checked, server.places))
        return [hint for hint in found if params.range.start.line <= hint.position.line <= params.range.end.line]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        programs = server.programs(params.text_document)
        return [edit for checked in programs for edit in repairs.formatting_edits(checked.part, server.places)]

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, highlight.LEGEND)
    def semantic_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        programs = server.programs(params.text_document)
        found = (word for checked in programs for word in highlight.words(checked))
        return lsp.SemanticTokens(highlight.encode(found, server.places))


def _answer_about_declarations(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        programs = server.programs(params.text_document)
        return [symbol for checked in programs for symbol in outline.outline(checked, server.places)]

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def workspace_symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        return list(outline.find_symbols(server.analysis.opened(), params.query, server.places))

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding_ranges(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        programs = server.programs(params.text_document)
        return [fold for checked in programs for fold in outline.folds(checked)]
