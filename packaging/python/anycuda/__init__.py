# SPDX-License-Identifier: Apache-2.0
"""The anycuda command. Python's standard library alone; see README.md in packaging/."""
