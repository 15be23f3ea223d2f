"""Every table loads, is dated, names its sources, and every row can be asked for."""

import pytest

from fitguard.knowledge import knowledge, supported, thresholds
from fitguard.schema import versions

tables = knowledge()
ALL_TABLES = [
    tables.tensorflow.table,
    tables.keras.table,
    tables.keras.keras2_packages,
    tables.cuda.targets_table,
    tables.cuda.sonames_table,
    tables.cuda.pins_table,
    tables.cuda.ptx_failures_table,
    tables.cuda.conda_table,
    tables.cudnn.table,
    tables.drivers.toolkit_table,
    tables.drivers.architecture_table,
    tables.gpus.table,
    tables.gpu_memory.shown_table,
    tables.gpu_memory.reserves_table,
    tables.cards.table,
    tables.xids.table,
    tables.known_bugs.table,
    tables.policy.table,
    tables.overrides.table,
    tables.protobuf.table,
    tables.keras.tf_keras_failures,
    tables.cuda.tensorrt_table,
    tables.cuda.unreachable_table,
    supported.table(),
    thresholds.table(),
]


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_table_is_dated_and_sourced(table):
    assert table.rows
    assert table.date >= "2026-01-01"
    assert all(row.source for row in table.rows)


def test_every_tensorflow_release_is_found():
    assert len(tables.tensorflow.all) == 100
    for release in tables.tensorflow.all:
        assert tables.tensorflow.find(release.version) == release
    ordered = [release.version for release in tables.tensorflow.all]
    assert ordered.index("2.9.3") < ordered.index("2.10.0")
    assert ordered.index("2.15.0") < ordered.index("2.15.0.post1") < ordered.index("2.15.1")


def test_every_gpu_is_found_by_its_own_name():
    for model in tables.gpus.table.rows:
        assert model in tables.gpus.find(model.name)
        assert model in tables.gpus.find(f"NVIDIA {model.name}")


def test_every_card_with_rates_is_a_gpu_that_is_known():
    for card in tables.cards.table.rows:
        sizes = {size for model in tables.gpus.find(card.name) for size in model.memory_gib}
        found = [row for size in sizes for row in tables.cards.find(card.name, int(size * 2**30))]
        assert card in found
        assert all(tables.cards.find(shown) == (card,) for shown in card.shown)


def test_every_xid_is_found():
    for row in tables.xids.table.rows:
        assert tables.xids.find(row.number) is row
    assert tables.xids.find(100_000) is None


def test_every_toolkit_has_a_driver_and_targets():
    for row in tables.cuda.targets_table.rows:
        assert tables.cuda.targets(row.cuda)
        assert tables.drivers.least(row.cuda)
        assert tables.drivers.least(row.cuda, exact=True)


def test_every_toolkit_release_gives_its_own_driver():
    for row in tables.drivers.toolkit_table.rows:
        update = row.release.partition("Update ")[2]
        if row.cuda.startswith("8.") or "any" in row.release or "updates" in row.release:
            continue
        patch = f"{row.cuda}.{update}" if update else row.cuda
        assert tables.drivers.least(patch, exact=True) == row.linux


def test_every_gpu_has_drivers():
    for model in tables.gpus.table.rows:
        assert tables.drivers.architecture(model.capability) is not None, model.name


def test_every_cudnn_row_is_found():
    for row in tables.cudnn.table.rows:
        assert tables.cudnn.row(row.versions[0]) is row


def test_every_keras_row_is_found():
    for row in tables.keras.table.rows:
        version = row.versions[0].removesuffix(".x")
        assert tables.keras.row(version, row.package) is row


def test_every_and_cuda_release_has_its_runtime_pinned():
    for row in tables.cuda.pins_table.rows:
        for version in row.versions:
            assert tables.cuda.and_cuda(version) is row
        if row.pins:
            name, requirement = row.pin("cuda-runtime")
            release = tables.tensorflow.find(row.versions[0])
            pinned = versions.parse(requirement.split(">=")[-1].removeprefix("=="))
            assert versions.same(pinned, versions.parse(release.cuda), 2)
            assert name.startswith("nvidia-cuda-runtime-cu1")
