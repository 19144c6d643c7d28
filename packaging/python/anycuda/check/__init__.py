"""`anycuda check` (command.py), and the verdict on a file or a wheel, which `anycuda repair` reports, too (findings.py)."""
