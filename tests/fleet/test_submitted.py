"""What a fleet says of itself as a job of Ray."""

import json

import pytest

from fitguard.fleet.submitted import find_job_notes
from fitguard.schema.fleet import FleetJob

COPY = "/tmp/ray/session_1/runtime_resources/working_dir_files/_ray_pkg_0a/project"
SUBMITTED = {"RAY_JOB_CONFIG_JSON_ENV_VAR": json.dumps({"metadata": {"job_submission_id": "one"}})}


def make_job(folder="/project", **more):
    return FleetJob(name="a", command=("train.py",), folder=folder, **more)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"metadata": null}', '{"metadata": {}}'])
def test_what_is_no_job_says_nothing(text):
    environment = {"RAY_JOB_CONFIG_JSON_ENV_VAR": text} if text else {}
    assert find_job_notes(environment, [make_job(COPY)]) == ()


@pytest.mark.parametrize(("wait", "said"), [("", "3 seconds"), ("5", "5 seconds")])
def test_a_short_time_to_leave_is_said_with_what_to_set(wait, said):
    environment = SUBMITTED | ({"RAY_JOB_STOP_WAIT_TIME_S": wait} if wait else {})
    (note,) = find_job_notes(environment, [make_job()])
    assert said in note
    assert '{"env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": "150"}}' in note


@pytest.mark.parametrize(
    ("storage", "options", "needed", "advised"),
    [
        ("/shared/runs", (), 30, 150),
        ("s3://bucket/runs", (), 90, 150),
        ("/shared/runs", ("--grace-seconds", "600"), 605, 665),
        ("s3://bucket/runs", ("--grace-seconds", "600"), 665, 725),
    ],
)
def test_enough_is_what_the_slowest_may_take(storage, options, needed, advised):
    jobs = [make_job(), make_job(options=options)]
    enough = SUBMITTED | {"RAY_JOB_STOP_WAIT_TIME_S": str(needed)}
    assert find_job_notes(enough, jobs, storage) == ()
    short = SUBMITTED | {"RAY_JOB_STOP_WAIT_TIME_S": str(needed - 1)}
    (note,) = find_job_notes(short, jobs, storage)
    assert f"may take {needed} seconds" in note
    assert f'"RAY_JOB_STOP_WAIT_TIME_S": "{advised}"' in note


def test_results_in_the_copy_of_the_folder_are_said():
    environment = SUBMITTED | {"RAY_JOB_STOP_WAIT_TIME_S": "150"}
    assert find_job_notes(environment, [make_job()]) == ()
    (note,) = find_job_notes(environment, [make_job(), make_job(COPY)])
    assert "1 training (a)" in note
    assert "absolute `folder`" in note
