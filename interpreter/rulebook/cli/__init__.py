"""The command line: `rulebook COMMAND`.

Each command is a module of this package whose function `run` is the command, with typer's
annotations. It is imported only when it is run, so that no command pays for another; a new one
needs its module and a line in `COMMANDS`.
"""

import gc
import os
import sys

COMMANDS = {
    "play": "Play a game at the terminal.",
    "games": "List the games that are here.",
    "replay": "Show a recorded game.",
    "rules": "Write the rule sheet of a game.",
    "simulate": "Play many random games, and tell what happened.",
    "compare": "Tell what a variant changes, in words and in play.",
    "new": "Begin a game or a variant of your own.",
    "validate": "Tell every mistake of rule files.",
    "test": "Run the examples of rule files, and tell what they miss.",
    "format": "Give rule files their usual layout.",
    "lesson": "Read a lesson of the course, and check its exercises.",
    "explain": "Explain a kind of mistake, or a word of the language.",
}

INTERRUPTED = 130
BROKEN_PIPE = 141


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.unraisablehook = _interrupt_again
    try:
        try:
            _run(sys.argv[1:])
        finally:
            # Here rather than at the interpreter's end, which would complain of a closed pipe.
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _silence()
        sys.exit(BROKEN_PIPE)
    except OSError as error:
        # Of a full disk, say: files that are asked for have messages of their own.
        _silence()
        sys.stderr.write(f"rulebook: {(error.strerror or str(error)).lower()}\n")
        sys.exit(1)


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C that came while an object was taken down is lost there: it comes again."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import _thread
    import threading

    threading.Timer(0.05, _thread.interrupt_main).start()


def _silence() -> None:
    """What is still to be written goes nowhere, so that the interpreter's end does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> None:
    command, *files = arguments or [""]
    if command == "validate" and files and not any(file.startswith("-") for file in files):
        # Editors and hooks run this all day, and typer would take as long as the files do.
        gc.disable()  # What is made here is all in use to the end.
        from .report import report

        code = report(files, "full")
        sys.stdout.flush()
        sys.stderr.flush()
        # At once: taking down all that was made would take a tenth of the whole run.
        os._exit(code)
    from .app import app

    app(arguments, prog_name="rulebook")
