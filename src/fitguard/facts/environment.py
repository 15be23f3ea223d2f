"""The environment variables that change what TensorFlow and CUDA do."""

import json
from collections.abc import Mapping
from typing import Any

from fitguard.knowledge.secrets import hide_secrets, secret_name

NAMES = frozenset(
    {
        "CONDA_PREFIX",
        "KERAS_BACKEND",
        "KERAS_HOME",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "OMP_NUM_THREADS",
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
        "PYTHONPATH",
        "VIRTUAL_ENV",
    }
)
PREFIXES = ("CUDA_", "CUDNN_", "GPU_", "MALLOC_", "NCCL_", "NVIDIA_", "TF_", "XLA_")

# Terraform shares the prefix TF_.
TERRAFORM_PREFIXES = (
    "TF_ACC",
    "TF_CLI_",
    "TF_CLOUD_",
    "TF_PLUGIN_",
    "TF_REGISTRY_",
    "TF_TOKEN_",
    "TF_VAR_",
)
TERRAFORM_NAMES = frozenset(
    {
        "TF_APPEND_USER_AGENT",
        "TF_DATA_DIR",
        "TF_ENCRYPTION",
        "TF_IGNORE",
        "TF_INPUT",
        "TF_IN_AUTOMATION",
        "TF_LOG",
        "TF_LOG_CORE",
        "TF_LOG_PATH",
        "TF_LOG_PROVIDER",
        "TF_REATTACH_PROVIDERS",
        "TF_STATE_PERSIST_INTERVAL",
        "TF_WORKSPACE",
    }
)

CLUSTER = "TF_CONFIG"
NO_CLUSTER = "(not the JSON object that TensorFlow expects)"


def select(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that matter, without any that holds a secret or names a cluster's hosts."""
    return {
        name: cluster_shape(value) if name == CLUSTER else value
        for name, value in sorted(environment.items())
        if _matters(name) and not _secret(name, value)
    }


def _matters(name: str) -> bool:
    terraform = name in TERRAFORM_NAMES or name.startswith(TERRAFORM_PREFIXES)
    return name in NAMES or (name.startswith(PREFIXES) and not terraform)


def _secret(name: str, value: str) -> bool:
    # TF_CONFIG comes down to its shape, which holds none.
    return secret_name(name) or (name != CLUSTER and hide_secrets(value) != value)


def cluster_shape(text: str) -> str:
    """TF_CONFIG with the number of hosts of each role in place of their addresses.

    Example:
        >>> cluster_shape('{"cluster": {"worker": ["10.0.0.1:99"]}, "task": {"type": "worker"}}')
        '{"cluster": {"worker": 1}, "task": {"type": "worker"}}'
    """
    try:
        told = json.loads(text)
        roles = told.get("cluster", {}).items()
        task = told.get("task", {}).items()
    except (ValueError, AttributeError, RecursionError):
        return NO_CLUSTER
    shape: dict[str, dict[str, Any]] = {
        "cluster": {role: len(hosts) for role, hosts in roles if isinstance(hosts, list | dict)},
        "task": {
            key: value
            for key, value in task
            if key in ("type", "index") and isinstance(value, str | int)
        },
    }
    return json.dumps(shape)
