"""Reports on data to show: arrays that are fine, a stream with bad labels, a tf.data pipeline with
findings, many columns, and a hostile one."""

import msgspec

from fitguard.schema.data import (
    ClassCount,
    DataFacts,
    DataReport,
    Failure,
    Field,
    Labels,
    Place,
    Source,
    Spotted,
    Training,
)
from fitguard.schema.finding import Evidence, Finding, Fix, Skipped
from fitguard.schema.hardware import Host
from fitguard.schema.model import Loss, ModelFacts, ModelInput, ModelOutput
from fitguard.schema.pipeline import Pipeline, Stage

GIB = 2**30

DIGITS = (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
SPARSE = Loss(name="sparse_categorical_crossentropy", from_logits=False)

MODEL = ModelFacts(
    name="digits",
    library="keras 3.15.0",
    kind="sequential",
    built=True,
    compiled=True,
    inputs=(ModelInput(name="image", shape=(None, 28, 28), dtype="float32", rescaled=True),),
    outputs=(ModelOutput(name="digit", shape=(None, 10), activation="softmax", loss=SPARSE),),
    weights=101_770,
    trainable_weights=101_770,
    weights_bytes=407_080,
    optimizer="adam",
)
IMAGES = Field(
    role="x",
    name="x",
    target="image",
    container="numpy.ndarray",
    dtype="uint8",
    shape=(28, 28),
    samples=60_000,
    size_bytes=47_040_000,
    samples_seen=60_000,
    minimum=0.0,
    maximum=255.0,
)
LABELS = Field(
    role="y",
    name="y",
    target="digit",
    container="numpy.ndarray",
    dtype="uint8",
    shape=(),
    samples=60_000,
    size_bytes=60_000,
    samples_seen=60_000,
    minimum=0.0,
    maximum=9.0,
    allowed=(0.0, 9.0),
    labels=Labels(
        integral=True,
        distinct=10,
        counts=tuple(
            ClassCount(float(digit), times)
            for times, digit in sorted(zip(DIGITS, range(10), strict=True), reverse=True)
        ),
    ),
)
ARRAYS = Source(
    kind="arrays",
    container="numpy.ndarray",
    samples=60_000,
    batches=1875,
    samples_seen=60_000,
    complete=True,
    batch_size=32,
)

HEALTHY_DATA = DataReport(
    ok=True,
    skipped=(Skipped("FG640", "shuffle-after-batch", "the data is no tf.data pipeline"),),
    passed=tuple(f"FG6{number:02}" for number in range(1, 32)),
    seconds=0.12,
    budget_seconds=2.0,
    facts=DataFacts(
        model=MODEL,
        training=Training(batch_size=32, epochs=5),
        sources=(ARRAYS,),
        fields=(IMAGES, LABELS),
    ),
)

LABEL_OUT_OF_RANGE = Finding(
    code="FG620",
    slug="label-out-of-range",
    severity="error",
    title="3 labels in y lie outside the 10 classes of digit (of the 384 samples that were read)",
    evidence=(
        Evidence("10 at sample 213, batch 6", "y"),
        Evidence("output shape (None, 10)", "model, digit"),
    ),
    fix=Fix("The labels count from 1. Give fit labels that count from 0: y - 1."),
)
BAD_LABELS = DataReport(
    ok=False,
    findings=(LABEL_OUT_OF_RANGE,),
    passed=("FG601", "FG602"),
    seconds=2.04,
    budget_seconds=2.0,
    facts=DataFacts(
        model=MODEL,
        sources=(
            Source(
                kind="generator",
                container="generator",
                endless=True,
                batched=True,
                samples_seen=384,
                batches_seen=12,
                batch_size=32,
                handed_back=True,
            ),
        ),
        fields=(
            msgspec.structs.replace(IMAGES, samples=None, size_bytes=None, samples_seen=384),
            msgspec.structs.replace(
                LABELS,
                samples=None,
                size_bytes=None,
                samples_seen=384,
                minimum=1.0,
                maximum=10.0,
                outside=Spotted(3, (Place(sample=213, batch=6, value="10"),)),
                labels=Labels(integral=True, distinct=10),
            ),
        ),
    ),
)

CACHE_FILE = "/home/ann/cats/train.cache"
PIPELINE = Pipeline(
    stages=(
        Stage(name="from_tensor_slices", baked_bytes=3 * GIB, elements=25_000,
              element_bytes=196_616, element="(uint8 (256, 256, 3), int64 ())"),
        Stage(name="from_generator", python=True, element="float32 ()"),
        Stage(name="zip", inputs=(0, 1)),
        Stage(name="map", inputs=(2,), function="augment", random=True,
              element="(float32 (224, 224, 3), int64 (), float32 ())"),
        Stage(name="cache", inputs=(3,), filename=CACHE_FILE),
        Stage(name="batch", inputs=(4,), batch_size=32, drop_remainder=False),
        Stage(name="shuffle", inputs=(5,), buffer_size=1000, reshuffle=True, seeded=False),
        Stage(name="repeat", inputs=(6,), count=-1, elements=-1),
        Stage(name="prefetch", inputs=(7,), buffer_size=-1, elements=-1),
    ),
)  # fmt: skip
BAKED = Finding(
    code="FG641",
    slug="arrays-in-graph",
    severity="error",
    title="from_tensor_slices bakes 3.0 GiB of arrays into the graph; 2 GiB is the limit",
    evidence=(Evidence("from_tensor_slices holds 3.0 GiB", "pipeline, stage 0"),),
    fix=Fix("Read the images from files: tf.data.Dataset.list_files, then map a reader over it."),
)
SHUFFLES_BATCHES = Finding(
    code="FG640",
    slug="shuffle-after-batch",
    severity="warning",
    title="shuffle stands behind batch: whole batches are shuffled, and samples are not",
    evidence=(Evidence("batch(32) → shuffle(1,000)", "pipeline, stages 5 and 6"),),
    fix=Fix("Call shuffle before batch.", changes_results=True),
)
NAN_SEEN = Finding(
    code="FG610",
    slug="nan-values",
    severity="error",
    title="4 values in sample_weight are nan (of the 3,840 samples that were read)",
    evidence=(
        Evidence("nan at sample 48, batch 1", "sample_weight"),
        Evidence("nan at sample 1,201, batch 37", "sample_weight"),
    ),
    fix=Fix("Give these samples a weight of 0, or leave them out."),
)
FEW_CATS = Finding(
    code="FG633",
    slug="class-imbalance",
    severity="info",
    confidence="medium",
    title="Label 1 is 24 times as frequent as label 0",
    evidence=(Evidence("0: 154 of 3,840, 1: 3,686 of 3,840", "y"),),
    fix=Fix("Give fit class_weight, or sample the rare class more often.", changes_results=True),
)
CAT_MODEL = ModelFacts(
    name="cats",
    library="keras 3.15.0",
    kind="functional",
    built=True,
    compiled=True,
    inputs=(ModelInput(name="photo", shape=(None, 224, 224, 3), dtype="float32"),),
    outputs=(
        ModelOutput(
            name="is_cat",
            shape=(None, 1),
            activation="linear",
            loss=Loss(name="binary_crossentropy", from_logits=True),
        ),
    ),
    weights=25_636_712,
    trainable_weights=2049,
    weights_bytes=102_546_848,
    optimizer="sgd",
    compute_dtype="float16",
    replicas=2,
)
UNSEEN_VALIDATION = Source(
    split="validation",
    kind="dataset",
    container="tf.data.Dataset",
    failure=Failure(0, "NotFoundError: /home/ann/cats/val.tfrecord; No such file or directory"),
)
PIPELINE_FINDINGS = DataReport(
    ok=False,
    findings=(BAKED, NAN_SEEN, SHUFFLES_BATCHES, FEW_CATS),
    skipped=(
        Skipped("FG634", "validation-overlap", "nothing of the validation data could be read"),
        Skipped("FG612", "huge-values", "KeyError: 'float16'", True),
    ),
    passed=tuple(f"FG6{number:02}" for number in range(1, 24)),
    seconds=2.1,
    budget_seconds=2.0,
    facts=DataFacts(
        model=CAT_MODEL,
        training=Training(epochs=90, steps_per_epoch=782, class_weight={0: 12.0, 1: 0.5}),
        sources=(
            Source(
                kind="dataset",
                container="tf.data.Dataset",
                endless=True,
                batched=True,
                samples_seen=3840,
                batches_seen=120,
                batch_size=32,
                pipeline=PIPELINE,
            ),
            UNSEEN_VALIDATION,
        ),
        fields=(
            Field(role="x", name="x", target="photo", container="tf.Tensor", dtype="float32",
                  shape=(224, 224, 3), samples_seen=3840, minimum=-1.0, maximum=1.0),
            Field(role="y", name="y", target="is_cat", container="tf.Tensor", dtype="int64",
                  shape=(), samples_seen=3840, minimum=0.0, maximum=1.0, allowed=(0.0, 1.0),
                  labels=Labels(integral=True, distinct=2,
                                counts=(ClassCount(1.0, 3686), ClassCount(0.0, 154)))),
            Field(role="sample_weight", name="sample_weight", container="tf.Tensor",
                  dtype="float32", shape=(), samples_seen=3840, minimum=0.25, maximum=1.5,
                  nans=Spotted(4, (Place(sample=48, batch=1, value="nan"),))),
        ),
        host=Host(ram_bytes=16 * GIB),
    ),
)  # fmt: skip

COLUMNS = ("age", "hours", "income", "city", "plan", "visits", "refunds", "device", "browser",
           "country", "referrer", "month", "weekday", "score")  # fmt: skip
MANY_COLUMNS = DataReport(
    ok=True,
    passed=("FG601",),
    seconds=2.0,
    budget_seconds=2.0,
    facts=DataFacts(
        model=ModelFacts(
            name="churn",
            library="tf_keras 2.21.0",
            kind="subclassed",
            built=False,
            compiled=False,
            inputs=tuple(
                ModelInput(name=name, shape=(None, 1), dtype="float32") for name in COLUMNS
            ),
        ),
        training=Training(batch_size=1, validation_split=0.2),
        sources=(
            Source(kind="arrays", container="dict", samples=1_200_000, samples_seen=372_000),
        ),
        fields=(
            *(
                Field(role="x", name=f"x['{name}']", target=name, container="pandas.Series",
                      dtype="float64", shape=(1,), samples=1_200_000, minimum=0.5, maximum=0.5)
                for name in COLUMNS
            ),
            Field(role="y", name="y", container="pandas.Series", dtype="object", shape=(),
                  samples=1_200_000, python_types=("str", "NoneType"),
                  examples=("'stays'", "'leaves'", "None", "'unknown'"),
                  labels=Labels(distinct=3, counts=(ClassCount("stays", 360_000),
                                                    ClassCount("leaves", 11_990),
                                                    ClassCount("unknown", 10)))),
        ),
    ),
)  # fmt: skip


def hostile_data(text: str) -> DataReport:
    """A report in which every free string is the given one."""
    return DataReport(
        ok=False,
        findings=(
            Finding(
                code="FG699",
                slug="hostile",
                title=text,
                evidence=(Evidence(text, text, 3),),
                fix=Fix(text, (text,)),
            ),
        ),
        skipped=(Skipped("FG698", text, text), Skipped("FG697", text, text, True)),
        facts=DataFacts(
            model=ModelFacts(
                name=text,
                library=text,
                kind="functional",
                built=True,
                compiled=True,
                inputs=(ModelInput(name=text, shape=None, dtype=text),),
                outputs=(
                    ModelOutput(name=text, shape=None, activation=text, loss=Loss(name=text)),
                ),
                optimizer=text,
                compute_dtype=text,
            ),
            sources=(
                Source(
                    kind="dataset",
                    container=text,
                    samples_seen=1,
                    failure=Failure(1, text),
                    pipeline=Pipeline(
                        (
                            Stage(name=text, element=text, function=text, filename=text),
                            Stage(name=text, inputs=(0, 0, 7), function=text),
                        ),
                        (text,),
                    ),
                ),
                Source(split="validation", kind="generator", container=text, unread=text),
            ),
            fields=tuple(
                Field(
                    role=role,
                    name=text,
                    target=text,
                    container=text,
                    dtype=text,
                    shape=(None, 3),
                    labels=Labels(distinct=1, counts=(ClassCount(text, 1),)),
                    python_types=(text,),
                    examples=(text,),
                )
                for role in ("x", "y")
            ),
        ),
    )
