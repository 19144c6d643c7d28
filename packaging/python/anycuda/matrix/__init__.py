"""`anycuda matrix` (command.py), and the cells that other commands read (data.py)."""
