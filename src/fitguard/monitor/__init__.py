"""The record of a guarded run, as parent and child write it: journal, heartbeat, flight record."""
