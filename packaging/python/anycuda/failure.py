# SPDX-License-Identifier: Apache-2.0
"""The exception for errors that a command reports to the user."""


class Failure(Exception):
    """Ends the command with this message (what failed, why, what to do) and exit status 2."""
