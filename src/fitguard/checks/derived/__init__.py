"""Facts that several checks derive from those that were gathered."""
