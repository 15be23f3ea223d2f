"""Standard output is for the answer."""

import contextlib
import io
import threading

from fitguard.fleet.without_ray import WithoutRay


def test_only_ray_is_not_heard():
    kept = io.StringIO()
    with contextlib.redirect_stdout(WithoutRay(kept)):
        for name in ("ray_listen_error_messages", "of the user"):
            thread = threading.Thread(target=print, args=(name,), name=name)
            thread.start()
            thread.join()
        print("answer", flush=True)  # noqa: T201
    assert kept.getvalue() == "of the user\nanswer\n"
