"""The environment variables that change what TensorFlow and CUDA do."""

import re
from collections.abc import Mapping

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

SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|PRIVATE|(?:API|ACCESS|SIGNING|LICENSE)_?KEY", re.IGNORECASE
)
# Long ones only: a folder on a library path may be named `sk-learn` or `hf_cache`.
SECRET_VALUE = re.compile(
    r"\b(?:nvapi-|gh[opsu]_|github_pat_|glpat-|hf_|sk-|xox[abp]-|AKIA)[\w-]{16,}"
    r"|\beyJ[\w-]{16,}\.|-----BEGIN|://[^/\s:@]+:[^/\s@]+@"
)


def select(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that matter, without any that holds a secret."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if _matters(name) and not _secret(name, value)
    }


def _matters(name: str) -> bool:
    terraform = name in TERRAFORM_NAMES or name.startswith(TERRAFORM_PREFIXES)
    return name in NAMES or (name.startswith(PREFIXES) and not terraform)


def _secret(name: str, value: str) -> bool:
    return bool(SECRET_NAME.search(name) or SECRET_VALUE.search(value))
