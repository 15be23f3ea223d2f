"""The limit for each GPU, in the options that the real TensorFlow builds.

This machine has no GPU: its settings are those of one where the driver shows two.
"""

import pytest
import tensorflow as tf
from tensorflow.python.eager import context

from fitguard.contract.hooks import Role
from fitguard.contract.memory_limit import MemoryLimit
from fitguard.contract.patching import patching

MIB = 2**20
FIRST, SECOND = (tf.config.PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in (0, 1))


def part(megabytes):
    return tf.config.LogicalDeviceConfiguration(memory_limit=megabytes)


@pytest.fixture
def devices():
    made = context.Context()
    made._physical_devices = [FIRST, SECOND]
    made._visible_device_list = [FIRST, SECOND]
    made._memory_growth_map = dict.fromkeys(made._physical_devices)
    made._pluggable_devices = []
    return made


@pytest.fixture
def lowered():
    told = []
    limit = MemoryLimit(1000 * MIB, lambda: None, told.append, lambda: told.append("share"))
    with patching({Role.GPU_OPTIONS_MADE: lambda original, _: limit.wrap_options(original)}):
        yield told


def limits(devices):
    parts = devices.config.gpu_options.experimental.virtual_devices
    return [list(one.memory_limit_mb) for one in parts]


def test_each_gpu_has_the_limit(devices, lowered):
    assert limits(devices) == [[1000], [1000]]
    assert not devices.config.gpu_options.allow_growth
    assert devices.config.device_count["GPU"] == 2
    assert lowered == []


@pytest.mark.usefixtures("lowered")
def test_a_gpu_that_the_script_hides_has_none(devices):
    devices.set_visible_devices([SECOND], "GPU")
    assert limits(devices) == [[1000]]
    devices.set_visible_devices([], "GPU")
    assert limits(devices) == []


@pytest.mark.usefixtures("lowered")
def test_memory_growth_of_the_script_stays_and_may_be_set_at_any_time(devices):
    assert limits(devices) == [[1000], [1000]]
    for gpu in (FIRST, SECOND):
        devices.set_memory_growth(gpu, True)
    assert limits(devices) == [[1000], [1000]]
    assert devices.config.gpu_options.allow_growth


def test_what_the_script_allows_counts_where_it_is_lower(devices, lowered):
    devices.set_logical_device_configuration(FIRST, [part(300), part(300)])
    assert limits(devices) == [[300, 300], [1000]]
    assert lowered == []


def test_what_is_higher_is_lowered_and_told(devices, lowered):
    devices.set_logical_device_configuration(FIRST, [part(3000), part(1000)])
    assert limits(devices) == [[750, 250], [1000]]
    assert set(lowered) == {4000 * MIB}
    own = [one.memory_limit for one in devices.get_logical_device_configuration(FIRST)]
    assert own == [3000, 1000], "the script sees what it has set"


def test_a_share_as_in_tensorflow_1_is_left_alone_and_told(devices, lowered):
    share = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.5)
    devices._config = tf.compat.v1.ConfigProto(gpu_options=share)
    assert limits(devices) == []
    assert lowered == ["share"]


def test_without_a_limit_tensorflow_is_as_it_was(devices):
    assert limits(devices) == []
