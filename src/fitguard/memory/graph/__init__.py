"""Graph mode: the traced step, rewritten as TensorFlow would for a GPU, and run on paper."""
