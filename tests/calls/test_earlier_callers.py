# SPDX-License-Identifier: Apache-2.0
"""Programs built for cuDNN 8, through its drop-in on cuDNN 9: each call returns a status of cuDNN 8, and so do
statuses that calls write. On cuDNN 8 the calls go straight to the library."""

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD
import call_client
import small_library
from abi_support import real
from call_client import gives_a_number
from generate import dispositions

# Of cuDNN 9 -> of cuDNN 8: its statuses of the same names, a new one of each class, and what no release has.
STATUSES = {1001: 1, 1002: 14, 1003: 14, 1004: 9, 1005: 10, 1006: 12, 1007: 13, 1008: 1, 2000: 3, 2001: 5, 2002: 3,
            3000: 9, 3001: 9, 3007: 6, 3008: 11, 4000: 4, 4001: 4, 4003: 2, 4004: 2, 4006: 7, 5000: 8, 5001: 8, 0: 0,
            1999: 1, 6000: 4, 99999: 4}
SEARCHED = """\
typedef struct {{ int algorithm, status; float time; unsigned long memory; int rest[6]; }} result;
static int fill(int room, int* filled, result* results) {{
  static const int of[] = {{ {statuses} }};
  *filled = room;
  for (int i = 0; i < room; ++i) results[i] = (result){{i, of[i], 0.5f, 7, {{0}}}};
  return 0;
}}
#define GET(name) int name(long a, long b, long c, long d, long e, int room, int* filled, result* results) \\
  {{ return fill(room, filled, results); }}
#define FIND(name) int name(long a, long b, long c, long d, long e, long f, long g, long h, int room, int* filled, \\
                            result* results, long workspace, long size) {{ return fill(room, filled, results); }}
{functions}
int cudnnQueryRuntimeError(long handle, int* status, int mode, long tag) {{ *status = 1007; return 0; }}
const char* cudnnGetErrorString(int status) {{ return status == 1001 ? "of 9" : "unknown"; }}
"""
CALLS = """\
#include <stdio.h>
typedef struct {{ int algorithm, status; float time; unsigned long memory; int rest[6]; }} result;
int cudnnQueryRuntimeError(long, int*, int, long);
const char* cudnnGetErrorString(int);
{declarations}
static void show(const char* name, int status, int filled, const result* results) {{
  printf("%s %d", name, status);
  for (int i = 0; i < filled; ++i) printf(" %d:%d", results[i].algorithm, results[i].status);
  printf(" %d\\n", results[filled].status);
}}
int main(void) {{
  int filled, status = 5, answer;
{calls}
  answer = cudnnQueryRuntimeError(0, &status, 0, 0);
  printf("query %d %d\\n", answer, status);
  printf("text %s %s\\n", cudnnGetErrorString(3), cudnnGetErrorString(99));
  return 0;
}}
"""
DIRECTIONS = ("Forward", "BackwardData", "BackwardFilter")
GET = [f"cudnnGetConvolution{direction}Algorithm_v7" for direction in DIRECTIONS]
FIND = [f"cudnnFindConvolution{one}Algorithm" for one in DIRECTIONS]
FIND_EX = [f"{one}Ex" for one in FIND]
ARGUMENTS = {**dict.fromkeys((*GET, *FIND), ("long, " * 5, "0, " * 5, "", "")),
             **dict.fromkeys(FIND_EX, ("long, " * 8, "0, " * 8, ", long, long", ", 0, 0"))}


