"""The command `fitguard`: finds the subcommand, turns errors into messages and exit codes."""

import io
import os
import signal
import sys
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError

import fitguard
from fitguard.cli.console import complain
from fitguard.cli.run import delimit_command
from fitguard.cli.run import run as run_command
from fitguard.cli.run_settings import apply_settings
from fitguard.schema.exit_codes import (
    INTERRUPTED,
    ClusterLost,
    ExitCode,
    UnreadableInput,
    UsageError,
)

app = App(
    name="fitguard",
    help="Keeps TensorFlow/Keras training on NVIDIA GPUs alive.",
    version=fitguard.__version__,
    help_format="markdown",
    default_parameter=Parameter(show_default=False),
)
# Each is loaded when it is called: a training waits for all that `fitguard run` loads.
for command in ("check", "doctor", "probe", "data", "plan"):
    app.command(f"fitguard.cli.{command}:{command}")
app.command(run_command, config=apply_settings)
for command in ("watch", "explain", "report", "runs", "resolve", "facts", "fleet"):
    app.command(f"fitguard.cli.{command}:{command}")
app.register_install_completion_command(help="Let your shell complete the commands and options.")


def main() -> NoReturn:
    """Run the command line and exit with the design's exit codes."""
    _prepare_streams()
    sys.exit(run(sys.argv[1:]))


def _prepare_streams() -> None:
    """A closed stream takes nothing; what an encoding cannot say is spelled out."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code is returned, errors are told on stderr."""
    try:
        arguments = _prepare_words(arguments)
        _load_listed(arguments)
        code = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
        return int(code or ExitCode.FINE)
    except UnknownOptionError as error:
        from fitguard.cli.training_options import hint_at_script_options

        complain(str(error).strip() + hint_at_script_options(arguments))
        return ExitCode.WRONG_USAGE
    except (UsageError, CycloptsError) as error:
        complain(str(error).strip())
        return ExitCode.WRONG_USAGE
    except UnreadableInput as error:
        complain(str(error))
        return ExitCode.UNREADABLE_INPUT
    except ClusterLost as error:
        complain(str(error))
        return ExitCode.FITGUARD_FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return 128 + signal.SIGPIPE
    except OSError as error:
        _forget_stdout()
        complain(f"the answer could not be written: {error.strerror or error}")
        return ExitCode.FITGUARD_FAILED
    except Exception as error:
        if os.environ.get("FITGUARD_DEBUG"):
            raise
        complain(
            f"fitguard itself failed: {type(error).__name__}: {error}\n"
            "Set FITGUARD_DEBUG=1 to see where, and please report it."
        )
        return ExitCode.FITGUARD_FAILED


def _prepare_words(arguments: list[str]) -> list[str]:
    """For commands with options that cyclopts alone would misread."""
    match arguments[:1]:
        case ["run"]:
            return ["run", *delimit_command(arguments[1:])]
        case ["probe"]:
            from fitguard.cli.probe import name_resumed

            return ["probe", *name_resumed(arguments[1:])]
    return arguments


def _load_listed(arguments: list[str]) -> None:
    """Help lists commands with what they say of themselves: these have to be loaded."""
    word = "".join(arguments[:1])
    if word.startswith("-") or word in ("", *app):
        group = app[word] if word and not word.startswith("-") else app
        for name in group:
            group[name]


def _forget_stdout() -> None:
    """What is still in the buffer cannot be written: Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
