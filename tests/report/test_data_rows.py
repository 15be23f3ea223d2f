"""Models, fields, labels and pipelines in words."""

from typing import Any

import msgspec
import pytest
from report.data_reports import CAT_MODEL, HEALTHY_DATA, IMAGES, LABELS, MODEL, PIPELINE

from fitguard.report.blocks import plain
from fitguard.report.rows.fields import field_table
from fitguard.report.rows.labels import MOST_LABELS, label_tables
from fitguard.report.rows.model import model_rows
from fitguard.report.rows.pipeline import chain, stage_table, unknown
from fitguard.schema.data import ClassCount, DataFacts, Field, Labels, Spotted, Training
from fitguard.schema.model import Loss, ModelFacts, ModelOutput
from fitguard.schema.pipeline import Pipeline, Stage


def row(label: str, model: ModelFacts, **training: Any) -> str:
    return dict(model_rows(DataFacts(model=model, training=Training(**training))))[label]


def changed(field: Field, **facts: Any) -> str:
    """The row of a field behind its name, as a console shows it."""
    (row,) = field_table([msgspec.structs.replace(field, **facts)], container=False).rows
    return " · ".join(map(plain, row[1:]))


def test_a_model_that_is_partly_frozen() -> None:
    assert row("Model", CAT_MODEL).endswith(
        "25,636,712 weights (97.8 MiB), 2,049 of them trainable"
    )


def test_a_model_of_which_nothing_is_known() -> None:
    empty = ModelFacts(name="m", library="keras 3", kind="subclassed", built=False, compiled=False)
    assert model_rows(DataFacts(model=empty)) == [
        ("Model", "m · subclassed · keras 3 · not built"),
        ("Inputs", "unknown"),
        ("Outputs", "unknown"),
        ("Training", "not compiled · 1 epoch"),
    ]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (None, "o (10,), no loss"),
        (Loss(name="mine", custom=True), "o (10,), loss mine"),
        (Loss(name="a", from_logits=True, ignore_class=-1),
         "o (10,), loss a from logits without class -1"),
    ],
)  # fmt: skip
def test_losses(loss: Loss | None, expected: str) -> None:
    output = ModelOutput(name="o", shape=(None, 10), loss=loss)
    assert row("Outputs", msgspec.structs.replace(MODEL, outputs=(output,))) == expected


def test_the_training() -> None:
    told = row("Training", CAT_MODEL, batch_size=1024, steps_per_epoch=1, class_weight={0: 1.0})
    assert told == (
        "sgd · batches of 1,024 · 1 epoch · 1 step each · class weights · computes in float16 · "
        "on 2 devices"
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"samples": None, "size_bytes": None}, "(28, 28) uint8 · 0 … 255"),
        ({"minimum": -3.5e38, "maximum": 1 / 3, "size_bytes": 0},
         "60,000 × (28, 28) uint8 · -3.5e+38 … 0.333333"),
        ({"nans": Spotted(1200), "infinities": Spotted(1), "shape": (None, 3), "mapped": True},
         "60,000 × (None, 3) uint8 · 0 … 255 · 1,200 nan · 1 inf · 44.9 MiB in a file"),
        ({"minimum": None, "maximum": None, "size_bytes": 2**20 - 1, "dtype": "object",
          "python_types": ("str",), "examples": ("'a'", "'b\n'", "'" + "c" * 99, "'d'")},
         "60,000 × (28, 28) object · holds str · such as 'a', 'b ', '" + "c" * 28 + "…"),
    ],
)  # fmt: skip
def test_fields(facts: dict[str, Any], expected: str) -> None:
    assert changed(IMAGES, **facts) == expected


def test_one_hot_labels() -> None:
    told = changed(LABELS, labels=Labels(one_hot=True, distinct=3), shape=(3,))
    assert told == "60,000 × (3,) uint8 · 0 … 9 · one-hot, 3 different labels"


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    bare = Field(role="x", name="x", container="list", dtype="str", shape=())
    assert field_table([bare], container=True).headers == ("field", "container", "values")
    assert field_table([bare], container=True).rows == (("x", "list", "str"),)
    assert field_table([bare], container=False).rows == (("x", "str"),)


def test_numbers_ascend_and_bars_are_against_the_most_frequent() -> None:
    ((title, counted),) = label_tables(HEALTHY_DATA.facts)
    assert title == "Labels of y → digit"
    assert [row[0] for row in counted.rows] == [str(digit) for digit in range(10)]
    assert (counted.rows[1], counted.bars[1]) == (("1", "6,742", "11.2 %"), 100.0)
    assert counted.bars[5] == 80.4


@pytest.mark.parametrize(
    ("counts", "distinct", "shown"),
    [(MOST_LABELS, MOST_LABELS, 1), (MOST_LABELS + 1, MOST_LABELS + 1, 0), (5, 900, 0), (0, 3, 0)],
)
def test_only_labels_that_are_few_and_all_counted_are_drawn(
    counts: int, distinct: int, shown: int
) -> None:
    labels = Labels(distinct=distinct, counts=tuple(ClassCount(float(n), n) for n in range(counts)))
    field = msgspec.structs.replace(LABELS, labels=labels)
    facts = msgspec.structs.replace(HEALTHY_DATA.facts, fields=(field,))
    assert len(list(label_tables(facts))) == shown


def test_a_straight_pipeline_needs_no_column_of_what_it_reads() -> None:
    straight = Pipeline(
        (
            Stage(name="range", elements=7),
            Stage(name="batch", inputs=(0,), batch_size=2, drop_remainder=True),
            Stage(name="cache", inputs=(1,), filename=""),
        ),
        ("OddDataset",),
    )
    assert chain(straight) == "range → batch(2) → cache"
    assert stage_table(straight).headers == ("", "stage", "settings", "yields")
    assert stage_table(straight).rows[1:] == (
        ("1", "batch", "batches of 2 · drops a last, smaller batch", ""),
        ("2", "cache", "in memory", ""),
    )
    assert unknown(straight) == "fitguard could not look into OddDataset."


def test_a_branched_pipeline_says_what_each_stage_reads() -> None:
    rows = stage_table(PIPELINE).rows
    assert rows[2][:3] == ("2", "zip", "0, 1")
    assert rows[0][-2:] == (
        "25,000 × (uint8 (256, 256, 3), int64 ()) · 192.0 KiB each",
        "holds 3.0 GiB of arrays",
    )
    assert unknown(PIPELINE) == ""


def test_a_dataset_zipped_with_itself_again_and_again_stays_short() -> None:
    doubled = tuple(Stage(name="zip", inputs=(n - 1, n - 1) if n else ()) for n in range(40))
    assert chain(Pipeline(doubled)).count("zip") == 40 + 39


@pytest.mark.parametrize("inputs", [(0,), (1,), (-1,), (99,)])
def test_a_stage_that_reads_itself_or_what_is_not_there(inputs: tuple[int, ...]) -> None:
    assert chain(Pipeline((Stage(name="map", inputs=inputs), Stage(name="end")))) == "end"
    assert stage_table(Pipeline((Stage(name="map", inputs=inputs),))).rows


def test_no_stages() -> None:
    assert chain(Pipeline(())) == ""
