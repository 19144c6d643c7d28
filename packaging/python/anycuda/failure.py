"""What went wrong, in a sentence for the person at the keyboard."""


class Failure(Exception):
    """Ends the command with this message and exit status 2."""


class OutputFailure(Exception):
    """stdout takes no more text: neither the fault of an input nor of the folder that is worked in."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
