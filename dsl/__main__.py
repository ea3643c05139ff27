"""The command line: what can be asked, and the exit codes.

Each command imports what does its work when it is called, so that `dsl check` starts no backend and
`dsl explain` no checker. Read next: `dsl.tools`, one module per command.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO, TypeVar

import click

from dsl.diagnostics.diagnostic import DslError, InternalError
from dsl.tools.function_command import FunctionCommand
from dsl.tools.named_programs import Request
from dsl.tools.report import Draw, plain, report

_Command = TypeVar("_Command", bound=Callable[..., int])

NOTHING_WRONG, ERRORS, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130

_EXTRAS: Mapping[str, str] = MappingProxyType(
    {"pygls": "lsp", "lsprotocol": "lsp", "prompt_toolkit": "repl", "jax": "jax"}
)
"""By library that a command may lack, the part of puredsl that brings it."""

_FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_FILE = click.argument("file", type=click.Path(path_type=Path))
_FUNCTION = click.argument("function", required=False)
_INPUT = click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Arguments by name, from a .csv, .json, .npz, .npy, .parquet or .arrow file. May be given more than once.",
)


def _pairs(flag: str, short: str, name: str, metavar: str, help: str) -> Callable[[_Command], _Command]:
    """An option that may be given several times, each time as `NAME=…`."""
    return click.option(flag, short, name, multiple=True, metavar=metavar, help=help)


_STATIC = _pairs("--static", "-s", "statics", "NAME=VALUE", "A static argument: steps=200.")
_ARG = _pairs("--arg", "-a", "scalars", "NAME=VALUE", "A number or an array: lr=0.1, x=[1,2].")
_COLUMN = _pairs(
    "--column", "-c", "columns", "NAME=COLUMN", "The column of a parameter, or its part of an archive: y=target, p=0."
)
_SIZE = _pairs("--size", "-n", "sizes", "NAME=INT", "A size that no input gives: n=8.")


def _requesting(last: Callable[[Callable[..., int]], Callable[..., int]]) -> Callable[..., Callable[..., int]]:
    """Of a command about one function: what names it and gives its arguments, as one `Request`."""

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def run(**given: Any) -> int:
            of_request = {name: given.pop(name) for name in Request.__struct_fields__ if name in given}
            return command(Request(**of_request), **given)

        asking: Callable[..., int] = run
        for option in (last, _ARG, _STATIC, _INPUT, _FUNCTION, _FILE):
            asking = option(asking)
        return asking

    return decorate


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from dsl.version import VERSION

        click.echo(f"dsl {VERSION}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
def cli() -> None:
    """puredsl: a pure functional, effect-typed array language.

    Exit codes: 0 nothing wrong, 1 errors, 2 wrong usage, 70 a bug in puredsl itself.
    """


@cli.command()
@_FILES
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True
)
def check(files: tuple[Path, ...], form: str) -> int:
    """Check programs for all sizes at once; nothing is run. A folder stands for the programs in it, `-` for what comes
    in."""
    from dsl.tools.checking import check_files

    return check_files(files, form, _draw(sys.stdout), confirm=sys.stdout.isatty())


@cli.command(cls=FunctionCommand)
@_requesting(_COLUMN)
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE.npz", help="Write the result there.")
@click.option("--processes", type=click.IntRange(1), help="Run in so many processes, or FILE.py in them.")
@click.option("--profile", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a trace for Perfetto there.")
def run(request: Request, output: Path | None, processes: int | None, profile: Path | None) -> int:
    """Run a function on data, and print its result.

    FILE is a program, or a function that was built (.dslx).
    FUNCTION may be left out where the program has a `main` or just one public function. Each parameter takes
    the column or array of its name; one parameter of rank 2 takes the numeric columns of a .csv file that are
    left.
    """
    if processes is not None:
        if profile is not None:
            raise click.UsageError("--profile writes a trace of one process, --processes starts several")
        from dsl.tools.launching import launch

        return launch(processes, request, output)
    from dsl.tools.running import run_function

    return run_function(request, output, profile)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@click.option("--format", "form", type=click.Choice(["text", "svg"]), default="text", show_default=True)
def ir(request: Request, form: str) -> int:
    """Print the IR of a function for given sizes, or draw it."""
    from dsl.tools.running import print_ir

    return print_ir(request, form)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@click.option("--kind", type=click.Choice(["stablehlo", "hlo", "optimized"]), default="stablehlo", show_default=True)
def hlo(request: Request, kind: str) -> int:
    """Print what a function is lowered to for given sizes."""
    from dsl.tools.running import print_lowered

    return print_lowered(request, kind)


@cli.command(cls=FunctionCommand)
@_requesting(_pairs("--size", "-n", "sizes", "NAME=INT,…", "A size that no input gives, or several: n=128,512."))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), metavar="FILE.dslx")
@click.option("--device", "-d", "devices", multiple=True, metavar="NAME", help="Compile for this device: cpu:0.")
@click.option("--portable", is_flag=True, help="Compile nothing: that is done where the file is loaded.")
def build(request: Request, output: Path, devices: tuple[str, ...], portable: bool) -> int:
    """Compile a function into a file that needs no program.

    `dsl.load_artifact` and `dsl run` run it. It has a program for every combination of the sizes, as StableHLO for any
    machine and as code for the device that is chosen, or those that are named.
    """
    from dsl.tools.building import build as build_artifact

    return build_artifact(request, output, devices, portable)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--jax", is_flag=True, help="As a module that jax.export.deserialize reads.")
def export(request: Request, output: Path, jax: bool) -> int:
    """Write a function for other software. For the given sizes it becomes portable StableHLO, or a module for JAX."""
    from dsl.tools.building import export as export_as
    from dsl.tools.building import stablehlo

    if not jax:
        return export_as(request, output, stablehlo)
    from dsl.interop.jax.exporting import exported

    return export_as(request, output, exported)


@cli.command()
@_FILES
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 where a file would change.")
@click.option("--diff", is_flag=True, help="Change nothing; print what would change, and exit with 1 if anything.")
def fmt(files: tuple[Path, ...], check: bool, diff: bool) -> int:
    """Format programs in place. A folder stands for the programs in it; for `-` the result is printed."""
    from dsl.tools.formatting import format_files

    return format_files(files, check, diff, _draw(sys.stderr))


@cli.command()
@_FILES
@click.option("--module", is_flag=True, help="Write `model.py` too: `import model` then needs no importer.")
def stubs(files: tuple[Path, ...], module: bool) -> int:
    """Write stubs (`.pyi`) for type checkers and editors. They lie beside the programs, for `import model`."""
    from dsl.tools.stubs import write_stubs

    return write_stubs(files, module)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
def new(folder: Path) -> int:
    """Begin a package of programs in a new FOLDER. Others install and import it under its name."""
    from dsl.tools.starting import start_project

    return start_project(folder)


@cli.command()
def lsp() -> int:
    """Serve an editor by the language server protocol. It knows programs in files and in strings of Python.

    Ends with 0 after `shutdown` and `exit`, and with 1 if the editor leaves without `shutdown`.
    """
    from dsl.lsp.server import serve

    return NOTHING_WRONG if serve() else ERRORS


@cli.command()
def repl() -> int:
    """Enter expressions and declarations at a prompt. There, `:help` says more."""
    from dsl.interactive.repl import run_repl

    return run_repl(lambda diagnostic: _draw(sys.stderr)(diagnostic, sys.stderr))


@cli.command()
@click.option("--port", default=8600, show_default=True, type=click.IntRange(0, 65535), help="0 is any that is free.")
@click.option("--browse/--no-browse", default=True, show_default=True, help="Open a browser.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the page as a site there."
)
def playground(port: int, browse: bool, output: Path | None) -> int:
    """Serve a page on this machine to try programs on. It shows errors as one types, values, and IR as a picture. The
    page of --output needs no server of its own: Pyodide runs puredsl in the browser."""
    if output is not None:
        from dsl.playground.site import write_site

        write_site(output)
        print(f"wrote {output / 'index.html'}")
        return NOTHING_WRONG
    from dsl.playground.server import PortTaken, play

    try:
        return play(port, browse)
    except PortTaken as reason:
        raise click.UsageError(str(reason)) from None


@cli.command(cls=FunctionCommand)
@_requesting(_COLUMN)
@click.option("--do", "-x", "commands", multiple=True, metavar="COMMAND", help="Do this, and read no commands.")
@click.option("--grad", is_flag=True, help="Debug the gradient of the function, in its first argument.")
def debug(request: Request, commands: tuple[str, ...], grad: bool) -> int:
    """Step through a run of a function, forward and backward.

    Commands are entered at a prompt, come in, or are given as --do; `help` lists them.
    """
    from dsl.interactive.debugger.command import debug_function

    return debug_function(request, commands, grad, lambda diagnostic: _draw(sys.stderr)(diagnostic, sys.stderr))


@cli.command()
@_FILES
def watch(files: tuple[Path, ...]) -> int:
    """Check programs again whenever a file of theirs changes. Each check ends with a line, also if nothing is wrong."""
    from dsl.interactive.watch import watch as run
    from dsl.tools.checking import check_files

    def check() -> None:
        click.clear()
        print(f"watching {', '.join(map(str, files))}")
        check_files(files, "text", _draw(sys.stdout), confirm=True)
        sys.stdout.flush()

    run(files, check)
    return NOTHING_WRONG


@cli.command()
@_FILES
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Draw the first arguments from this."
)
def test(files: tuple[Path, ...], seed: int) -> int:
    """Run the examples and `test_` definitions of programs. Examples stand in comments; definitions are run on
    arguments of several sizes. Arguments for which one fails are shown as simple as possible, with their seed."""
    from dsl.interactive.testing import test_files

    return test_files(files, seed)


@cli.command()
@_FILE
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="PATH", help="Write a page there.")
def doc(file: Path, output: Path | None) -> int:
    """Print what a program says of itself and its functions. For a folder, --output is one, for a page each and an
    index."""
    from dsl.tools.documenting import document

    return document(file, output)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@click.option("--repeat", "-r", default=20, show_default=True, type=click.IntRange(1), help="So many calls.")
def bench(request: Request, repeat: int) -> int:
    """Time a function: its first call, and those after it."""
    from dsl.tools.running import time_function

    return time_function(request, repeat)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@_pairs("--mesh", "-m", "mesh", "NAME=INT", "An axis of the devices that it is for: data=8.")
def cost(request: Request, mesh: tuple[str, ...]) -> int:
    """Print what a call takes on each device.

    Operations, bytes, and what devices send each other, before it runs. Sizes are given by name; what depends
    on them is a polynomial in them, too. Devices need not exist.
    """
    from dsl.tools.running import print_cost

    return print_cost(request, mesh)


@cli.command(cls=FunctionCommand)
@_requesting(_SIZE)
@click.option("--mesh", "-m", multiple=True, metavar="NAME=INT,…", help="The axes of the devices: data=4,model=2.")
@click.option("--memory", metavar="BYTES", help="What a layout may take on each device: 16GiB.")
@click.option("--platform", type=click.Choice(["cpu", "gpu"]), default="gpu", show_default=True)
@click.option("--count", default=5, show_default=True, type=click.IntRange(1), help="So many layouts.")
@click.option(
    "--compile", "compiled", is_flag=True, help="Compile each for simulated devices, and count what it sends."
)
@click.option("--json", "as_json", is_flag=True, help="Print data.")
def plan(
    request: Request,
    mesh: tuple[str, ...],
    memory: str | None,
    platform: str,
    count: int,
    compiled: bool,
    as_json: bool,
) -> int:
    """Propose how the arguments of a function lie over devices.

    Layouts are ranked by the time of a call by a model, and fit into --memory; where that is tight, the plan says where
    a backward pass may compute something again, too. The definition of the best is accepted by `dsl check` at the end
    of FILE.
    """
    from dsl.tools.planning import print_plan

    return print_plan(request, mesh, memory, platform, count, compiled, as_json)


@cli.command("explain-compile", cls=FunctionCommand)
@_requesting(_SIZE)
def explain_compile(request: Request) -> int:
    """Compile a function, and print what took XLA its time."""
    from dsl.tools.compile_times import explain_compile as explain_times

    return explain_times(request)


@cli.command()
@click.argument("about", nargs=-1, metavar="[CODE] [FILES]...")
def explain(about: tuple[str, ...]) -> int:
    """Explain an error code, or the errors of programs.

    Those of programs are explained with their own lines. Without arguments, all codes are listed.
    """
    from dsl.tools import explaining

    if about:
        explaining.explain(about)
    else:
        explaining.list_codes()
    return NOTHING_WRONG


@cli.command()
@click.argument("what", type=click.Choice(["info", "path", "clear"]))
def cache(what: str) -> int:
    """Show what is kept on disk of earlier runs, or forget it."""
    from dsl.tools import caching

    {"info": caching.print_info, "path": caching.print_paths, "clear": caching.clear}[what]()
    return NOTHING_WRONG


def execute(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code; never raises."""
    try:
        result = cli.main(list(arguments), prog_name="dsl", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else NOTHING_WRONG
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except DslError as error:
        report(error.diagnostics, sys.stderr, _draw(sys.stderr))
        return ERRORS
    except (BrokenPipeError, SystemExit):  # the reader is gone; click may exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ERRORS
    except ModuleNotFoundError as error:
        return _without(error)
    except Exception as error:
        return _internal(error)


def _draw(stream: TextIO) -> Draw:
    """How diagnostics are drawn on a stream: in colour on a terminal that wants it."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return plain
    from dsl.diagnostics.terminal import draw_coloured

    return draw_coloured


def _without(error: ModuleNotFoundError) -> int:
    """Say which part of puredsl a command needs that is not installed."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        return _internal(error)
    print(f"this command needs `{error.name}`: pip install 'puredsl[{extra}]'", file=sys.stderr)
    return USAGE


def _internal(error: Exception) -> int:
    """Say what happened, and how to report it; the traceback is for the maintainers."""
    if os.environ.get("DSL_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    found = error if isinstance(error, InternalError) else InternalError(f"{type(error).__name__}: {error}")
    print(f"internal error: {found}", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):  # such as the last good IR, added by who noticed the bug
        print(note, file=sys.stderr)
    print("With DSL_DEBUG=1 the same command prints a traceback: please add it.", file=sys.stderr)
    return INTERNAL


def main() -> None:
    code = execute(sys.argv[1:])
    gc.freeze()  # the process ends: nothing is gained by looking through what is left of it
    sys.exit(code)


if __name__ == "__main__":
    main()
