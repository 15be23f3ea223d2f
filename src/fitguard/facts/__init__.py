"""What is true here: probes that read the machine and change nothing."""
