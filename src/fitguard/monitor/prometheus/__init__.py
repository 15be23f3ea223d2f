"""What runs have measured and done, as Prometheus reads it. prometheus-client is an extra."""
