# SPDX-License-Identifier: Apache-2.0
"""`anycuda check` (command.py) and the verdict on a file or wheel (findings.py), which repair reports, too."""
