"""What runs in the interpreter that trains: nothing but the standard library and TensorFlow."""
