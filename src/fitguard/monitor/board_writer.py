"""A process that writes what a run measures for TensorBoard, until its standard input ends.

    python clean_start.py fitguard.monitor.board_writer RUN_FOLDER LOG_FOLDER

A process of its own: TensorBoard's writer takes memory that the parent of a run does not need, and
would load TensorFlow if it could.
"""

import select
import sys
import time
from pathlib import Path
from typing import Any

from fitguard.monitor.board_scalars import BoardScalars
from fitguard.monitor.flight_record import FlightRecord, read_flight_records
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records

_EVERY_SECONDS = 10.0
_PACE_SECONDS = 5.0


def main(arguments: list[str]) -> int:
    """Follow the run; 0 when it has ended."""
    run, logs = arguments
    # TensorBoard then has its own, small one.
    sys.modules["tensorflow"] = None  # type: ignore[assignment]
    from tensorboard.summary import Writer

    folder = RunFolder(Path(run))
    before = _read(folder)
    first = min((column.times[0] for column in before.columns.values()), default=time.time())
    done = max((max(column.steps) for column in before.columns.values()), default=0.0)
    scalars = BoardScalars(first, done)
    writer = Writer(logs)
    while True:
        is_last = bool(select.select([sys.stdin], [], [], _EVERY_SECONDS)[0])
        _write(writer, scalars, _read(folder), is_last)
        if is_last:
            writer.close()
            return 0


def _read(folder: RunFolder) -> FlightRecord:
    return read_flight_records(list_flight_records(folder.flight_records), pace=_PACE_SECONDS)


def _write(writer: Any, scalars: BoardScalars, record: FlightRecord, is_last: bool) -> None:
    for one in scalars.pick(record, is_last=is_last):
        writer.add_scalar(one.tag, one.value, step=one.step, wall_time=one.time)
    writer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
