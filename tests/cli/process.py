"""The command line as a user calls it: a real process."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from fitguard.cli.main import run

FITGUARD = str(Path(sys.executable).with_name("fitguard"))


def fitguard(*arguments, cwd=None, stdin=None, **environment):
    """Run `fitguard` with these arguments, with text or bytes on its standard input."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [FITGUARD, *map(str, arguments)],
        input=data if data is not None else b"",
        capture_output=True,
        check=False,
        timeout=300,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def fitguard_here(*arguments, cwd):
    """The same without a process of its own, whose TensorFlow would have to start."""
    out, err = io.StringIO(), io.StringIO()
    environment, path, modules = dict(os.environ), list(sys.path), set(sys.modules)
    try:
        with (
            contextlib.chdir(cwd),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run([str(argument) for argument in arguments])
    finally:
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = path
        for name in ({"train", "broken"} & sys.modules.keys()) - modules:
            del sys.modules[name]
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
