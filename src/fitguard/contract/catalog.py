"""All hooks: what fitguard replaces in Keras and TensorFlow, and what it expects to find there.

Nothing of this is anybody's promise. So each hook says in which versions it was seen, and with
which parameters; `verifying` compares that with what is here, and a hook that does not fit is never
put into place: it is told. Where a release of Keras moves one, this is the file to change.
"""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.hooks import Hook, Role, Service

_FIT = (
    "self, x, y, batch_size, epochs, verbose, callbacks, validation_split, validation_data, "
    "shuffle, class_weight, sample_weight, initial_epoch, steps_per_epoch, validation_steps, "
    "validation_batch_size, validation_freq"
)
_EVALUATE = "self, x, y, batch_size, verbose, sample_weight, steps, callbacks"
_PREDICT = "self, x, batch_size, verbose, steps, callbacks"
_WORKERS = ", max_queue_size, workers, use_multiprocessing"
_DRAW = "shape, key, counter, alg, dtype, name"
_WRITE = "use_locking, name, read_value"


def _hooks(
    package: str, module: str, service: Service, *rows: tuple[Role, str, str], **more: Any
) -> Iterator[Hook]:
    """One for each row: role, name, parameters."""
    for role, name, parameters in rows:
        yield Hook(role, package, module, name, parameters, service, **more)


def _callback_lists(package: str, module: str) -> Iterator[Hook]:
    began = (Role.TRAIN_BEGINS, "CallbackList.on_train_begin", "self, logs")
    ended = (Role.EPOCH_ENDS, "CallbackList.on_epoch_end", "self, epoch, logs")
    yield from _hooks(package, module, Service.FIT, began, in_first_step=True)
    yield from _hooks(package, module, Service.FIT, ended)
    yield from _hooks(
        package,
        module,
        Service.EVALUATION,
        (Role.EVALUATION_GOES_ON, "CallbackList.on_test_batch_end", "self, batch, logs"),
        (Role.EVALUATION_GOES_ON, "CallbackList.on_predict_batch_end", "self, batch, logs"),
    )


def _saving(package: str, lambdas: str) -> Iterator[Hook]:
    named = (Role.CONFIG_NAMES, "get_registered_name", "obj")
    yield from _hooks(package, "src.saving.object_registration", Service.PARCELS, named)
    written = (Role.CONFIG_WRITES_FUNCTION, "_get_class_or_fn_config", "obj")
    yield from _hooks(package, "src.saving.serialization_lib", Service.PARCELS, written)
    yield from _hooks(
        package,
        lambdas,
        Service.PARCELS,
        (Role.LAMBDA_WRITTEN, "func_dump", "func"),
        (Role.LAMBDA_READ, "func_load", "code, defaults, closure, globs"),
    )


