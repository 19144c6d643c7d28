# SPDX-License-Identifier: Apache-2.0
"""The counts of a build with --coverage: how often each line ran, summed over all programs and libraries."""
import bisect
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

# Of the build: where the sources of loader/ and compat/ are compiled.
FOLDERS = ("compat", "loader", "stubs", "linker")


@dataclasses.dataclass
class Source:
    """`counts`: line number to times run. `functions`: (first line, last line, name)."""
    counts: dict = dataclasses.field(default_factory=dict)
    functions: set = dataclasses.field(default_factory=set)

    def covered(self):
        return sum(1 for count in self.counts.values() if count)

    def unreached(self):
        return sorted(line for line, count in self.counts.items() if not count)

    def function_of(self, line):
        """The innermost function around the line, as (first line, last line, name)."""
        around = [f for f in self.functions if f[0] <= line <= f[1]]
        return max(around, default=(0, 0, ""))

    def is_reached(self, function):
        lines = sorted(self.counts)
        inside = lines[bisect.bisect_left(lines, function[0]):bisect.bisect_right(lines, function[1])]
        return any(self.counts[line] for line in inside)


def plain_name(demangled):
    """`void anycuda::(anonymous namespace)::A<int>::f(int)::{lambda()#1}::operator()() const` is f."""
    name = demangled.replace("(anonymous namespace)::", "").replace("operator()", "call_operator")
    name = name.split("(", 1)[0]
    while True:
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    return name.split(" ")[-1].split("::")[-1]


def _gcov(gcov, source, notes):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([gcov, "--json-format", "--stdout", "--demangled-names", *map(str, notes)],
                                cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{gcov} failed: {result.stderr.strip()}")
    found = {}
    for line in result.stdout.splitlines():
        if line.startswith("{"):
            _add(found, json.loads(line), source)
    return found


def _add(found, record, source):
    for file in record["files"]:
        path = pathlib.Path(record["current_working_directory"], file["file"])
        try:
            name = path.resolve().relative_to(source).as_posix()
        except ValueError:
            continue
        if name.split("/")[0] not in ("loader", "compat"):
            continue
        entry = found.setdefault(name, Source())
        for line in file["lines"]:
            number = line["line_number"]
            entry.counts[number] = entry.counts.get(number, 0) + line["count"]
        for function in file["functions"]:
            entry.functions.add((function["start_line"], function["end_line"], plain_name(function["demangled_name"])))


def read_counts(gcov, source, build, workers):
    """{file: Source} for the files of loader/ and compat/. A file that never ran has counts of zero."""
    source, build = source.resolve(), build.resolve()
    # Not in tests/: of these folders the test programs compile inline functions of headers, which the others have, too.
    folders = [build / name for name in FOLDERS]
    notes = sorted(file for folder in folders for file in folder.rglob("*.gcno"))
    if not notes:
        raise SystemExit(f"{build} has no *.gcno: it is not a build of the preset coverage")
    if not any(file.with_suffix(".gcda").exists() for file in notes):
        raise SystemExit(f"{build} has no *.gcda: run its tests first")
    chunks = [notes[i:i + 8] for i in range(0, len(notes), 8)]
    total = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for found in pool.map(lambda chunk: _gcov(gcov, source, chunk), chunks):
            for name, entry in found.items():
                into = total.setdefault(name, Source())
                into.functions |= entry.functions
                for line, count in entry.counts.items():
                    into.counts[line] = into.counts.get(line, 0) + count
    return total
