# SPDX-License-Identifier: Apache-2.0
"""From the facts in stubs/*/abi to the entry points of a stub: model, rule, dispositions, outputs."""
