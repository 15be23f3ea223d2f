"""From the log of a dead run to ranked causes."""
