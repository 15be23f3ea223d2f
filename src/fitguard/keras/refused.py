"""The end of a training that the user's own flags do not allow."""

from fitguard.schema.exit_codes import ExitCode


class Refused(SystemExit):
    """Ends the process with the code of a gate; no `except Exception` stops it."""

    def __init__(self, why: str) -> None:
        super().__init__(int(ExitCode.GATE_FAILED))
        self._why = why

    def __str__(self) -> str:
        return self._why
