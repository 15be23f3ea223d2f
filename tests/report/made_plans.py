"""Plans as `fitguard plan` makes them, put together by hand: their numbers agree."""

import math

import msgspec

from fitguard.schema.plan import (
    Advice,
    Breakdown,
    Card,
    Curve,
    LayerCost,
    Measured,
    Moment,
    Plan,
    Range,
    Shortage,
    Step,
    Unknown,
)

KIB, MIB, GIB = 2**10, 2**20, 2**30


def made_curve(peak_bytes: int, layers: tuple[str, ...], moments: int = 240) -> Curve:
    """A forward pass that fills the memory, a backward pass that gives it back, an update."""
    turn, update = moments * 45 // 100, moments * 9 // 10
    made = []
    for number in range(moments):
        phase = "forward" if number < turn else "backward" if number < update else "update"
        if phase == "forward":
            filled = 0.12 + 0.85 * number / turn
        elif phase == "backward":
            filled = 0.12 + 0.88 * (1 - (number - turn) / (update - turn))
        else:
            filled = 0.12
        ripple = 0.015 * math.sin(number / 2) if number != turn else 0.0
        whole = round(peak_bytes * min(filled + ripple, 1.0))
        reached = min(len(layers), 1 + number * len(layers) // turn)
        shares = [0.18 * 0.8**place if place < reached else 0.0 for place in range(len(layers))]
        made.append(
            Moment(
                bytes=whole,
                phase=phase,
                layer=layers[number % len(layers)] if phase != "update" and layers else "",
                operation="Conv2DBackpropFilter" if phase == "backward" else "Conv2D",
                held=tuple(round(whole * share) for share in shares),
            )
        )
    return Curve(layers, tuple(made), turn)


RESNET_LAYERS = tuple(
    LayerCost(
        name=name, kind=kind, bytes=size, activations_bytes=size - 4 * MIB,
        weights_bytes=MIB, optimizer_bytes=2 * MIB, gradients_bytes=MIB, grows_bytes=size // 136,
    )
    for name, kind, size in (
        ("conv1_conv", "Conv2D", 1000 * MIB),
        ("conv1_bn", "BatchNormalization", 900 * MIB),
        ("conv1_relu", "Activation", 796 * MIB),
        ("conv2_block1_3_conv", "Conv2D", 640 * MIB),
        ("conv2_block1_out", "Activation", 600 * MIB),
        ("conv2_block2_3_bn", "BatchNormalization", 540 * MIB),
        ("conv2_block3_3_bn", "BatchNormalization", 420 * MIB),
        ("conv3_block1_3_conv", "Conv2D", 300 * MIB),
        ("conv3_block2_3_conv", "Conv2D", 240 * MIB),
        ("predictions", "Dense", 31 * MIB),
    )
)  # fmt: skip

TOO_LARGE = Plan(
    mode="graph",
    batch_size=128,
    step=Step(
        model="resnet50",
        parameters=25_636_712,
        optimizer="adam",
        loss="sparse_categorical_crossentropy",
        inputs=(("keras_tensor", (128, 224, 224, 3), "float32"), ("y", (128,), "int64")),
        mode_reason="jit_compile=False",
    ),
    required_bytes=Range(10_800 * MIB, 11_400 * MIB, 12_300 * MIB),
    comfortable_bytes=Range(12_000 * MIB, 14_600 * MIB, 18_900 * MIB),
    process_bytes=Range(12_600 * MIB, 15_300 * MIB, 19_700 * MIB),
    breakdown=Breakdown(
        weights=98 * MIB,
        optimizer=195 * MIB,
        gradients=97 * MIB,
        activations=9_870 * MIB,
        workspace=800 * MIB,
        input=147 * MIB,
        slack=193 * MIB,
        context=470 * MIB,
    ),
    layers=RESNET_LAYERS,
    curve=made_curve(11_400 * MIB, tuple(layer.name for layer in RESNET_LAYERS[:6])),
    batch_bytes=84 * MIB,
    card=Card(
        name="NVIDIA GeForce RTX 2080",
        memory_bytes=8 * GIB,
        free_bytes=7_900 * MIB,
        usable_bytes=7_400 * MIB,
        origin="table",
    ),
    largest_batch_size=76,
    micro_batch_size=64,
    fits=False,
    advice=(
        Advice(
            slug="micro-batch",
            title="Micro-batches of 64, with accumulated gradients",
            text="The optimizer sees the same step. 53 layers of kind BatchNormalization see the "
            "micro-batch instead of the batch.",
            required_bytes=5_990 * MIB,
            saved_bytes=5_410 * MIB,
            largest_batch_size=76,
            enough=True,
            code="keras.optimizers.Adam(gradient_accumulation_steps=2)",
        ),
        Advice(
            slug="jit-compile",
            title="Compile with XLA",
            text="XLA fuses operations, and keeps fewer results.",
            required_bytes=8_700 * MIB,
            saved_bytes=2_700 * MIB,
            largest_batch_size=104,
            enough=False,
            code='model.compile(optimizer="adam", loss=loss,\n              jit_compile=True)',
        ),
        Advice(
            slug="mixed-precision",
            title="Compute in mixed_float16",
            text="Activations take half. The loss is scaled by itself.",
            required_bytes=6_120 * MIB,
            saved_bytes=5_280 * MIB,
            largest_batch_size=150,
            enough=True,
            changes_results=True,
            code='keras.config.set_dtype_policy("mixed_float16")',
        ),
    ),
    reasons=("The executor may run branches in another order: up to 3 % more.",),
    seconds=3.24,
)

FITS = msgspec.structs.replace(
    TOO_LARGE,
    batch_size=64,
    step=msgspec.structs.replace(
        TOO_LARGE.step,
        inputs=(("keras_tensor", (64, 224, 224, 3), "float32"), ("y", (64,), "int64")),
    ),
    required_bytes=Range(5_700 * MIB, 6_000 * MIB, 6_500 * MIB),
    comfortable_bytes=Range(6_400 * MIB, 7_700 * MIB, 9_800 * MIB),
    process_bytes=Range(6_900 * MIB, 8_300 * MIB, 10_400 * MIB),
    breakdown=Breakdown(weights=98 * MIB, optimizer=195 * MIB, gradients=97 * MIB,
                        activations=4_935 * MIB, workspace=500 * MIB, input=74 * MIB,
                        slack=101 * MIB, context=470 * MIB),
    curve=made_curve(6_000 * MIB, tuple(layer.name for layer in RESNET_LAYERS[:6])),
    micro_batch_size=64,
    fits=True,
    advice=(),
    measured=Measured(gpu="NVIDIA H200", runs_bytes=5_980 * MIB, fails_bytes=5_940 * MIB,
                      peak_bytes=7_710 * MIB, taken="2025-11-15"),
)  # fmt: skip

UNSURE = Plan(
    mode="xla",
    batch_size=256,
    step=Step(model="text_model", parameters=1_200_000, optimizer="adamw", loss="mse",
              policy="mixed_float16", mode_reason="jit_compile=auto: XLA on a GPU", replicas=4),
    required_bytes=Range(5 * GIB, 6 * GIB, 8 * GIB),
    comfortable_bytes=Range(5 * GIB, 6 * GIB, 8 * GIB),
    process_bytes=Range(6 * GIB, 7 * GIB, 9 * GIB),
    breakdown=Breakdown(weights=5 * MIB, optimizer=10 * MIB),
    card=Card(memory_bytes=8 * GIB, free_bytes=6 * GIB + 512 * MIB, usable_bytes=6 * GIB),
    largest_batch_size=180,
    micro_batch_size=128,
    unknown=(
        Unknown(part="PyFunc in the layer `tokens`", text="Python code runs there.",
                most_bytes=512 * MIB),
        Unknown(part="the custom train_step", text="It reads a file."),
    ),
)  # fmt: skip

NO_CARD = Plan(
    mode="graph",
    batch_size=32,
    step=Step(model="sequential", parameters=101_770, optimizer="sgd", loss="mse"),
    required_bytes=Range(1_700 * KIB, 1_700 * KIB, 1_700 * KIB),
    comfortable_bytes=Range(1_700 * KIB, 2 * MIB, 3 * MIB),
    process_bytes=Range(400 * MIB, 450 * MIB, 520 * MIB),
    breakdown=Breakdown(weights=398 * KIB, gradients=398 * KIB, activations=800 * KIB,
                        input=100 * KIB, slack=4 * KIB, context=440 * MIB),
    layers=(LayerCost(name="dense", kind="Dense", bytes=900 * KIB),),
    curve=Curve((), (Moment(bytes=KIB, phase="forward"), Moment(bytes=1_700 * KIB,
                phase="backward"), Moment(bytes=KIB, phase="update")), 1),
    batch_bytes=3 * KIB,
)  # fmt: skip

SHORTAGE = Shortage(
    batch_size=1,
    required_bytes=Range(8 * GIB, 9 * GIB, 10 * GIB),
    usable_bytes=7 * GIB,
    breakdown=Breakdown(weights=2 * GIB, optimizer=4 * GIB, gradients=2 * GIB, activations=GIB),
    too_large="state",
    layers=RESNET_LAYERS[:2],
    card_bytes=12 * GIB,
)
NOT_EVEN_ONE = msgspec.structs.replace(
    TOO_LARGE,
    largest_batch_size=0,
    micro_batch_size=None,
    batch_bytes=0,
    shortage=SHORTAGE,
    advice=(),
    layers=(),
)


def hostile_plan(text: str) -> Plan:
    """A plan in which every name and sentence is this text."""
    layer = LayerCost(name=text, kind=text, bytes=5 * MIB, grows_bytes=MIB)
    moment = Moment(bytes=MIB, phase="forward", layer=text, operation=text, held=(MIB // 2,))
    return Plan(
        mode="graph",
        batch_size=2,
        step=Step(
            model=text, optimizer=text, loss=text, policy=text, inputs=((text, (2, None), text),),
            mode_reason=text,
        ),
        required_bytes=Range(5 * MIB, 6 * MIB, 7 * MIB),
        comfortable_bytes=Range(5 * MIB, 6 * MIB, 7 * MIB),
        process_bytes=Range(5 * MIB, 6 * MIB, 7 * MIB),
        layers=(layer, layer),
        curve=Curve((text,), (moment, moment), 1),
        card=Card(name=text, memory_bytes=GIB, free_bytes=GIB, usable_bytes=GIB, origin=text),
        fits=True,
        advice=(Advice(slug=text, title=text, text=text, required_bytes=MIB, saved_bytes=MIB,
                       code=text),),
        unknown=(Unknown(part=text, text=text),),
        reasons=(text,),
        measured=Measured(gpu=text, runs_bytes=MIB, taken=text),
    )  # fmt: skip


PLANS = {
    "plan that is too large": TOO_LARGE,
    "plan that fits": FITS,
    "plan that is not sure": UNSURE,
    "plan without a card": NO_CARD,
    "plan for which nothing fits": NOT_EVEN_ONE,
}
