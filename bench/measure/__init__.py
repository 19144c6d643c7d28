# SPDX-License-Identifier: Apache-2.0
"""What bench/run.py is made of: instruments, the things measured, and the report."""
