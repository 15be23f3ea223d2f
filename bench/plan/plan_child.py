"""Plan one step for some batch sizes, in a process of its own: one line of JSON for each.

python plan_child.py '["seen", "vit", "float32", "adam", false]' 32 64
"""

import json
import resource
import sys
import time
from typing import Any

import keras
import msgspec
from batches import optimizer_named
from built_models import LOSS, built_model, output_elements

import fitguard


def main() -> None:
    """Answer for each batch size; an error is an answer too."""
    kind, name, policy, optimizer, jit_compile = json.loads(sys.argv[1])
    keras.config.set_dtype_policy(policy)
    model = built_model(kind, name)
    for batch in map(int, sys.argv[2:]):
        answer = planned(model, batch, optimizer, jit_compile)
        print(json.dumps({"batch": batch, "outputs": output_elements(model), **answer}), flush=True)


def planned(model: keras.Model, batch: int, optimizer: str, jit_compile: bool) -> dict[str, Any]:
    """What fitguard says, and what that took."""
    started = time.perf_counter()
    try:
        plan = fitguard.plan(
            model,
            batch_size=batch,
            optimizer=optimizer_named(optimizer),
            loss=LOSS,
            jit_compile=jit_compile,
            advice=False,
        )
    except Exception as problem:
        return {"failed": f"{type(problem).__name__}: {problem}"}
    return {
        "required": msgspec.to_builtins(plan.required_bytes),
        "comfortable": msgspec.to_builtins(plan.comfortable_bytes),
        "process": msgspec.to_builtins(plan.process_bytes),
        "seconds": time.perf_counter() - started,
        "process_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


if __name__ == "__main__":
    main()
