"""Asks TensorFlow's own allocator; run as a script, with its limit in the environment.

Standard input: a list of rounds; each is a list of [name, bytes], where bytes is None to give back
what has that name, and ends with [None, bytes] for a block that there should be no room for.
Standard output: for each round, what is in use after each action, and whether the last one had to
wait. TensorFlow tries again for ten seconds before it gives up; the block is given as soon as all
others are given back.
"""

import json
import sys
import threading

import tensorflow as tf

LONG_ENOUGH_SECONDS = 1.0


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
    asking = threading.Thread(target=take, args=(size,))
    asking.start()
    asking.join(LONG_ENOUGH_SECONDS)
    waits = asking.is_alive()
    held.clear()
    asking.join()
    return waits


def main() -> None:
    request = json.load(sys.stdin)
    small = take(1)  # lies in a region of its own, as all that is small
    take(request["region_bytes"])  # all that is left becomes one region
    base = in_use()
    print(json.dumps([played(actions, base) for actions in request["rounds"]]))
    del small


if __name__ == "__main__":
    main()
