# SPDX-License-Identifier: Apache-2.0
"""`anycuda matrix` (command.py), and the cells, which other commands also read (data.py)."""
