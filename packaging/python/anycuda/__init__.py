"""The anycuda command. Python's standard library alone; see README.md in packaging/."""
