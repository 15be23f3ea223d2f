"""The memory planner: what a training step needs of a GPU, without one."""