class EarlierCallers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-calls-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        # What programs for cuDNN 8 are linked with.
        self.cudnn8 = self.library("cudnn8", "8.9")

    def library(self, name: str, release: str, numbers: dict[str, int] | None = None) -> Path:
        return small_library.make(name, release, self.folder / name / release, platform.machine(), numbers=numbers)

    def program(self, source: str) -> Path:
        (self.folder / "program.c").write_text(source, encoding="utf-8")
        subprocess.run(["cc", "-w", "-fPIC", "-o", self.folder / "program", self.folder / "program.c", self.cudnn8],
                       check=True)
        return self.folder / "program"

    def environment(self, **more: str) -> dict[str, str]:
        return {"LD_LIBRARY_PATH": f"{BUILD}/lib/dropin", "ANYCUDA_LOG": "off",
                "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty"), **more}

    def all_calls(self) -> Path:
        return call_client.build(self.folder / "program", self.names(), (str(self.cudnn8),))

    def call(self, program: Path, names: list[str], **environment: str) -> tuple[dict[str, int], str]:
        return call_client.numbers(program, names, self.environment(**environment))

    def names(self) -> list[str]:
        return sorted(name for name, function in real("cudnn8").functions.items()
                      if "8" in function.majors and gives_a_number(function, "8"))

    def answers(self, program: Path, **environment: str) -> dict[str, int]:
        return self.call(program, self.names(), **environment)[0]

    def test_every_call_on_cudnn_9(self):
        """Neighbours get statuses that differ in cuDNN 8, so a call that goes to one is seen."""
        found = dispositions.dispositions(real("cudnn8"))
        program = self.all_calls()
        statuses = list(STATUSES)
        for release in ("9.0", "9.28"):
            numbers = {name: statuses[place % len(statuses)]
                       for place, name in enumerate(small_library.functions("cudnn"))}
            file = self.library("cudnn", release, numbers)
            wanted, kinds = {}, set()
            for name in self.names():
                kind = found[name, "8", "9"].kind
                kinds.add(kind)
                wanted[name] = 9 if kind in ("absent", "rejected") else numbers[name]
                if kind == "adapted":
                    wanted[name] = STATUSES[numbers[name]]
            self.assertEqual(kinds, {"direct", "adapted", "absent", "rejected"})
            self.assertEqual(self.answers(program, ANYCUDA_CUDNN8=str(file)), wanted, release)

    def test_without_a_library(self):
        numbers = ("cudnnGetCudartVersion", "cudnnGetMaxDeviceVersion", "cudnnGetVersion")
        wanted = {name: 0 if name in numbers else 1 for name in self.names()}
        self.assertEqual(self.answers(self.all_calls()), wanted)

    def test_cudnn_8_serves_as_it_is(self):
        """Where both are, too."""
        program = self.all_calls()
        wanted = {name: small_library.number("cudnn8", name) for name in self.names()}
        self.assertEqual(self.answers(program, ANYCUDA_CUDNN8=str(self.cudnn8)), wanted)
        both = self.cudnn8.parent
        small_library.make("cudnn", "9.28", both, platform.machine())
        self.assertEqual(sorted(file.name for file in both.iterdir()), ["libcudnn.so.8", "libcudnn.so.9"])
        # Behind the drop-ins, or the dynamic linker would take the library itself.
        paths = f"{BUILD}/lib/dropin:{both}"
        self.assertEqual(self.answers(program, LD_LIBRARY_PATH=paths), wanted)
        _, log = self.call(program, self.names(), LD_LIBRARY_PATH=paths, ANYCUDA_LOG="info")
        self.assertIn(f"cudnn8: using {self.cudnn8} ", log)

    def test_only_cudnn_8_where_others_are_rejected(self):
        program = self.all_calls()
        nine = self.library("cudnn", "9.28")
        for file, status in ((nine, 1), (self.cudnn8, small_library.number("cudnn8", "cudnnCreate"))):
            found, log = self.call(program, ["cudnnCreate"], ANYCUDA_CUDNN8=str(file), ANYCUDA_CROSS_MAJOR="reject",
                                   ANYCUDA_LOG="error")
            self.assertEqual(found, {"cudnnCreate": status})
            refused = "ANYCUDA_CROSS_MAJOR=reject allows only libcudnn.so.8"
            self.assertEqual(refused in log, file == nine, log)

    def test_what_fails_says_why(self):
        """cuDNN 9 dropped the one, and the other would give statuses of cuDNN 9 to a callback."""
        nine = self.library("cudnn", "9.28")
        for name, reason in (("cudnnRNNForwardTraining", "no longer in 9 (last in 8.9)"),
                             ("cudnnSetCallback", "its callback would receive statuses of cuDNN 9")):
            found, log = self.call(self.all_calls(), [name], ANYCUDA_CUDNN8=str(nine), ANYCUDA_LOG="error")
            self.assertEqual(found, {name: 9})
            self.assertIn(f"{name} failed (status 9): {reason}", log)
            self.assertIn("what to do: install libcudnn.so.8 instead, or do without the function.", log)

    def test_statuses_that_are_written(self):
        of_9 = list(STATUSES)
        functions = "\n".join(f"{'FIND' if name in FIND_EX else 'GET'}({name})" for name in (*GET, *FIND, *FIND_EX))
        core = small_library.described("cudnn8").required_symbols[11] - {"cudnnGetErrorString"}
        source = SEARCHED.format(statuses=", ".join(map(str, of_9)), functions=functions)
        source += "\n".join(f"int {name}(void) {{ return 0; }}" for name in sorted(core))
        (self.folder / "nine.c").write_text(source, encoding="utf-8")
        (self.folder / "nine.map").write_text("libcudnn.so.9 { global: cudnn*; local: *; };", encoding="utf-8")
        file = self.folder / "libcudnn.so.9"
        subprocess.run(["cc", "-w", "-shared", "-fPIC", f"-Wl,--version-script={self.folder}/nine.map",
                        "-Wl,-soname,libcudnn.so.9", "-o", file, self.folder / "nine.c"], check=True)
        room = len(of_9)
        declarations, calls = [], []
        for name, (before, zeros, after, last) in ARGUMENTS.items():
            declarations.append(f"int {name}({before}int, int*, result*{after});")
            # One more than there is room for: it stays what it was.
            calls.append(f"  {{ result results[{room + 1}]; results[{room}].status = 2000; filled = 0;\n"
                         f"    answer = {name}({zeros}{room}, &filled, results{last});\n"
                         f'    show("{name}", answer, filled, results); }}')
        program = self.program(CALLS.format(declarations="\n".join(declarations), calls="\n".join(calls)))
        output = subprocess.run([program], env=self.environment(ANYCUDA_CUDNN8=str(file)), capture_output=True,
                                text=True, check=True).stdout.splitlines()
        expected = " ".join(f"{place}:{STATUSES[status]}" for place, status in enumerate(of_9))
        self.assertEqual(output[:-2], [f"{name} 0 {expected} 2000" for name in ARGUMENTS])
        self.assertEqual(output[-2:], ["query 0 13", "text CUDNN_STATUS_BAD_PARAM unknown"])


if __name__ == "__main__":
    unittest.main()
