"""The parent of a guarded run: starts the training, watches it, decides what to do when it dies.

guarding.py draws the loop. An attempt goes this way:

    live_attempt ──> Observation ──> postmortem ──> AttemptEnded ──> the journal
    the journal ──> past_attempts ──> deciding ──> Next: stop, or Orders for the next attempt

The run
    guarding.py       the loop; the door of the room
    command.py, interpreters.py, options.py
                      what the user typed: the program, its Python, how to guard it
    choosing.py, naming.py
                      which run is meant: a new one, or one that goes on; its id or name
    claim.py          a new folder, or that of a run that is resumed
    lock.py, lease.py, lease_owner.py
                      one parent holds it: on one host, and where others share the folder
    desk.py           what all attempts share
    company.py        whom it waits for and tells its end: nobody, or the other workers of a gang
    gang/             several workers of one training, guarded together
    record.py         writes events, run.json and orders
    runs.py, past_runs.py, all_runs.py
                      runs that can be resumed; runs as documents, for `report` and `runs`
    copied_by_ray.py  folders that are copies of one of the user
    pruning.py        runs that are not needed any more
    soaking.py, soak_progress.py, soak_report.py, soak_notes.py
                      a run that trains nothing: known computations, each result checked
    surroundings.py   what was measured around a moment
    after_snapshot.py what the user wants done after each finished snapshot
    linked_copy.py    the folder of a run as it is at one moment
    hook_thread.py    the thread of that, and of notices
    outlets.py        where a run is seen from outside; metrics for Prometheus
    notifying.py, notices.py, notice_targets.py, board.py
                      tells people of it, and TensorBoard
    telling.py        what the user reads at the start and at the end

One attempt, while it runs
    live_attempt.py   starts the child and stays with it
    child.py          the process, from its start to its ExitStatus
    output.py, channels.py, pump.py, output_log.py
                      its output: to the user, and to a file
    autotuned/        what XLA has found out about kernels, from one process to the next
    standard_input.py what it reads, kept for the next attempt
    inbox.py          signals that the parent gets
    preemption.py, spot.py
                      how schedulers and clouds ask a run to leave, and with how much time
    departure.py      how the child is made to leave
    orphans.py        what it leaves behind: ended, or left alone
    carrier.py        carries what that writes when the parent has gone
    vigil.py          looks whether it still trains: hang.py, autotuning.py
    alarm.py          tells what the detectors find, and what memory is about to end for
    allocation_failures.py
                      what TensorFlow's log tells of its allocator

Why it ended
    postmortem.py     outcome, cause and evidence
    outcomes.py       the outcome, by rule

What comes next
    past_attempts.py  the attempts so far, out of the journal
    deciding.py       pure: attempts in, Next out
    attribution.py    the row of the policy for a cause
    progress.py       whether the run gets anywhere
    remedies.py       each remedy of the policy, put into orders
    sick_gpus.py      the GPUs to leave out
    probing_again.py  the GPUs are probed where the fault may be theirs
    taking_back.py    and those that were left out, when the run is resumed
    variables.py      what a run may set for its training
    cpu_limit.py      --memory-limit where there is no GPU
    wording.py        the decision as a sentence
    pausing.py, waiting.py
                      before the next attempt: a pause, or until memory is free
"""
