"""Every function of the maths libraries, called by a program of each major on a library of each major: the call goes to
the function that the matrix names, or ends in the status that it promises."""

import os
import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

import small_library
from abi_support import real
from generate import dispositions, model
from generate.out_params import newest_prototype

BUILD = os.environ.get("ANYCUDA_BUILD")
LIBRARIES = ("cublas", "cublaslt", "cufft", "curand", "cusolver", "cusolvermg", "cusparse", "nvjpeg", "nvtx")
PARAMETERS = 40  # more than any function has
# Calls every function of its table with zeros; each result is a line.
CLIENT = """\
#include <stdio.h>
typedef int (*any)({parameters});
{declarations}
static const struct {{ const char* name; void* function; }} all[] = {{
{rows}
}};
int main(void) {{
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {{
    any call = (any)all[i].function;
    printf("%s %d\\n", all[i].name, call({zeros}));
  }}
  return 0;
}}
"""


def gives_a_number(function: model.Function, major: str) -> bool:
    """Other results are in registers that the client does not look at."""
    newest = newest_prototype(function, function.versions_of(major))
    return newest is None or function.prototype(newest[0]).result_kind in ("status", "int")


@unittest.skipUnless(BUILD, "needs a build")
class EveryCall(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-calls-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def client(self, library: str, cuda: str, names: list[str]) -> Path:
        """Linked as a program for that CUDA is: its calls record the major."""
        source = self.folder / f"{library}-{cuda}.c"
        source.write_text(CLIENT.format(parameters=", ".join(["long"] * PARAMETERS), zeros=", ".join("0" * PARAMETERS),
                                        declarations="\n".join(f"extern char {name}[];" for name in names),
                                        rows=",\n".join(f'{{"{name}", {name}}}' for name in names)), encoding="utf-8")
        program = self.folder / f"{library}-{cuda}"
        linked = Path(BUILD) / "lib" / "link" / cuda
        file = small_library.described(library).file_prefix
        subprocess.run(["cc", "-w", "-fPIC", "-o", program, source, linked / file, f"-Wl,-rpath,{BUILD}/lib"],
                       check=True)
        return program

    def run_on(self, program: Path, library: str, installed: Path) -> dict[str, int]:
        variable = small_library.described(library).variable
        environment = {variable: str(installed), "ANYCUDA_LOG": "off",
                       "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}

    def expected(self, library: str, release: str, disposition: dispositions.Disposition) -> int:
        """What the client sees of a disposition, on the library of that release."""
        status = small_library.described(library).status
        if disposition.kind in ("absent", "rejected"):
            return status[disposition.kind]
        exported = set(real(library).exports(release))
        called = disposition.needs[:1] if disposition.function else (disposition.target, *disposition.fallbacks)
        there = next((name for name in called if name in exported), None)
        return small_library.number(library, there) if there else status["absent"]

    def test_goes_where_the_matrix_says(self):
        for library in LIBRARIES:
            database = real(library)
            found = dispositions.dispositions(database)
            newest = {release.split(".")[0]: release for release in database.versions}  # of each major
            installed = {release: small_library.make(library, release, self.folder / library / release,
                                                     platform.machine()) for release in newest.values()}
            for cuda in newest:
                caller = database.major(f"{cuda}.0")
                names = sorted(name for name, function in database.functions.items()
                               if caller in function.majors and gives_a_number(function, caller))
                self.assertGreater(len(names), 15, (library, cuda))
                program = self.client(library, cuda, names)
                for release, file in installed.items():
                    with self.subTest(library=library, caller=cuda, installed=release):
                        seen = self.run_on(program, library, file)
                        wanted = {name: self.expected(library, release, found[name, caller, database.major(release)])
                                  for name in names}
                        self.assertEqual(seen, wanted)


if __name__ == "__main__":
    unittest.main()