def _keras_3() -> Iterator[Hook]:
    trainer = "src.backend.tensorflow.trainer"
    yield from _trainers_3(trainer, "TensorFlowTrainer", "Trainer", versions="<3.16.dev0")
    yield from _trainers_3(trainer, "Trainer", "BaseTrainer", versions=">=3.16.dev0")
    yield from _callback_lists("keras", "src.callbacks.callback_list")
    yield from _hooks(
        "keras",
        trainer,
        Service.FIT,
        (Role.DATA_MADE, "TFEpochIterator.__init__", "self, distribute_strategy, *args, **kwargs"),
        (Role.DATA_RUN_OUT, "TFEpochIterator.catch_stop_iteration", "self"),
        in_first_step=True,
    )
    old = (Role.STEPS, "TFEpochIterator.enumerate_epoch", "self")
    yield from _hooks("keras", trainer, Service.FIT, old, versions="<3.7", in_first_step=True)
    new = (Role.STEPS, "EpochIterator._enumerate_iterator", "self")
    module = "src.trainers.epoch_iterator"
    yield from _hooks("keras", module, Service.FIT, new, versions=">=3.7", in_first_step=True)
    applied = (Role.GRADIENTS_APPLIED, "BaseOptimizer.apply", "self, grads, trainable_variables")
    yield from _hooks("keras", "src.optimizers.base_optimizer", Service.OTHER_WAYS, applied)
    made = (
        Role.LAYER_MADE,
        "Layer.__init__",
        "self, activity_regularizer, trainable, dtype, autocast, name, **kwargs",
    )
    yield from _hooks("keras", "src.layers.layer", Service.COMPILING, made)
    values = "values, sample_weight, mask, reduction, dtype"
    reduced = (Role.LOSS_REDUCED, "reduce_weighted_values", values)
    yield from _hooks("keras", "src.losses.loss", Service.MICRO_BATCHES, reduced)
    mean = (Role.MEAN_UPDATED, "Mean.update_state", "self, values, sample_weight")
    yield from _hooks("keras", "src.metrics.reduction_metrics", Service.MICRO_BATCHES, mean)
    unpacked = (Role.BATCH_UNPACKED, "unpack_x_y_sample_weight", "data")
    adapters = "src.trainers.data_adapters.data_adapter_utils"
    yield from _hooks("keras", adapters, Service.NOTEBOOK, unpacked)
    backup = (Role.BACKUP_RESTORES, "BackupAndRestore.on_train_begin", "self, logs")
    module = "src.callbacks.backup_and_restore"
    yield from _hooks("keras", f"{module}_callback", Service.BACKUPS, backup, versions="<3.1")
    yield from _hooks("keras", module, Service.BACKUPS, backup, versions=">=3.1")
    yield from _saving("keras", "src.utils.python_utils")
    yield from _workers_3(trainer)


def _trainers_3(module: str, name: str, base: str, versions: str) -> Iterator[Hook]:
    """The classes that train, by the names that these versions give them."""
    fit = (Role.FIT, f"{name}.fit", _FIT)
    yield from _hooks("keras", module, Service.FIT, fit, versions=versions)
    yield from _hooks(
        "keras",
        module,
        Service.EVALUATION,
        (Role.EVALUATE, f"{name}.evaluate", f"{_EVALUATE}, return_dict, **kwargs"),
        (Role.PREDICT, f"{name}.predict", _PREDICT),
        versions=versions,
    )
    on_batch = "self, x, y, sample_weight, class_weight, return_dict"
    batch = (Role.TRAIN_ON_BATCH, f"{name}.train_on_batch", on_batch)
    yield from _hooks("keras", module, Service.OTHER_WAYS, batch, versions=versions)
    compiled = (
        Role.COMPILE,
        f"{base}.compile",
        "self, optimizer, loss, loss_weights, metrics, weighted_metrics, run_eagerly, "
        "steps_per_execution, jit_compile, auto_scale_loss",
    )
    trainers = "src.trainers.trainer"
    yield from _hooks("keras", trainers, Service.COMPILING, compiled, versions=versions)


def _workers_3(trainer: str) -> Iterator[Hook]:
    built = "self, iterator, data_batch"
    old = (Role.BUILT_FROM_BATCH, "TensorFlowTrainer._maybe_symbolic_build", built)
    new = (Role.BUILT_FROM_BATCH, "Trainer._maybe_symbolic_build", built)
    yield from _hooks("keras", trainer, Service.MENDING, old, versions=">=3.5,<3.16.dev0")
    yield from _hooks("keras", trainer, Service.MENDING, new, versions=">=3.16.dev0")
    reduced = (Role.REPLICAS_REDUCED, "reduce_per_replica", "values, strategy, reduction")
    yield from _hooks("keras", trainer, Service.MENDING, reduced)


