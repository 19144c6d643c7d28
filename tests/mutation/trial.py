# SPDX-License-Identifier: Apache-2.0
"""Builds a test program with one file changed, and runs it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

COMPILER_LIMIT = 120  # seconds
# The smallest limit for a test program: a machine at work may be ten times slower for a moment.
SMALLEST_LIMIT = 10

QUICKLY = ["-O0"]  # compiling takes most of the time
OUTCOMES = ("killed", "crashed", "out of time", "equivalent", "not compiled", "survived")


class Broken(Exception):
    """The build folder is not as the tests leave it, or a test fails without a mutation."""


@dataclass(frozen=True)
class Command:
    folder: Path
    words: list[str]


class Build:
    """A build folder with its tests built, by makefiles or Ninja."""

    def __init__(self, folder: Path):
        self.folder = folder
        file = folder / "compile_commands.json"
        if not file.is_file():
            raise Broken(f"{file} is missing: the mutants are compiled as it says")
        self._rows = json.loads(file.read_text(encoding="utf-8"))

    def compilation(self, source: Path) -> Command:
        """How the product compiles this file; the tests may compile it once more, with other flags."""
        for row in self._rows:
            words = shlex.split(row["command"])
            command = Command(Path(row["directory"]), words)
            if Path(row["file"]) == source and self.folder / "tests" not in self.object_of(command).parents:
                return command
        raise Broken(f"compile_commands.json does not compile {source}")

    @staticmethod
    def object_of(command: Command) -> Path:
        return command.folder / command.words[command.words.index("-o") + 1]

    def linking(self, program: str) -> Command:
        """How CMake links this program."""
        if (self.folder / "build.ninja").is_file():
            lines = subprocess.run([self._ninja(), "-C", self.folder, "-t", "commands", program], check=True,
                                   capture_output=True, text=True).stdout.splitlines()
            return Command(self.folder, words_of_ninja(lines[-1]))
        found = sorted(self.folder.glob(f"**/CMakeFiles/{program}.dir/link.txt"))
        if len(found) != 1:
            raise Broken(f"{self.folder} has {len(found)} link.txt for the program {program}: "
                         "build its target `tests`")
        return Command(found[0].parents[2], shlex.split(found[0].read_text(encoding="utf-8")))

    def _ninja(self) -> str:
        cache = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8")
        found = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.+)$", cache, re.M)
        return found[1] if found else "ninja"


def words_of_ninja(line: str) -> list[str]:
    """CMake's command for a link begins with `: && ` and ends with ` && :`."""
    words = shlex.split(line)
    return words[2:-2] if words[:2] == [":", "&&"] and words[-2:] == ["&&", ":"] else words


class Trial:
    """Tries out changes of one source file."""

    def __init__(self, build: Build, source: Path, programs: list[list[str]]):
        self._source = source
        self._compilation = build.compilation(source)
        self._object = build.object_of(self._compilation)
        self._programs = [(build.linking(words[0]), words[1:]) for words in programs]
        self._limits: list[float] = []
        self._try_unchanged()

    def _try_unchanged(self) -> None:
        with tempfile.TemporaryDirectory(prefix="anycuda-mutation-") as name:
            folder = Path(name)
            text = self._source.read_text(encoding="utf-8")
            self._unchanged = self._digest(text, folder)
            changed = self._compile(text, folder, QUICKLY)
            if changed is None or not self._unchanged:
                raise Broken(f"{self._source} does not compile as it is")
            for command, arguments in self._programs:
                program = self._link(command, changed, folder)
                start = time.monotonic()
                log = folder / "log"
                word = _run(program, arguments, folder, 600, log)
                if word != "survived":
                    raise Broken(f"without a mutation of {self._source.name} {program.name} is {word}:\n{_told(log)}")
                self._limits.append(max(SMALLEST_LIMIT, 10 * (time.monotonic() - start)))

    def outcome(self, text: str) -> str:
        """Of the file with this text: a word of OUTCOMES."""
        with tempfile.TemporaryDirectory(prefix="anycuda-mutation-") as name:
            folder = Path(name)
            changed = self._compile(text, folder, QUICKLY)
            if changed is None:
                return "not compiled"
            for (command, arguments), limit in zip(self._programs, self._limits):
                word = _run(self._link(command, changed, folder), arguments, folder, limit)
                if word != "survived":
                    return word
            return "equivalent" if self._digest(text, folder) == self._unchanged else "survived"

    def _compile(self, text: str, folder: Path, more: list[str]) -> Path | None:
        # The file keeps its name: the object has it.
        source = folder / self._source.name
        source.write_text(text, encoding="utf-8")
        out = folder / "changed.o"
        words = list(self._compilation.words)
        words[words.index("-o") + 1] = str(out)
        words = [str(source) if word == str(self._source) else word for word in words]
        # A function that ends without its value does anything, by chance what the test wants.
        words += ["-Wno-error", "-Werror=return-type", *more]
        done = subprocess.run(words, cwd=self._compilation.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=COMPILER_LIMIT)
        return out if done.returncode == 0 else None

    def _digest(self, text: str, folder: Path) -> str:
        """Of the object file, compiled as the product is."""
        changed = self._compile(text, folder, [])
        return hashlib.sha256(changed.read_bytes()).hexdigest() if changed else ""

    def _link(self, command: Command, changed: Path, folder: Path) -> Path:
        out = folder / Path(command.words[command.words.index("-o") + 1]).name
        if out.exists():  # the same program with other arguments
            return out
        words = []
        replaced = False
        for word in command.words:
            if not replaced and word.endswith(".o"):
                # Before the libraries: the linker takes no second object that has the same names.
                words.append(str(changed))
                replaced = True
            if command.folder / word != self._object and (command.folder / word).resolve() != self._object.resolve():
                words.append(word)
        words[words.index("-o") + 1] = str(out)
        done = subprocess.run(words, cwd=command.folder, capture_output=True, text=True, timeout=COMPILER_LIMIT)
        if done.returncode != 0:
            raise Broken(f"{self._source.name} does not link: {done.stderr.strip()[-2000:]}")
        return out


def _told(log: Path) -> str:
    """What GoogleTest says of failures."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("[       OK", "[ RUN", "[  SKIPPED")))[-4000:]


def _run(program: Path, arguments: list[str], folder: Path, limit: float, log: Path = Path(os.devnull)) -> str:
    rest = folder / "tmp"  # what a test leaves behind that does not end by itself
    rest.mkdir(exist_ok=True)
    # As /tmp is: some tests give up root's rights on the way.
    folder.chmod(0o755)
    rest.chmod(0o1777)
    environment = {**os.environ, "TMPDIR": str(rest), "GTEST_FAIL_FAST": "1"}
    with open(log, "wb") as out, subprocess.Popen(
            [program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True) as process:
        # Should this tool be killed, the mutant ends all the same.
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (10 * int(limit), 10 * int(limit)))
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and its children
    if status is None:
        return "out of time"
    return "survived" if status == 0 else "killed" if status > 0 else "crashed"
