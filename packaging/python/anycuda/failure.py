# SPDX-License-Identifier: Apache-2.0
"""What went wrong, in a sentence for the person at the keyboard."""


class Failure(Exception):
    """Ends the command with this message and exit status 2."""