def _keras_2() -> Iterator[Hook]:
    model, adapter = "src.engine.training", "src.engine.data_adapter"
    fit = (Role.FIT, "Model.fit", f"{_FIT}{_WORKERS}")
    yield from _hooks("keras2", model, Service.FIT, fit)
    yield from _hooks(
        "keras2",
        model,
        Service.EVALUATION,
        (Role.EVALUATE, "Model.evaluate", f"{_EVALUATE}{_WORKERS}, return_dict, **kwargs"),
        (Role.PREDICT, "Model.predict", f"{_PREDICT}{_WORKERS}"),
    )
    yield from _callback_lists("keras2", "src.callbacks")
    made = (
        "self, x, y, sample_weight, batch_size, steps_per_epoch, initial_epoch, epochs, shuffle, "
        f"class_weight{_WORKERS}, model, steps_per_execution, distribute, pss_evaluation_shards"
    )
    yield from _hooks(
        "keras2",
        adapter,
        Service.FIT,
        (Role.DATA_MADE, "DataHandler.__init__", made),
        (Role.EPOCHS, "DataHandler.enumerate_epochs", "self"),
        (Role.STEPS, "DataHandler.steps", "self"),
        (Role.DATA_RUN_OUT, "DataHandler.catch_stop_iteration", "self"),
        in_first_step=True,
    )
    slicing = "self, indices_dataset, inputs"
    yield from _hooks(
        "keras2",
        adapter,
        Service.FIT,
        (Role.ROWS_SLICED, "TensorLikeDataAdapter.slice_inputs", slicing),
        (Role.ROWS_SLICED, "GenericArrayLikeDataAdapter.slice_inputs", slicing),
    )
    yield from _other_ways_2(model)
    yield from _hooks(
        "keras2",
        "src.utils.losses_utils",
        Service.MICRO_BATCHES,
        (Role.LOSS_MASKED, "apply_valid_mask", "losses, sw, mask, reduction"),
        (Role.LOSS_REDUCED, "compute_weighted_loss", "losses, sample_weight, reduction, name"),
    )
    mean = (Role.MEAN_UPDATED, "Reduce.update_state", "self, values, sample_weight")
    yield from _hooks("keras2", "src.metrics.base_metric", Service.MICRO_BATCHES, mean)
    unpacked = (Role.BATCH_UNPACKED, "unpack_x_y_sample_weight", "data")
    yield from _hooks("keras2", adapter, Service.NOTEBOOK, unpacked)
    backup = (Role.BACKUP_RESTORES, "WorkerTrainingState.restore", "self")
    module = "src.distribute.worker_training_state"
    yield from _hooks("keras2", module, Service.BACKUPS, backup)
    yield from _saving("keras2", "src.utils.generic_utils")


def _other_ways_2(model: str) -> Iterator[Hook]:
    on_batch = "self, x, y, sample_weight, class_weight, reset_metrics, return_dict"
    generator = (
        "self, generator, steps_per_epoch, epochs, verbose, callbacks, validation_data, "
        f"validation_steps, validation_freq, class_weight{_WORKERS}, shuffle, initial_epoch"
    )
    yield from _hooks(
        "keras2",
        model,
        Service.OTHER_WAYS,
        (Role.TRAIN_ON_BATCH, "Model.train_on_batch", on_batch),
        (Role.FIT_GENERATOR, "Model.fit_generator", generator),
    )
    applied = (
        Role.GRADIENTS_APPLIED,
        "_BaseOptimizer.apply_gradients",
        "self, grads_and_vars, name",
    )
    yield from _hooks("keras2", "src.optimizers.optimizer", Service.OTHER_WAYS, applied)
    legacy = (
        Role.GRADIENTS_APPLIED,
        "OptimizerV2.apply_gradients",
        "self, grads_and_vars, name, experimental_aggregate_gradients",
    )
    yield from _hooks("keras2", "src.optimizers.legacy.optimizer_v2", Service.OTHER_WAYS, legacy)
    compiled = (
        Role.COMPILE,
        "Model.compile",
        "self, optimizer, loss, metrics, loss_weights, weighted_metrics, run_eagerly, "
        "steps_per_execution, jit_compile, pss_evaluation_shards, **kwargs",
    )
    made = (Role.LAYER_MADE, "Layer.__init__", "self, trainable, name, dtype, dynamic, **kwargs")
    yield from _hooks("keras2", model, Service.COMPILING, compiled)
    yield from _hooks("keras2", "src.engine.base_layer", Service.COMPILING, made)


