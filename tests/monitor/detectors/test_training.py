"""Slow data, slow steps, heat, errors, losses and stalls are found, and their healthy twins not."""

import random

from monitor.detectors.made_records import find, find_one, make_record

MHZ = 1e6


def test_steps_that_wait_for_their_data():
    alert = find_one("FG510", make_record(10, input_seconds=0.2))
    assert alert.numbers["wait_share"] == 0.4
    assert "200.0 of its 500.0 ms" in alert.text
    assert not find("FG510", make_record(10, input_seconds=0.1))
    assert not find("FG510", make_record(6, input_seconds=0.2)), "a shuffle buffer may fill"


def test_throttling_by_name_and_by_gpu():
    record = make_record(
        5, gpu0_throttle_reasons=0x40, gpu1_throttle_reasons=0x80, gpu0_temperature=88
    )
    heat, brake = find("FG511", record)
    assert (heat.subject, brake.subject) == ("GPU 0", "GPU 1")
    assert "heat" in heat.title
    assert "88 °C" in heat.text
    assert "power cables" in brake.fix.text


def test_power_cap_is_normal_unless_the_clock_is_low():
    curves = {"gpu0_throttle_reasons": 4.0, "gpu0_clock_limit": 2000 * MHZ}
    assert not find("FG511", make_record(5, **curves, gpu0_clock=1600 * MHZ))
    assert find_one("FG511", make_record(5, **curves, gpu0_clock=900 * MHZ)).severity == "info"
    assert not find("FG511", make_record(5, gpu0_throttle_reasons=lambda t: 0x40 * (t % 60 < 20)))


def test_clocks_that_fall_under_load():
    def clock(t):
        return (1800 if t < 2000 else 1400) * MHZ

    alert = find_one("FG512", make_record(40, gpu0_clock=clock, gpu0_busy_ratio=0.9))
    assert "1,400 MHz" in alert.text
    assert not find("FG512", make_record(40, gpu0_clock=clock, gpu0_busy_ratio=0.2))
    assert not find("FG512", make_record(40, gpu0_clock=lambda t: (1750 + t % 50) * MHZ))


def test_memory_errors():
    few = make_record(90, gpu0_ecc_corrected=lambda t: 7 + t // 1000)
    assert not find("FG415", few)
    many = make_record(90, gpu0_ecc_corrected=lambda t: 7 + t // 200)
    assert "corrected errors in the last hour" in find_one("FG415", many).text
    fatal = make_record(2, gpu1_ecc_uncorrected=lambda t: 3 + (t > 60))
    alert = find_one("FG415", fatal)
    assert (alert.severity, alert.numbers["errors"], alert.subject) == ("error", 1, "GPU 1")


def test_an_xid_has_its_meaning():
    alert = find_one("FG513", make_record(1, gpu0_xid=79))
    assert alert.severity == "error"
    assert "fallen off the bus" in alert.title
    assert alert.cause == "hardware-fault"
    assert find_one("FG513", make_record(1, gpu0_xid=99999)).fix.text
    assert not find("FG513", make_record(1, gpu0_xid=0))


def test_loss_that_turns_nan():
    alert = find_one("FG514", make_record(5, loss=lambda t: 0.5 if t < 200 else 3.4e38))
    assert alert.numbers["step"] == 400
    assert "It was 0.5 before" in alert.text
    assert not find("FG514", make_record(5, loss=0.5))


def test_loss_that_does_not_move():
    assert find_one("FG515", make_record(20, loss=0.6931)).numbers["loss"] == 0.6931
    assert not find("FG515", make_record(20, loss=lambda t: 0.69 + random.Random(t).random() / 1e4))
    assert not find("FG515", make_record(20, loss=0.6931, step_seconds=10.0)), "too few steps"
    assert not find("FG515", make_record(20, loss=3.4e38)), "nan has its own alert"


def test_steps_that_become_slow():
    def took(t):
        return 0.1 if t < 1500 else 0.2

    def record(**curves):
        made = make_record(35, took=took, **curves)
        return type(made)({**made.columns, "step_seconds": made.columns["took"]})

    alert = find_one("FG516", record())
    assert alert.title == "Steps take 2.0 times as long as before"
    assert not find("FG516", record(batch_elements=lambda t: 100 if t < 1500 else 200))
    assert not find("FG516", record(traces=lambda t: 1 + (t > 1900)))
    assert not find("FG516", record(fit=lambda t: 1 + (t >= 1500)))


def test_a_training_that_stalls():
    def beats(t):
        return min(t, 600.0)

    alert = find_one("FG517", make_record(13, beats=beats, fitting=1.0))
    assert alert.cause == "hang"
    assert "No step and no batch for 2 min 55 s" in alert.text
    assert not find("FG517", make_record(13, beats=beats, fitting=0.0)), "outside of fit"
    assert not find("FG517", make_record(13, beats=lambda t: t, fitting=1.0))
    assert not find("FG517", make_record(13, beats=1.0, fitting=1.0)), "it compiles"

    def paused_before(t):
        return t if t < 100 else max(100.0, min(t - 150, 600.0))

    assert not find("FG517", make_record(15, beats=paused_before, fitting=1.0))
