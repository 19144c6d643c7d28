# SPDX-License-Identifier: Apache-2.0
"""`anycuda matrix` (command.py), and the cells that other commands read (data.py)."""
