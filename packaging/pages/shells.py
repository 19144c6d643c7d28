# SPDX-License-Identifier: Apache-2.0
"""Completion of commands, options and their values for bash, zsh and fish, by shtab."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab


def files(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Name below share/ -> text."""
    # Readline completes files better than shtab's function, which does not know quotes.
    bash = shtab.complete(parser, "bash").replace("complete -o bashdefault ", "complete -o default ")
    for action in _actions(parser):
        if action.nargs != 0 and not action.choices:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    # shtab 1.13 offers files only for the first of several arguments.
    zsh = shtab.complete(parser, "zsh").replace('  "(*)::', '  "*:').replace('  "(*):', '  "*:')
    return {
        "bash-completion/completions/anycuda": bash,
        "zsh/site-functions/_anycuda": zsh,
        "fish/vendor_completions.d/anycuda.fish": shtab.complete(parser, "fish"),
    }


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from command._actions
        else:
            yield action
