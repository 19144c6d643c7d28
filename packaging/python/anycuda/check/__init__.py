"""`anycuda check` (command.py), and the verdict on a file or a wheel (findings.py), which `anycuda repair` reports."""
