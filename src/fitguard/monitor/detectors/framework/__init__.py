"""How detectors are declared and run, and the statistics that several of them share."""
