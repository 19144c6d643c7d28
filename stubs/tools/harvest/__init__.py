# SPDX-License-Identifier: Apache-2.0
"""Makes the ABI database (stubs/*/abi) from real headers and libraries: python3 -m harvest --help."""
