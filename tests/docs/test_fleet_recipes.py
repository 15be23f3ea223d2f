"""The recipes for fleets: options that there are, and numbers that fit together."""

import re
import shlex
import subprocess
from pathlib import Path

import yaml

from fitguard.cli.main import app
from fitguard.schema.journal import LEFT_AS_ASKED

EXAMPLES = Path(__file__).parents[2] / "examples"


def parse(command):
    """The options of `fitguard fleet run` by name; an error for one that there is not."""
    words = shlex.split(command)
    assert words[:3] == ["fitguard", "fleet", "run"]
    _, bound, _ = app.parse_args(words[1:], exit_on_error=False, print_error=False)
    return bound.arguments


def test_slurm():
    script = EXAMPLES / "fleet-slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    text = script.read_text()
    (command,) = re.findall(r"^(fitguard fleet run.*?) &$", text.replace("\\\n", " "), re.MULTILINE)
    options = parse(command.replace('"$SLURM_NNODES"', "4").replace('"$head:$port"', "head:20001"))
    assert options["nodes"] == 4
    # More than the fleet gives to all trainings together.
    assert int(re.search(r"--signal=B:TERM@(\d+)", text)[1]) > 120
    assert f'[ "$code" -eq {LEFT_AS_ASKED} ]' in text


def test_kuberay():
    job = yaml.safe_load((EXAMPLES / "fleet-kuberay.yaml").read_text())["spec"]
    cluster = job["rayClusterSpec"]
    (workers,) = cluster["workerGroupSpecs"]
    options = parse(job["entrypoint"])
    assert options["nodes"] == workers["replicas"] == workers["minReplicas"]
    wait = yaml.safe_load(job["runtimeEnvYAML"])["env_vars"]["RAY_JOB_STOP_WAIT_TIME_S"]
    pods = [cluster["headGroupSpec"]["template"]["spec"], workers["template"]["spec"]]
    assert int(wait) > 120
    assert pods[0]["terminationGracePeriodSeconds"] >= int(wait)
    # All that train, and the head, which reads the file of jobs, see the storage.
    for pod in pods:
        mounts = {one["mountPath"]: one["name"] for one in pod["containers"][0]["volumeMounts"]}
        volumes = {one["name"]: one for one in pod["volumes"]}
        assert volumes[mounts["/shared"]]["persistentVolumeClaim"] == {"claimName": "training"}
    assert str(options["storage"]).startswith("/shared/")
    assert cluster["headGroupSpec"]["rayStartParams"] == {"num-gpus": "0"}
    assert cluster["authOptions"] == {"mode": "token"}
