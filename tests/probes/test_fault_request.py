"""What the process that probes after a fault has told, also where it was stopped."""

import msgspec

from fitguard.probes.fault_request import Line, join_lines
from fitguard.schema.probe import ProbedDevice, ProbeReport, ProbeResult

LATE = "No answer after 5 min."


def passed(label):
    return ProbeReport(
        devices=(ProbedDevice(label=label),),
        results=(ProbeResult(name="copies", device=label, status="pass"),),
    )


def joined(*lines, problem="", torn=b""):
    written = b"".join(msgspec.json.encode(line) + b"\n" for line in lines) + torn
    return join_lines(written, problem=problem, seconds=3.0)


def test_all_devices_make_one_report():
    report = joined(*(Line(device=one, report=passed(one)) for one in ("GPU 0", "GPU 1")))
    assert report.ok
    assert [device.label for device in report.devices] == ["GPU 0", "GPU 1"]


def test_a_device_that_hung_after_it_was_opened_has_failed_and_the_others_count():
    report = joined(
        Line(device="GPU 0", report=passed("GPU 0")),
        Line(device="GPU 1", running="list-devices"),
        Line(device="GPU 1", running="matmul-float32"),
        problem=LATE,
        torn=b'{"device": "GPU 1", "runn',
    )
    (failure,) = report.failures
    assert (failure.device, failure.name, failure.status) == ("GPU 1", "matmul-float32", "timeout")
    assert {device.label for device in report.devices} == {"GPU 0", "GPU 1"}


def test_where_nothing_was_computed_yet_no_device_has_failed():
    report = joined(Line(device="GPU 0", running="import-tensorflow"), problem=LATE)
    assert report.failures == ()
    assert report.notes == (LATE,)
    assert not report.ok
