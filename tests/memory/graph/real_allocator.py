"""Asks TensorFlow itself; run as a script, with the limit of its allocator in the environment.

Standard input: the size of the region, and rounds; each is a list of [name, bytes], where bytes is
null to give back what has that name, and ends with [null, bytes] for a block that there should be
no room for. Standard output: for each round, what is in use after each action, and whether the last
one had to wait; and the peak of each function of `step_functions`.
"""

import json
import sys
import threading

import step_functions
import tensorflow as tf

LONG_ENOUGH_SECONDS = 0.7


def main() -> None:
    request = json.load(sys.stdin)
    small = take(1)  # lies in a region of its own, as all that is small
    take(request["region_bytes"])  # all that is left becomes one region
    answer = {
        "rounds": [played(actions, base=in_use()) for actions in request["rounds"]],
        "peaks": {name: peak(step) for name, step in step_functions.FUNCTIONS.items()},
    }
    del small
    json.dump(answer, sys.stdout)


def take(size: int) -> tf.Tensor:
    """Memory that nobody writes to: it costs the machine nothing."""
    return tf.raw_ops.Empty(shape=[size], dtype=tf.uint8, init=False)


def in_use() -> int:
    return int(tf.config.experimental.get_memory_info("CPU:0")["current"])


def played(actions: list[tuple[str | None, int | None]], base: int) -> list[int | bool]:
    held: dict[str, tf.Tensor] = {}
    seen: list[int | bool] = []
    for name, size in actions:
        if name is None:
            seen.append(has_to_wait(size, held))
            continue
        if size is None:
            del held[name]
        else:
            held[name] = take(size)
        seen.append(in_use() - base)
    return seen


def has_to_wait(size: int, held: dict[str, tf.Tensor]) -> bool:
    """TensorFlow tries for ten seconds before it gives up; here all others are given back soon."""
    asking = threading.Thread(target=take, args=(size,))
    asking.start()
    asking.join(LONG_ENOUGH_SECONDS)
    waits = asking.is_alive()
    held.clear()
    asking.join()
    return waits


def peak(step: step_functions.Step) -> int:
    """In the second run, without the input."""
    given = tf.ones((step_functions.BATCH, step_functions.WIDTH))
    function = tf.function(step)
    function(given)
    before = in_use()
    tf.config.experimental.reset_memory_stats("CPU:0")
    function(given)
    return int(tf.config.experimental.get_memory_info("CPU:0")["peak"]) - before


if __name__ == "__main__":
    main()