def _tensorflow() -> Iterator[Hook]:
    made = (Role.ITERATOR_MADE, "DatasetV2.__iter__", "self")
    distributed = (Role.ITERATOR_MADE, "DistributedDataset.__iter__", "self")
    yield from _hooks("tensorflow", "python.data.ops.dataset_ops", Service.FIT, made)
    yield from _hooks("tensorflow", "python.distribute.input_lib", Service.FIT, distributed)
    shuffled = (
        Role.SHUFFLE_MADE,
        "_ShuffleDataset.__init__",
        "self, input_dataset, buffer_size, seed, reshuffle_each_iteration, name",
    )
    drawn = (
        Role.SHUFFLE_MADE,
        "_RandomDataset.__init__",
        "self, seed, rerandomize_each_iteration, name",
    )
    yield from _hooks("tensorflow", "python.data.ops.shuffle_op", Service.ORDERS, shuffled)
    yield from _hooks("tensorflow", "python.data.ops.random_op", Service.ORDERS, drawn)
    whole_numbers = "shape, key, counter, alg, minval, maxval, name"
    yield from _hooks(
        "tensorflow",
        "python.ops.gen_stateless_random_ops_v2",
        Service.MICRO_BATCHES,
        (Role.NUMBERS_DRAWN, "stateless_random_uniform_v2", _DRAW),
        (Role.NUMBERS_DRAWN, "stateless_random_normal_v2", _DRAW),
        (Role.NUMBERS_DRAWN, "stateless_random_uniform_int_v2", whole_numbers),
        (Role.NUMBERS_DRAWN, "stateless_random_uniform_full_int_v2", _DRAW),
        (Role.NUMBERS_DRAWN, "stateless_truncated_normal_v2", _DRAW),
    )
    for owner in ("BaseResourceVariable", "ResourceVariable"):
        yield from _hooks(
            "tensorflow",
            "python.ops.resource_variable_ops",
            Service.MICRO_BATCHES,
            (Role.VARIABLE_WRITTEN, f"{owner}.assign", f"self, value, {_WRITE}"),
            (Role.VARIABLE_WRITTEN, f"{owner}.assign_add", f"self, delta, {_WRITE}"),
            (Role.VARIABLE_WRITTEN, f"{owner}.assign_sub", f"self, delta, {_WRITE}"),
        )
    limited = (Role.GPU_OPTIONS_MADE, "Context._compute_gpu_options", "self")
    yield from _hooks("tensorflow", "python.eager.context", Service.MEMORY_LIMIT, limited)
    yield from _meeting_others()


def _meeting_others() -> Iterator[Hook]:
    """Where a process waits for others of its cluster."""
    folder = "python.distribute"
    module = f"{folder}.collective_all_reduce_strategy"
    joined = (
        Role.WORKERS_JOINED,
        "CollectiveAllReduceExtended.__init__",
        "self, container_strategy, cluster_resolver, communication_options, devices",
    )
    yield from _hooks("tensorflow", module, Service.WAITING, joined)
    coordinated = (
        Role.COORDINATION_SET,
        "Context.configure_coordination_service",
        "self, service_type, service_leader, enable_health_check, cluster_register_timeout_in_ms, "
        "heartbeat_timeout_in_ms, shutdown_barrier_timeout_in_ms, coordinated_jobs, "
        "allow_new_incarnation_to_reconnect",
    )
    yield from _hooks("tensorflow", "python.eager.context", Service.WAITING, coordinated)
    awaited = (
        Role.WORKERS_AWAITED,
        "CollectiveAllReduceExtended._initialize_strategy",
        "self, cluster_resolver, devices",
    )
    yield from _hooks("tensorflow", module, Service.LOOKING_ALONE, awaited)
    connected = (
        Role.SERVERS_JOINED,
        "ParameterServerStrategyV2._connect_to_cluster",
        "self, coordinator_name",
    )
    module = f"{folder}.parameter_server_strategy_v2"
    yield from _hooks("tensorflow", module, Service.LOOKING_ALONE, connected)
    serving = (Role.SERVING, "Server.join", "self")
    yield from _hooks("tensorflow", "python.training.server_lib", Service.LOOKING_ALONE, serving)


HOOKS = (*_keras_3(), *_keras_2(), *_tensorflow())
