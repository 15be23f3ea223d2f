"""The command `fitguard`: finds the subcommand, turns errors into messages and exit codes."""

import os
import sys
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter

import fitguard
from fitguard.cli.console import complain
from fitguard.cli.doctor import doctor
from fitguard.cli.explain import explain
from fitguard.cli.facts import facts
from fitguard.cli.resolve import resolve
from fitguard.schema.exit_codes import ExitCode, UnreadableInput, UsageError

app = App(
    name="fitguard",
    help="Keeps TensorFlow/Keras training on NVIDIA GPUs alive.",
    version=fitguard.__version__,
    help_format="markdown",
    default_parameter=Parameter(show_default=False),
)
# The modules of the commands keep their own imports inside the functions: --help stays quick.
for command in (doctor, resolve, facts, explain):
    app.command(command)


def main() -> NoReturn:
    """Run the command line and exit with the design's exit codes."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code is returned, errors are told on stderr."""
    try:
        code = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
        return int(code or ExitCode.FINE)
    except (UsageError, CycloptsError) as error:
        complain(str(error).strip())
        return ExitCode.WRONG_USAGE
    except UnreadableInput as error:
        complain(str(error))
        return ExitCode.UNREADABLE_INPUT
    except BrokenPipeError:
        # The reader (head, less) has gone; Python must not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("FITGUARD_DEBUG"):
            raise
        complain(
            f"fitguard itself failed: {type(error).__name__}: {error}\n"
            "Set FITGUARD_DEBUG=1 to see where, and please report it."
        )
        return ExitCode.FITGUARD_FAILED
