"""The doctor and `resolve`: gathers or supposes facts, judges them, looks for a set that works."""
