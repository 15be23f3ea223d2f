"""Documents to show: healthy, broken and hostile reports, a resolution found and one not found.

The GPU is a real H200 as nvidia-smi described it, in use by one training process.
"""

import msgspec
from report.data_reports import (
    BAD_LABELS,
    HEALTHY_DATA,
    MANY_COLUMNS,
    PIPELINE_FINDINGS,
    hostile_data,
)
from report.diagnoses import (
    DECIDED,
    NOBODY_FIRST,
    NOTHING_KNOWN,
    NOTHING_WRONG,
    OF_WORKERS,
    UNDECIDED,
    hostile_diagnosis,
)
from report.made_checks import hostile_check, made_checks
from report.made_fleets import FLEETS, hostile_fleet
from report.made_nights import NIGHTS, hostile_night
from report.made_plans import PLANS, hostile_plan
from report.made_probes import HEALTHY_PROBES, SICK_PROBES, hostile_probes
from report.made_runs import RUNS, hostile_list, hostile_moment, hostile_run
from report.made_surveys import DIFFERENT_NODES, SICK_NODES, hostile_survey

from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts, FailedProbe
from fitguard.schema.finding import Evidence, Finding, Fix, Skipped
from fitguard.schema.hardware import (
    Container,
    Cpu,
    DeviceNode,
    Driver,
    Gpu,
    GpuProcess,
    Host,
    KernelLog,
    Xid,
)
from fitguard.schema.notice import RunNotice
from fitguard.schema.resolution import Install, Opening, Rejected, Resolution, VersionSet
from fitguard.schema.software import (
    CudaLibraries,
    Library,
    Package,
    Packages,
    Platform,
    Python,
    TensorFlow,
)

MIB = 2**20
GIB = 2**30
SITE = "/home/ann/mnist/.venv/lib/python3.11/site-packages"
UUID = "GPU-5a1b2c3d-1111-2222-3333-444455556666"
NASTY = "\x1b[31m\x9b2J\x07\r\u202e<script>alert(1)</script> | `x` ```\n[bold]hi[/bold] \x00 ]]>"
UNSEEN = "\x7f\xad\u061c\u180e\u200b\u202e\u2066\ufeff\ufff9\ufffb\U000e0001\U000e007f"
"""Characters that a terminal obeys, or that nobody sees."""

H200 = Gpu(
    index=0,
    name="NVIDIA H200",
    uuid=UUID,
    pci_address="00000000:00:06.0",
    compute_capability="9.0",
    architecture="Hopper",
    memory_bytes=143771 * MIB,
    used_bytes=141445 * MIB,
    processes=(
        GpuProcess(pid=4711, name="/home/ann/mnist/.venv/bin/python", used_bytes=138 * GIB),
    ),
    ecc_enabled=True,
    ecc_uncorrected=0,
    temperature_celsius=41,
    power_limit_watts=700.0,
    mig_enabled=False,
    compute_mode="Default",
    persistence=True,
    display_attached=True,
    origin="NVML",
)

PLATFORM = Platform(
    system="linux",
    machine="x86_64",
    distribution="Debian GNU/Linux 12 (bookworm)",
    kernel="6.1.0-28-amd64",
    libc="glibc 2.36",
)


def library(component: str, major: str, version: str) -> Library:
    """A library as a wheel of NVIDIA ships it."""
    soname = f"lib{component}.so.{major}"
    return Library(
        component=component,
        soname=soname,
        path=f"{SITE}/nvidia/{component}/lib/{soname}",
        version=version,
        version_from="the wheel's metadata",
        found_by="RUNPATH of libtensorflow_cc.so.2",
        package=f"nvidia-{component}-cu12",
    )


FACTS = Facts(
    python=Python(version="3.11.2", executable="/home/ann/mnist/.venv/bin/python"),
    platform=PLATFORM,
    packages=Packages(
        found=(
            Package(name="tensorflow", version="2.18.0", location=SITE, installer="pip"),
            Package(name="keras", version="3.8.0", location=SITE, installer="pip"),
            Package(name="numpy", version="2.0.2", location=SITE, installer="pip"),
        ),
        complete=True,
    ),
    tensorflow=TensorFlow(
        version="2.18.0", package="tensorflow", cuda_build=True, cuda="12.5.1", cudnn="9"
    ),
    libraries=CudaLibraries(
        found=(
            library("cudart", "12", "12.5.82"),
            library("cublas", "12", "12.5.3.2"),
            library("cudnn", "9", "9.1.0"),
        ),
        complete=True,
    ),
    driver=Driver(
        version="580.159.04",
        kernel_version="580.159.04",
        cuda="13.0",
        nodes=(DeviceNode("/dev/nvidia0", accessible=True),),
        origin="NVML",
    ),
    gpus=(H200,),
    kernel_log=KernelLog(readable=False, problem="dmesg: Operation not permitted"),
    container=Container(runtime="docker", evidence="/.dockerenv"),
    cpu=Cpu(model="Intel(R) Xeon(R) Platinum 8468", cores=16, features=("avx2", "fma")),
    host=Host(ram_bytes=128 * GIB, shm_bytes=64 * MIB, limits={"nofile": 1024}),
    environment={"CUDA_VISIBLE_DEVICES": UUID, "TF_CPP_MIN_LOG_LEVEL": "3"},
)

