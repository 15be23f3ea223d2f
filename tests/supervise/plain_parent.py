"""The parent of a guarded run of a plain script, in a process of its own.

python plain_parent.py OPTIONS-AS-JSON SCRIPT ARGUMENTS…
"""

import json
import os
import resource
import sys
from dataclasses import replace
from pathlib import Path

from fitguard.cli.run import say
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.choosing import AlreadyFinished
from fitguard.supervise.command import Command
from fitguard.supervise.gang.head import leave_with_head
from fitguard.supervise.guarding import guard
from fitguard.supervise.options import HEAD_VARIABLE, GangPlace, RunOptions

CHILD = Path(__file__).with_name("plain_child.py")
WORKER = Path(__file__).parent / "gang" / "plain_worker.py"


def plain_command(script: Path, *arguments: str, child: Path = CHILD) -> Command:
    """The command whose child is `plain_child.py`, or another one."""
    return Command(
        python=sys.executable, target=(str(script),), arguments=arguments, bootstrap=(str(child),)
    )


def main() -> None:
    given, script, *arguments = sys.argv[1:]
    wanted = json.loads(given)
    if limit := wanted.pop("file_limit_bytes", None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    runs_folder = Path(wanted.pop("runs_folder", "runs"))
    place = GangPlace(**wanted.pop("gang")) if "gang" in wanted else None
    if place is not None and place.headed:
        leave_with_head(int(os.environ[HEAD_VARIABLE]))
    options = replace(RunOptions(runs_folder=runs_folder, gang=place), **wanted)
    command = plain_command(Path(script), *arguments, child=WORKER if place else CHILD)
    try:
        sys.exit(guard(command, options, say=say).exit_code)
    except AlreadyFinished as finished:
        say(str(finished))
    except UsageError as error:
        say(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
