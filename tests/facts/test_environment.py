import json

import pytest

from fitguard.facts.environment import NO_CLUSTER, select


@pytest.mark.parametrize(
    "name",
    [
        "CUDA_VISIBLE_DEVICES",
        "CUDA_CACHE_MAXSIZE",
        "CUDA_FORCE_PTX_JIT",
        "CUDA_HOME",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "TF_CPP_MIN_LOG_LEVEL",
        "TF_USE_LEGACY_KERAS",
        "TF_DATA_EXPERIMENT_OPT_IN",
        "XLA_FLAGS",
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_TF32_OVERRIDE",
        "NCCL_DEBUG",
        "KERAS_BACKEND",
        "PYTHONPATH",
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
        "OMP_NUM_THREADS",
        "MALLOC_ARENA_MAX",
        "CONDA_PREFIX",
        "VIRTUAL_ENV",
    ],
)
def test_variables_that_matter(name: str) -> None:
    assert select({name: "1"}) == {name: "1"}


@pytest.mark.parametrize(
    "name",
    [
        "HOME",
        "PATH",
        "TF_VAR_region",
        "TF_CLI_CONFIG_FILE",
        "TF_CLI_ARGS_plan",
        "TF_PLUGIN_CACHE_DIR",
        "TF_LOG",
        "TF_WORKSPACE",
        "TF_DATA_DIR",
        "TF_IN_AUTOMATION",
        "cuda_visible_devices",
    ],
)
def test_variables_of_others(name: str) -> None:
    assert select({name: "1"}) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NVIDIA_API_KEY", "x"),
        ("TF_TOKEN_app_terraform_io", "x"),
        ("TF_UPLOAD_SECRET", "x"),
        ("NVIDIA_NGC", "nvapi-abcdefghijklmnopqrstuvwxyz0123456789"),
        ("TF_HUB_X", "hf_abcdefghijklmnopqrstuvwxyz01234567"),
        ("TF_PROXY", "https://user:password@proxy.example:8080"),
        ("TF_KEY_PLAIN_KEY", "x"),
        ("NVIDIA_AUTH", "x"),
        ("TF_PUBLISH", "npm_abcdefghijklmnopqrstuvwxyz"),
        ("TF_AMAZON", "ASIAIOSFODNN7EXAMPLE"),
        ("TF_CUSTOM_FLAGS", "--auth=abc"),
        ("TF_URL", "http://example.org/?token=abc"),
        ("TF_PEM", "-----BEGIN RSA PRIVATE KEY-----\nMIIE"),
        ("TF_X", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln"),
    ],
)
def test_secrets_are_left_out(name: str, value: str) -> None:
    assert select({name: value}) == {}


@pytest.mark.parametrize(
    "value", ["/opt/task-runner-libraries-0123456789/lib", "/data/hf_cache:/opt/sk-learn/lib", ""]
)
def test_library_path_is_no_secret(value: str) -> None:
    assert select({"LD_LIBRARY_PATH": value}) == {"LD_LIBRARY_PATH": value}


def test_of_a_cluster_only_the_shape_is_told() -> None:
    config = {
        "cluster": {
            "chief": ["gpu01.lab.example:2222"],
            "worker": ["10.1.2.3:2222", "10.1.2.4:2222"],
            "ps": {"0": "10.1.2.5:2222"},
        },
        "task": {"type": "worker", "index": 1, "trial": "ann-7"},
        "environment": "cloud",
        "rpc_layer": "grpc://user:password@10.1.2.3",
    }
    told = select({"TF_CONFIG": json.dumps(config)})
    assert json.loads(told["TF_CONFIG"]) == {
        "cluster": {"chief": 1, "worker": 2, "ps": 1},
        "task": {"type": "worker", "index": 1},
    }


@pytest.mark.parametrize(
    "value", ["", "10.1.2.3:2222", "[]", '{"cluster": "10.1.2.3"}', "[" * 100_000]
)
def test_a_cluster_that_is_none_is_not_quoted(value: str) -> None:
    assert select({"TF_CONFIG": value}) == {"TF_CONFIG": NO_CLUSTER}
