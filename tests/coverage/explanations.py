# SPDX-License-Identifier: Apache-2.0
"""unreached.txt: why a line does not run.

    compat/base/arena.cc
      allocate | return nullptr;
      release | *
        The reason, for the lines above it.

A line is named by its function and its text, so that it may move; `*` is each line of a function that never runs.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Key:
    file: str
    function: str
    text: str

    def __str__(self):
        return f"{self.file}: {self.function} | {self.text}"


def parse(text):
    """{Key: reason}. ValueError with the line that is wrong."""
    reasons = {}
    file = None
    keys = []
    reason = []

    def close():
        if keys and not reason:
            raise ValueError(f"{keys[-1]}: expected a reason below it")
        for key in keys:
            reasons[key] = " ".join(reason)
        keys.clear()
        reason.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            close()
            file = line.strip()
        elif line.startswith("    "):
            if not keys:
                raise ValueError(f"line {number}: expected a line of code above the reason")
            reason.append(line.strip())
        else:
            function, bar, code = line.strip().partition(" | ")
            if file is None or not bar or not code:
                raise ValueError(f"line {number}: expected `function | text of the line` below a file name")
            if reason:
                close()
            key = Key(file, function, code)
            if key in reasons or key in keys:
                raise ValueError(f"line {number}: explained twice: {key}")
            keys.append(key)
    close()
    return reasons


def match(reasons, counts, read_lines):
    """([(Key, line number)] of unreached lines without a reason, [Key] of reasons without such a line).

    `read_lines(file)` gives the text of a source, line by line."""
    unexplained = []
    used = set()
    for file in sorted(counts):
        source = counts[file]
        unreached = source.unreached()
        if not unreached:
            continue
        lines = read_lines(file)
        for line in unreached:
            function = source.function_of(line)
            key = Key(file, function[2], lines[line - 1].strip())
            whole = Key(file, function[2], "*")
            if key in reasons:
                used.add(key)
            elif whole in reasons and not source.is_reached(function):
                used.add(whole)
            else:
                unexplained.append((key, line))
    return unexplained, [key for key in reasons if key not in used]
