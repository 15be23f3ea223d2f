"""Remedies that several checks give, with commands that fit the platform."""
