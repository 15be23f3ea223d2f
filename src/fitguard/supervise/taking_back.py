"""GPUs that were left out: where the run is resumed, they are probed, and taken back if well."""

import msgspec

from fitguard.environment.machine import DEVICE_ORDER, VISIBLE_DEVICES, MachineView, view_machine
from fitguard.schema.journal import Orders
from fitguard.schema.probe import ProbeReport
from fitguard.supervise.desk import Desk
from fitguard.supervise.pausing import Asked
from fitguard.supervise.probing_again import build_event, probe_again
from fitguard.supervise.sick_gpus import leave_out_sick_gpus

_SHOWN = (VISIBLE_DEVICES, DEVICE_ORDER)


def probe_left_out(desk: Desk, orders: Orders) -> Orders | Asked:
    """Orders with those GPUs that are well now; or what somebody wants of the run meanwhile."""
    if VISIBLE_DEVICES not in orders.environment:
        return orders
    if desk.options.exact_only or not desk.options.probe:
        desk.say("goes on without the GPUs that were left out before.")
        return orders
    environment = {**desk.environment, **with_all_gpus(orders).environment}
    machine = view_machine(environment)
    desk.say("probes the GPUs, because some were left out before.")
    report = probe_again(desk, environment, machine)
    if not isinstance(report, ProbeReport):
        return report
    desk.record.add(build_event(report, orders.attempt))
    orders, text = take_back(orders, msgspec.structs.replace(machine, probed=report))
    desk.say(text)
    return orders


def with_all_gpus(orders: Orders) -> Orders:
    """The same orders, with every GPU that the user's own settings show."""
    environment = {name: value for name, value in orders.environment.items() if name not in _SHOWN}
    return msgspec.structs.replace(orders, environment=environment)


def take_back(orders: Orders, machine: MachineView) -> tuple[Orders, str]:
    """Orders for what the probes found, and a sentence to say so.

    Args:
        orders: Of the attempt before, with the GPUs left out.
        machine: With all GPUs, and what the probes say of them.
    """
    if machine.probed is None or not any(
        result.status == "pass" for result in machine.probed.results
    ):
        return orders, "The GPUs that were left out could not be probed, and stay left out."
    found = leave_out_sick_gpus(machine, (), any_xid=False)
    everyone = with_all_gpus(orders)
    if found is not None:
        environment, named = found
        kept = msgspec.structs.replace(
            everyone, environment={**everyone.environment, **environment}
        )
        return kept, f"It goes on without {named}."
    if not machine.probed.ok:
        return orders, "Not every GPU passes its probes: those that were left out stay so."
    return everyone, (
        "The GPUs that were left out compute correctly, and are used again. With more GPUs, sums"
        " are computed in another order, which changes the last digits."
    )
