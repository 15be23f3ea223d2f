"""One number pair for a whole result, computed on the device: a wrong bit anywhere changes it.

A result is seen as words of 64 bits. The first number is the XOR of all words, the second the sum
of all words modulo 2**64, each multiplied by an odd weight of its own. A change of one word changes
both, because odd numbers can be divided by modulo 2**64. Words that changed places leave the XOR
alone, and change the sum.

No reduction of TensorFlow is used: those of integers run on the host in many versions, and the
result would have to be copied. Halves are put together instead, until few words are left.
"""

WORD_BYTES = 8
_ODD = 0x1E3779B97F4A7C15
"""An odd number whose multiples spread over all bits, below 2**63."""
_FINISHED_ON_HOST = 2**15
"""Words that are left to be put together there: each halving costs three kernels."""


def make_weights(tf, count):
    """An odd number for each word, on the device at hand."""
    numbers = tf.range(tf.constant(count, "int64"), dtype="int64")
    return (numbers * 2 + 1) * _ODD


def to_words(tf, tensors):
    """What several tensors hold, as one vector of words; each must have whole words."""
    return tf.concat([_cut(tf, tensor) for tensor in tensors], 0)


def compute_checksum(tf, words, weights):
    """XOR and weighted sum, on the device; for `finish_checksum`, which needs some words more."""
    xor = _fold(tf, words, tf.bitwise.bitwise_xor)
    total = _fold(tf, words * weights, tf.add)
    return tf.stack([xor, total])


def finish_checksum(np, parts):
    """The two numbers, from 0 up to 2**64.

    Args:
        parts: What `compute_checksum` gave, as an array.
    """
    xor, total = parts.view(np.uint64)
    return int(np.bitwise_xor.reduce(xor)), int(np.add.reduce(total))


def compute_on_host(np, words):
    """The same of an array."""
    words = words.view(np.uint64)
    odd = np.arange(words.size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return finish_checksum(np, np.stack([words, words * (odd * np.uint64(_ODD))]))


def _cut(tf, tensor):
    if tensor.dtype == tf.int64:
        return tf.reshape(tensor, [-1])
    per_word = WORD_BYTES // tensor.dtype.size
    flat = tf.reshape(tensor, [-1, per_word] if per_word > 1 else [-1])
    return tf.bitcast(flat, tf.int64)


def _fold(tf, words, combine):
    count = int(words.shape[0])
    while count > _FINISHED_ON_HOST:
        half = count // 2
        rest = words[2 * half :]
        words = combine(words[:half], words[half : 2 * half])
        if count % 2:
            words = tf.concat([words, rest], 0)
        count = int(words.shape[0])
    return words
