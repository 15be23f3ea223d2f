"""Several guarded runs train one model together: what their parents agree on."""
