"""The last megabytes of output."""

from fitguard.supervise.output_log import OutputLog


def log_in(folder, **options):
    return OutputLog(folder / "output.log", folder / "output.1.log", **options)


def test_two_halves_take_turns(tmp_path):
    log = log_in(tmp_path, half_bytes=10)
    for number in range(8):
        log.write(b"%04d" % number)
    assert (tmp_path / "output.1.log").read_bytes() == b"000300040005"
    assert (tmp_path / "output.log").read_bytes() == b"00060007"
    assert log.tail() == b"00030004000500060007"


def test_the_tail_since_a_position(tmp_path):
    log = log_in(tmp_path)
    log.write(b"first attempt\n")
    position = log.position
    assert log.tail(position) == b""
    log.write(b"second\n")
    assert log.tail(position) == b"second\n"


def test_what_another_parent_wrote_stays(tmp_path):
    one = log_in(tmp_path)
    one.write(b"before\n")
    one.close()
    other = log_in(tmp_path)
    position = other.position
    other.write(b"after\n")
    assert other.tail(position) == b"after\n"
    assert (tmp_path / "output.log").read_bytes() == b"before\nafter\n"


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path):
    errors = []
    log = OutputLog(tmp_path / "none" / "log", tmp_path / "none" / "older", warn=errors.append)
    log.write(b"lost")
    log.write(b"lost too")
    assert len(errors) == 1
    assert log.tail() == b""
