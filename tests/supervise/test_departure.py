"""How a child is made to leave, by a clock of our own."""

import signal

from fitguard.monitor.signals import STACKS_SIGNAL
from fitguard.supervise.departure import Departure


class Setting:
    def __init__(self, grace_seconds=10.0, **options):
        self.now = 100.0
        self.sent = []
        self.wishes = 0
        self.departure = Departure(
            self, self.wish, grace_seconds, clock=lambda: self.now, **options
        )

    def send(self, number):
        self.sent.append((self.now - 100.0, number))

    def ignores(self, _number):
        return False

    def wish(self):
        self.wishes += 1

    def wait(self, seconds):
        for _ in range(round(seconds * 10)):
            self.now = round(self.now + 0.1, 3)
            self.departure.press()


def test_leaving_is_a_wish_then_sigterm_then_sigkill():
    setting = Setting()
    assert setting.departure.asked_seconds == 0
    assert setting.departure.leave("preempted")
    assert (setting.wishes, setting.sent) == (1, [])
    setting.wait(12)
    assert setting.departure.asked_seconds == 12
    assert setting.sent == [(8.0, signal.SIGTERM), (10.0, signal.SIGKILL)]
    assert setting.departure.reason == "preempted"


def test_a_planned_restart_never_kills():
    setting = Setting()
    setting.departure.leave("planned")
    setting.wait(100)
    assert (setting.wishes, setting.sent) == (1, [])


def test_sigterm_after_a_planned_restart_began_is_preemption():
    setting = Setting()
    setting.departure.leave("planned")
    assert setting.departure.leave("preempted")
    assert setting.departure.reason == "preempted"


def test_a_hang_tells_its_stacks_first():
    setting = Setting()
    setting.departure.abort("hung")
    setting.wait(6)
    assert [number for _, number in setting.sent] == [STACKS_SIGNAL, signal.SIGABRT, signal.SIGKILL]


def test_the_first_interrupt_is_the_scripts_own_business():
    setting = Setting()
    setting.departure.interrupt(signal.SIGINT, forward=False)
    assert setting.sent == []
    assert setting.departure.reason == "interrupted"
    setting.wait(60)
    assert setting.departure.reason is None


def test_interrupts_get_stronger():
    setting = Setting()
    sent = [setting.departure.interrupt(signal.SIGINT, forward=True) for _ in range(4)]
    assert sent == [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL]


def test_what_the_head_of_a_gang_passes_on_counts_once():
    setting = Setting(echoes=True)
    sent = []
    for _ in range(3):
        sent.append(setting.departure.interrupt(signal.SIGINT, forward=True))
        assert setting.departure.interrupt(signal.SIGINT, forward=True) == 0
        setting.wait(1)
    assert sent == [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def test_an_interrupt_while_it_leaves_does_not_change_why():
    setting = Setting()
    setting.departure.leave("preempted")
    assert setting.departure.interrupt(signal.SIGINT, forward=False) == signal.SIGTERM
    assert setting.departure.reason == "preempted"


def test_what_sigkill_does_not_end_is_stuck():
    setting = Setting()
    setting.departure.kill()
    assert not setting.departure.stuck
    setting.wait(31)
    assert setting.departure.stuck


def test_who_is_left_alone_by_other_workers_has_a_moment_and_is_killed():
    setting = Setting()
    setting.departure.follow()
    setting.wait(0.5)
    setting.departure.follow()
    assert setting.sent == []
    setting.wait(2)
    assert setting.sent == [(1.0, signal.SIGKILL)]
    assert setting.departure.reason == "followed"


def test_who_is_asked_to_leave_is_not_made_to_wait_for_workers_that_are_gone():
    setting = Setting()
    setting.departure.leave("preempted")
    setting.departure.follow()
    setting.wait(12)
    assert setting.sent == [(1.0, signal.SIGKILL)]
    assert setting.departure.reason == "preempted"


def test_a_hang_stays_one_when_other_workers_end():
    setting = Setting()
    setting.departure.abort("hung")
    setting.departure.follow()
    setting.wait(5)
    assert setting.departure.reason == "hung"
    assert [number for _, number in setting.sent] == [STACKS_SIGNAL, signal.SIGABRT, signal.SIGKILL]


def test_a_call_to_leave_is_no_reason_where_there_is_another():
    called, asked = Setting(), Setting()
    called.departure.note_called()
    asked.departure.leave("preempted")
    asked.departure.note_called()
    assert (called.departure.reason, asked.departure.reason) == ("followed", "preempted")
