# SPDX-License-Identifier: Apache-2.0
"""The anycuda command, which needs only Python's standard library; see README.md in packaging/."""
