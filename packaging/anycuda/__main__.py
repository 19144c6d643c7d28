"""The command line: `anycuda COMMAND ...`, or `python3 -m anycuda COMMAND ...`."""

from __future__ import annotations

import argparse
import os
import sys

from . import check, config, doctor, installation, matrix, patch, repair, run
from .failure import Failure

# Each is a module with NAME, SUMMARY, add_arguments(parser) and run(arguments) -> exit status.
COMMANDS = (check, patch, repair, run, doctor, matrix, config)


class _Version(argparse.Action):
    """Looked up only when asked for: every other option works without an installation."""

    def __call__(self, parser, *_) -> None:
        try:
            print(f"anycuda {installation.find().version}")
        except Failure as failure:
            parser.exit(2, f"anycuda: {failure}\n")
        parser.exit(0)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="anycuda", description="Tools around the stub libraries of anycuda."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        added = commands.add_parser(
            command.NAME, help=command.SUMMARY, description=command.SUMMARY, allow_abbrev=False
        )
        command.add_arguments(added)
        added.set_defaults(run=command.run, name=command.NAME)
    arguments = parser.parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except Failure as failure:
        print(f"anycuda {arguments.name}: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of stdout, such as `head`, has seen enough
        # What is still buffered must not fail again when Python closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