NO_GPU = Facts(
    python=Python(version="3.11.2", executable="/usr/bin/python3"),
    platform=PLATFORM,
    packages=Packages(
        found=(
            Package(name="tensorflow-cpu", version="2.21.0"),
            Package(name="keras", version="3.12.0"),
        ),
        complete=True,
    ),
    tensorflow=TensorFlow(version="2.21.0", package="tensorflow-cpu", cuda_build=False),
    libraries=CudaLibraries(complete=True),
    driver=Driver(),
    gpus=(),
)

HEALTHY = DoctorReport(
    ok=True,
    passed=("FG101", "FG102", "FG301"),
    skipped=(Skipped("FG204", "cudnn-too-old", "the fact `gpus` is missing"),),
    facts=NO_GPU,
)

CUDNN_TOO_OLD = Finding(
    code="FG204",
    slug="cudnn-too-old",
    severity="error",
    title="cuDNN 9.1.0 will be loaded, but TensorFlow 2.18.0 was built with cuDNN 9.3.0",
    evidence=(
        Evidence(
            "cuDNN 9.1.0",
            f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9 (by RUNPATH)",
            path=f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9",
        ),
        Evidence("TensorFlow 2.18.0 was built with cuDNN 9.3.0", "knowledge: tensorflow.toml", 812),
    ),
    fix=Fix(
        "Install cuDNN 9.3 or a newer 9.x into the same environment.",
        ('/home/ann/mnist/.venv/bin/python -m pip install "nvidia-cudnn-cu12>=9.3,<10"',),
    ),
)
GPU_BUSY = Finding(
    code="FG305",
    slug="gpu-busy",
    severity="warning",
    confidence="medium",
    title="Other processes hold 138.1 of 140.4 GiB of GPU 0",
    evidence=(Evidence("process 4711 (python) holds 138.0 GiB", "NVML"),),
    fix=Fix("Wait until process 4711 ends, or choose another GPU.", changes_results=False),
)
LOG_LEVEL = Finding(
    code="FG712",
    slug="env-override",
    severity="info",
    confidence="low",
    title="TF_CPP_MIN_LOG_LEVEL=3 hides TensorFlow's own errors",
    evidence=(Evidence("TF_CPP_MIN_LOG_LEVEL=3", "environment variable"),),
    fix=Fix("Take the variable away.", ("unset TF_CPP_MIN_LOG_LEVEL", "env | grep TF_"), True),
)

BROKEN = DoctorReport(
    ok=False,
    findings=(GPU_BUSY, CUDNN_TOO_OLD, LOG_LEVEL),
    skipped=(Skipped("FG306", "gpu-unhealthy", "the kernel log cannot be read"),),
    passed=tuple(f"FG1{number:02}" for number in range(1, 21)),
    facts=FACTS,
)

ONE_CHECK_BROKE = msgspec.structs.replace(
    HEALTHY, skipped=(*HEALTHY.skipped, Skipped("FG305", "gpu-busy", "KeyError: 'used_'", True))
)
SAME_FIX = DoctorReport(
    ok=False,
    findings=(
        CUDNN_TOO_OLD,
        msgspec.structs.replace(CUDNN_TOO_OLD, code="FG205", slug="cudnn-major-mismatch"),
    ),
)


def hostile(text: str) -> DoctorReport:
    """A report in which every free string is the given one."""
    return DoctorReport(
        ok=False,
        findings=(
            Finding(
                code="FG999",
                slug="hostile",
                title=text,
                evidence=(Evidence(text, text, 3), Evidence(text, text, None, f"/tmp/{text}")),
                fix=Fix(text, (text,)),
            ),
        ),
        skipped=(Skipped("FG998", text, text), Skipped("FG997", text, text, True)),
        facts=Facts(
            python=Python(version=text, executable=text),
            platform=Platform(system=text, distribution=text),
            packages=Packages(found=(Package(name=text, version=text),)),
            tensorflow=TensorFlow(version=text, package=text, cuda=text, cudnn=text),
            libraries=CudaLibraries(
                found=(Library(component="cudnn", soname=f"libcudnn.so.{text}", path=text),)
            ),
            gpus=(Gpu(name=text, processes=(GpuProcess(1, text),)),),
            kernel_log=KernelLog(readable=True, xids=(Xid(79, text),)),
            container=Container(runtime=text),
            environment={text: text},
            failed_probes=(FailedProbe(text, text),),
        ),
    )


