"""Reports of probes to show: a healthy GPU, a sick one, no GPU, hostile texts."""

from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Evidence, Fix
from fitguard.schema.probe import ProbedDevice, ProbeReport, ProbeResult, Rate, Reproduction

_H200 = ProbedDevice(label="GPU 0", name="NVIDIA H200", uuid="GPU-5a1b", pci_address="0000:17:00.0")

HEALTHY_PROBES = ProbeReport(
    python="/home/ann/venv/bin/python",
    tensorflow="2.21.0",
    devices=(_H200,),
    results=(
        ProbeResult(
            name="matmul-float32",
            device="GPU 0",
            status="pass",
            seconds=2.31,
            detail="1024 x 1024 matrices in float32: error 1.1e-07 of 8.3e-07 allowed.",
            rates=(
                Rate(
                    name="matmul-float32",
                    value=51.3,
                    unit="TFLOP/s",
                    expected=67.0,
                    verdict="fine",
                    source="NVIDIA H200 data sheet",
                ),
                Rate(
                    name="host-to-device",
                    value=3.1,
                    unit="GB/s",
                    expected=64.0,
                    verdict="slow",
                    reasons=("The link runs at PCIe 5.0 x4, and could run at x16.",),
                ),
            ),
        ),
        ProbeResult(name="all-reduce", device="GPU 0", status="skip", detail="The time was up."),
    ),
    seconds=48.2,
)

SICK_PROBES = ProbeReport(
    level="medium",
    devices=(_H200,),
    results=(
        ProbeResult(
            name="memory-pattern",
            device="GPU 0",
            status="fail",
            seconds=31.0,
            detail="block 17 differs in 1 bits. It gave another result when it was repeated.",
            diagnosis=Diagnosis(
                primary="hardware-fault",
                causes=(
                    FoundCause(
                        cause="hardware-fault",
                        confidence="high",
                        evidence=(Evidence("wrong result", "log"),),
                        why="A known computation gave a wrong result.",
                        fix=Fix(
                            "Have the card replaced, or set `run_eagerly=True`.",
                            ("nvidia-smi -q -d ECC",),
                        ),
                    ),
                ),
            ),
            log=("fitguard probe memory-pattern on GPU 0: wrong result",),
        ),
        ProbeResult(name="xla", device="GPU 0", status="timeout", detail="It was stopped."),
    ),
    like="train.py",
    reproductions=(
        Reproduction(probe="like/conv", script="import tensorflow as tf\nprint(1)", facts=("a",)),
    ),
)


def hostile_probes(text: str) -> ProbeReport:
    """Every string is hostile."""
    result = ProbeResult(name=text, device=text, status="crash", detail=text, log=(text,), rates=())
    return ProbeReport(
        python=text,
        tensorflow=text,
        devices=(ProbedDevice(label=text, name=text),),
        results=(result,),
        notes=(text,),
        like=text,
        reproductions=(Reproduction(probe=text, script=text, facts=(text,)),),
    )
