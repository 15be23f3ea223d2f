"""The driver reports an error of the GPU (Xid)."""

from collections.abc import Iterator

from fitguard.knowledge import knowledge
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix

_APPLICATION = "RESTART_APP"


@detector("FG513", "gpu-xid", cause="hardware-fault")
def gpu_xid(record: FlightRecord, _: Settings) -> Iterator[Alert]:
    """
    ## What it means
    The NVIDIA driver reported an Xid error while the training ran. The number says what happened: a
    fault of the hardware, of the bus, of the driver, or of a program.

    ## How it is judged
    By the events of NVML: the newest number, as soon as it comes. The meaning is that of NVIDIA's
    catalogue.

    ## How to fix it
    What the catalogue asks for: restart the program, reset the GPU, or have it looked at. If the
    training dies of it, `fitguard run` leaves out the GPU or restarts, as its policy says.

    ## When this is wrong
    Another program on the same GPU may have caused it.

    ## References
    - NVIDIA: Xid errors
    """
    for index in record.list_gpus():
        numbers = [int(value) for value in record.get(f"gpu_xid:{index}").last if value > 0]
        if not numbers:
            continue
        meaning = knowledge().xids.find(numbers[-1])
        name = f": {meaning.name}" if meaning else ""
        of_program = meaning is not None and meaning.action == _APPLICATION
        yield Alert(
            severity="warning" if of_program else "error",
            subject=f"GPU {index}, Xid {numbers[-1]}",
            title=f"GPU {index} had an error, Xid {numbers[-1]}{name}",
            evidence=(Evidence(f"The driver reported Xid {numbers[-1]}{name}.", "NVML"),),
            fix=Fix(
                (meaning.action_text if meaning else "")
                or "Look at the kernel log (dmesg), and at NVIDIA's list of Xid errors."
            ),
            numbers={"xid": numbers[-1]},
        )
