"""What is measured of a training from outside: readers of host and GPUs, and who asks them."""
