"""The error for a training that could not be brought to its end."""

from fitguard.report.rows.run_words import find_named_cause
from fitguard.schema.exit_codes import TrainingDied
from fitguard.supervise.guarding import GuardResult
from fitguard.words import count


def build_death_error(result: GuardResult) -> TrainingDied:
    """Why it ended, in a few lines."""
    run = result.run
    tries = count(len(run.attempts), "attempt")
    lines = [f"The training ended after {tries} with exit code {result.exit_code}."]
    if run.attempts:
        last = run.attempts[-1]
        how = last.signal or last.outcome
        lines.append(f"  {how}: {find_named_cause(last) or 'no cause found'}. {last.why}".rstrip())
        lines += [f"  proof: {line.strip()}" for line in last.evidence[:3]]
    lines += [f"  {decision.text}" for decision in run.decisions[-1:]]
    lines.append(f"  All of it: fitguard report {run.id}")
    return TrainingDied("\n".join(lines))
