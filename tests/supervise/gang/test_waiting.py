"""Waiting for workers, with a clock of the test's own."""

from fitguard.supervise.gang.membership import Lacking
from fitguard.supervise.gang.waiting import Waiting


class Others:
    """Workers 1 and 2, alive or not."""

    others = (1, 2)

    def __init__(self):
        self.alive = {1}

    def look(self):
        pass

    def is_there(self, worker):
        return worker in self.alive

    def describe(self, worker):
        return f"worker {worker}"


class Scene:
    def __init__(self):
        self.now, self.said, self.others = 0.0, [], Others()
        self.waiting = Waiting(self.others, self.said.append, 5.0, 10.0, lambda: self.now)

    def pass_seconds(self, seconds, lacking=Lacking((2,))):  # noqa: B008
        for _ in range(seconds):
            self.now += 1
            self.waiting.look()
            self.waiting.note(lacking)


def test_gone_for_good_is_who_gave_no_sign_for_so_long():
    scene = Scene()
    scene.pass_seconds(9)
    assert scene.waiting.list_gone() == set()
    assert not scene.waiting.is_in_vain()
    assert scene.said == ["waits for worker 2."]
    scene.pass_seconds(1)
    assert scene.waiting.list_gone() == {2}
    assert scene.waiting.is_in_vain()
    assert scene.said[-1] == "waited 10 s for worker 2. It leaves, and can be resumed."


def test_a_sign_of_life_counts_from_the_beginning():
    scene = Scene()
    scene.pass_seconds(9)
    scene.others.alive.add(2)
    scene.pass_seconds(1)
    scene.others.alive.remove(2)
    scene.pass_seconds(9)
    assert scene.waiting.list_gone() == set()


def test_while_this_process_stood_still_nobody_was_missed():
    scene = Scene()
    scene.now += 1000
    scene.pass_seconds(1)
    assert scene.waiting.list_gone() == set()


def test_who_chose_waits_for_the_others_to_read_it():
    scene = Scene()
    scene.pass_seconds(30)
    scene.waiting.note(Lacking())
    assert not scene.waiting.is_in_vain()
    scene.pass_seconds(10, Lacking())
    assert scene.waiting.is_in_vain()


def test_who_does_not_go_on_with_fewer_is_named():
    scene = Scene()
    scene.pass_seconds(10, Lacking((2,), (0, 1)))
    assert scene.waiting.is_in_vain()
    assert "Workers 0 to 1 do not go on with fewer: that takes --allow fewer-w" in scene.said[-1]
