"""LSTM and GRU over sequences of different lengths."""

from . import arithmetic
from .training import open_keras

LSTM = "LSTM"
GRU = "GRU"
_GATES = {LSTM: 4, GRU: 3}


def check_layer(bench, kind):
    """Compare a layer of Keras and its gradients with the equations in float64.

    Args:
        kind: `LSTM` or `GRU`.

    Returns:
        A sentence that says whether cuDNN computed it.
    """
    arithmetic.allow_tf32(bench.tf, False)
    case = Case(bench, kind)
    got, on_cudnn = _run_layer(bench, kind, case)
    expected = case.compute_reference()
    # Errors of the steps are independent, and a gate lets less than all of them pass.
    bound = arithmetic.bound_sum("float32", case.units + case.inputs, case.steps**0.5)
    names = ["the outputs"] + ["the gradient by " + name for name in case.names]
    rows = [
        ("%s of the %s" % (name, kind), result, reference, bound)
        for name, result, reference in zip(names, got, expected)
    ]
    error = arithmetic.require_all_close(bench, rows)
    path = _tell_path(bench, on_cudnn)
    return "%s of %d units over %d steps %s: %s" % (kind, case.units, case.steps, path, error)


class Case(object):
    """Random sequences, right-padded, and the weights of a layer in the order of Keras."""

    names = ("the sequences", "the kernel", "the recurrent kernel", "the bias")

    def __init__(self, bench, kind):
        self.np, self.tf, self.kind = bench.np, bench.tf, kind
        sizes = (32, 32, 128, 256) if bench.on_gpu else (4, 6, 8, 16)
        batch, self.steps, self.inputs, self.units = sizes
        draw = arithmetic.draw_numbers(bench)
        wide = _GATES[kind] * self.units
        self.sequences = arithmetic.draw_array(draw, (batch, self.steps, self.inputs), 1.0)
        # Keras has two rows of biases in a GRU, as cuDNN has.
        bias = (wide,) if kind == LSTM else (2, wide)
        self.weights = [
            arithmetic.draw_array(draw, (self.inputs, wide), self.inputs**-0.5),
            arithmetic.draw_array(draw, (self.units, wide), self.units**-0.5),
            arithmetic.draw_array(draw, bias, 0.5),
        ]
        lengths = draw.randint(1, self.steps + 1, batch)
        lengths[0] = self.steps
        self.mask = self.np.arange(self.steps)[None, :] < lengths[:, None]
        # What stands after the end of a sequence is left to the implementation.
        weights = arithmetic.draw_array(draw, (batch, self.steps, self.units), 1.0)
        self.output_weights = weights * self.mask[:, :, None]

    def compute_reference(self):
        """Outputs and gradients in float64 on the CPU, from the equations."""
        tf = self.tf
        with tf.device("/CPU:0"):
            inputs = [tf.constant(one, "float64") for one in [self.sequences] + self.weights]
            weights = tf.constant(self.output_weights, "float64")
            found = arithmetic.differentiate(tf, self._run_equations, inputs, weights)
        return [self.np.array(one) for one in found]

    def _run_equations(self, sequences, kernel, recurrent, bias):
        tf = self.tf
        step = _step_lstm if self.kind == LSTM else _step_gru
        hidden = tf.zeros((self.sequences.shape[0], self.units), "float64")
        state, outputs = (hidden, hidden), []
        for number in range(self.steps):
            state = step(tf, sequences[:, number], state, kernel, recurrent, bias)
            outputs.append(state[0] * tf.constant(self.mask[:, number, None], "float64"))
        return tf.stack(outputs, axis=1)


def _step_lstm(tf, inputs, state, kernel, recurrent, bias):
    hidden, cell = state
    total = tf.matmul(inputs, kernel) + tf.matmul(hidden, recurrent) + bias
    enter, forget, candidate, leave = tf.split(total, 4, axis=1)
    cell = tf.sigmoid(forget) * cell + tf.sigmoid(enter) * tf.tanh(candidate)
    return tf.sigmoid(leave) * tf.tanh(cell), cell


def _step_gru(tf, inputs, state, kernel, recurrent, bias):
    hidden, _ = state
    of_inputs = tf.split(tf.matmul(inputs, kernel) + bias[0], 3, axis=1)
    of_state = tf.split(tf.matmul(hidden, recurrent) + bias[1], 3, axis=1)
    keep = tf.sigmoid(of_inputs[0] + of_state[0])
    reset = tf.sigmoid(of_inputs[1] + of_state[1])
    candidate = tf.tanh(of_inputs[2] + reset * of_state[2])
    hidden = keep * hidden + (1 - keep) * candidate
    return hidden, hidden


def _run_layer(bench, kind, case):
    tf = bench.tf
    keras = open_keras(bench)
    with tf.device(bench.device):
        layer = getattr(keras.layers, kind)(case.units, return_sequences=True)
        layer.build(case.sequences.shape)
        layer.set_weights(case.weights)
        shown = tf.constant(case.mask, "float32")[:, :, None]

        @tf.function
        def compute(sequences, mask, weights):
            with tf.GradientTape() as tape:
                tape.watch(sequences)
                outputs = layer(sequences, mask=mask) * shown
            sources = [sequences] + layer.trainable_variables
            return [outputs] + tape.gradient(outputs, sources, output_gradients=weights)

        arguments = [tf.constant(one) for one in (case.sequences, case.mask)]
        arguments.append(tf.constant(case.output_weights, "float32"))
        results = compute(*arguments)
        graph = compute.get_concrete_function(*arguments).graph.as_graph_def()
    return [bench.fetch(one) for one in results], _has_cudnn(graph)


def _has_cudnn(graph):
    nodes = list(graph.node)
    for function in graph.library.function:
        nodes += function.node_def
    return any(node.op.startswith("CudnnRNN") for node in nodes)


def _tell_path(bench, on_cudnn):
    if not bench.on_gpu:
        return "on the CPU, without cuDNN"
    return "through cuDNN" if on_cudnn else "without cuDNN, which Keras did not take"
