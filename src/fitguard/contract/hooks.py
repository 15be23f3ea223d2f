"""A hook: one method that fitguard replaces in Keras or TensorFlow. `catalog` has them all."""

from dataclasses import dataclass
from enum import StrEnum

from packaging.specifiers import SpecifierSet


class Role(StrEnum):
    """What a hook is for; the same in Keras 2 and Keras 3."""

    FIT = "fit"
    EVALUATE = "evaluate"
    PREDICT = "predict"
    TRAIN_ON_BATCH = "train_on_batch"
    FIT_GENERATOR = "fit_generator"
    COMPILE = "compile"
    LAYER_MADE = "layer-made"
    GRADIENTS_APPLIED = "gradients-applied"
    TRAIN_BEGINS = "train-begins"
    EPOCH_ENDS = "epoch-ends"
    EVALUATION_GOES_ON = "evaluation-goes-on"
    DATA_MADE = "data-made"
    EPOCHS = "epochs"
    STEPS = "steps"
    DATA_RUN_OUT = "data-run-out"
    ROWS_SLICED = "rows-sliced"
    ITERATOR_MADE = "iterator-made"
    SHUFFLE_MADE = "shuffle-made"
    LOSS_REDUCED = "loss-reduced"
    LOSS_MASKED = "loss-masked"
    MEAN_UPDATED = "mean-updated"
    NUMBERS_DRAWN = "numbers-drawn"
    VARIABLE_WRITTEN = "variable-written"
    BATCH_UNPACKED = "batch-unpacked"
    BACKUP_RESTORES = "backup-restores"
    CONFIG_NAMES = "config-names"
    CONFIG_WRITES_FUNCTION = "config-writes-function"
    LAMBDA_WRITTEN = "lambda-written"
    LAMBDA_READ = "lambda-read"
    BUILT_FROM_BATCH = "built-from-batch"
    REPLICAS_REDUCED = "replicas-reduced"
    WORKERS_JOINED = "workers-joined"
    WORKERS_AWAITED = "workers-awaited"
    COORDINATION_SET = "coordination-set"
    SERVERS_JOINED = "servers-joined"
    SERVING = "serving"
    GPU_OPTIONS_MADE = "gpu-options-made"


class Service(StrEnum):
    """What is lost without a hook: the beginning of the sentence that says so."""

    FIT = "this fit is not guarded"
    EVALUATION = "evaluate and predict are not guarded"
    ORDERS = "a resumed run may see the data in another order"
    MICRO_BATCHES = "batches are not split into micro-batches"
    OTHER_WAYS = "training that does not use fit is not noticed"
    BACKUPS = "BackupAndRestore may bring back an older state after a restart"
    PARCELS = "fitguard.fit cannot take a model to its training process"
    NOTEBOOK = "variables that only training makes do not come back into the notebook"
    MENDING = "what fails with several workers is not mended"
    WAITING = "a worker may wait longer for another one than it should"
    COMPILING = "XLA and mixed precision cannot be switched for a run"
    MEMORY_LIMIT = "the training may take more GPU memory than --memory-limit allows"
    LOOKING_ALONE = "fitguard check waits for the other workers of a script"


NOT_OF_RUNS = (Service.PARCELS, Service.NOTEBOOK, Service.LOOKING_ALONE)
"""What a script under `fitguard run` does not need."""
OF_WORKERS = (Service.MENDING, Service.WAITING)
"""What only several workers need."""


@dataclass(frozen=True)
class Hook:
    """One method, or function, that is replaced.

    Args:
        package: `keras` (Keras 3), `keras2` (as `keras` or `tf_keras`), or `tensorflow`.
        module: Below the package.
        name: `Class.method`, or a function.
        parameters: As `inspect` and the source name them, with `*` and `**`.
        service: What is lost without it.
        versions: Of the package that have it; empty for all that are supported.
        in_first_step: Whether it has been called when the first step of a `fit` is done.
    """

    role: Role
    package: str
    module: str
    name: str
    parameters: str
    service: Service
    versions: str = ""
    in_first_step: bool = False

    @property
    def modules(self) -> list[str]:
        """Where it may be: in Keras 2 under two names."""
        return [f"{package}.{self.module}" for package in _PACKAGES[self.package]]

    def is_expected_in(self, package: str, version: str) -> bool:
        """Whether that version of a package should have it."""
        if package not in _PACKAGES[self.package]:
            return False
        if package == "keras" and (self.package == "keras2") != version.startswith("2."):
            return False
        return SpecifierSet(self.versions, prereleases=True).contains(version or _NEWEST)


_NEWEST = "999"
"""What does not tell its version is taken for the newest."""
_PACKAGES = {"keras": ("keras",), "keras2": ("keras", "tf_keras"), "tensorflow": ("tensorflow",)}
