"""What a trace of TensorFlow's profiler holds: the file that it writes has no public reader."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class TraceEvent(NamedTuple):
    """Something that took time.

    Args:
        plane: `/host:CPU` or `/device:GPU:0`.
        line: A thread or a stream.
        begin: Nanoseconds, as `end`.
    """

    plane: str
    line: str
    name: str
    begin: float
    end: float


def read_trace(path: Path) -> Iterator[TraceEvent]:
    """All events of an `.xplane.pb`.

    Raises:
        ImportError: where this TensorFlow keeps the format elsewhere.
        OSError: where the file cannot be read.
        ValueError: where it is no trace.
    """
    from google.protobuf.message import DecodeError
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    try:
        space.ParseFromString(path.read_bytes())
    except DecodeError as error:
        raise ValueError(f"{path} is no trace: {error}") from error
    for plane in space.planes:
        names = {number: known.name for number, known in plane.event_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                begin = line.timestamp_ns + event.offset_ps / 1e3
                yield TraceEvent(
                    plane.name,
                    line.name,
                    names.get(event.metadata_id, ""),
                    begin,
                    begin + event.duration_ps / 1e3,
                )