HOSTILE = hostile(NASTY)

FOUND = Resolution(
    ok=True,
    given={"gpu": "NVIDIA GeForce RTX 3060", "driver": "535.54.03", "os": "linux-x86_64"},
    chosen=VersionSet(
        tensorflow="2.15.1",
        package="tensorflow[and-cuda]",
        python="3.11",
        cuda="12.2",
        cudnn="8.9",
        keras="2.15.0",
        numpy=">=1.23.5,<2",
        driver_min="525.60.13",
        notes=("The first run compiles kernels for some minutes.",),
        install=(
            Install("pip", ('python3.11 -m pip install "tensorflow[and-cuda]==2.15.1"',)),
            Install("container", ("docker run --gpus all tensorflow/tensorflow:2.15.0-gpu",),
                    "The image has 2.15.0; there is none for 2.15.1."),
        ),
    ),
    rejected=(
        Rejected(("2.21.0", "2.20.0", "2.19.1", "2.19.0", "2.18.1"), ("FG304",), "need driver 545"),
        Rejected(("2.16.1",), (), "has a defect in its GPU loading"),
    ),
)  # fmt: skip

NOT_FOUND = Resolution(
    ok=False,
    given={"gpu": "Tesla K80", "driver": "470.256.02", "python": "3.12"},
    rejected=(Rejected(("2.16.1",), ("FG310",), "carry no code for compute capability 3.7"),),
    openings=(Opening("Python 3.10 instead of 3.12", "2.10.1"),),
)

NOTICE = RunNotice(
    event="restart",
    run="night-1",
    time=1.8e9,
    attempt=1,
    text="Attempt 1 crashed with SIGSEGV. It is started again, from the beginning.",
    command=("train.py", "--token", "hf_0123456789abcdefghij"),
    outcome="crashed",
    cause="illegal-memory-access",
    why="A kernel wrote where it must not.",
    evidence=("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",),
    action="restart",
)
HOSTILE_NOTICE = RunNotice(
    event="alert", run=NASTY, time=0.0, text=NASTY, cause=NASTY, why=NASTY, evidence=(NASTY,) * 2
)

DOCUMENTS = {
    "healthy": HEALTHY,
    "broken": BROKEN,
    "one check broke": ONE_CHECK_BROKE,
    "same fix": SAME_FIX,
    "hostile": HOSTILE,
    "facts": FACTS,
    "no facts": Facts(),
    "found": FOUND,
    "not found": NOT_FOUND,
    "decided": DECIDED,
    "undecided": UNDECIDED,
    "of workers": OF_WORKERS,
    "nobody first": NOBODY_FIRST,
    "nothing wrong": NOTHING_WRONG,
    "nothing known": NOTHING_KNOWN,
    "hostile diagnosis": hostile_diagnosis(NASTY),
    "hostile and undecided": hostile_diagnosis(NASTY, decided=False),
    "healthy data": HEALTHY_DATA,
    "bad labels": BAD_LABELS,
    "pipeline": PIPELINE_FINDINGS,
    "many columns": MANY_COLUMNS,
    "hostile data": hostile_data(NASTY),
    "notice": NOTICE,
    "hostile notice": HOSTILE_NOTICE,
    **PLANS,
    "hostile plan": hostile_plan(NASTY),
    **RUNS,
    "hostile run": hostile_run(NASTY),
    "hostile list of runs": hostile_list(NASTY),
    "hostile moment": hostile_moment(NASTY),
    **NIGHTS,
    "hostile night": hostile_night(NASTY),
    **made_checks(HEALTHY, BROKEN),
    "hostile check": hostile_check(NASTY, HOSTILE),
    **FLEETS,
    "hostile fleet": hostile_fleet(NASTY),
    "healthy probes": HEALTHY_PROBES,
    "sick probes": SICK_PROBES,
    "hostile probes": hostile_probes(NASTY),
    "different nodes": DIFFERENT_NODES,
    "sick nodes": SICK_NODES,
    "hostile survey": hostile_survey(NASTY),
}
