# SPDX-License-Identifier: Apache-2.0
"""What importing a library costs that is linked to a maths library: to NVIDIA's, which the dynamic linker loads too,
and to anycuda's stub, which opens nothing before the first call.

    python3 bench/imports.py --stubs build/test/lib --cache ~/.cache/anycuda
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "stubs" / "tools"))

from generate import descriptor  # noqa: E402

RELEASE, ROUNDS = "12.9", 15
FUNCTIONS = {"cublas": "cublasCreate_v2", "cublaslt": "cublasLtCreate", "cufft": "cufftPlan1d",
             "curand": "curandGenerate", "cusolver": "cusolverDnCreate", "cusparse": "cusparseCreate",
             "nvjpeg": "nvjpegDestroy"}
# Opens the library, and prints the nanoseconds that took and by how many KiB the resident memory grew.
PROGRAM = """\
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static long resident(void) {
  char line[256];
  long found = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file) != NULL) if (strncmp(line, "VmRSS:", 6) == 0) sscanf(line + 6, "%ld", &found);
  fclose(file);
  return found;
}
int main(int count, char** words) {
  struct timespec start, end;
  const long before = resident();
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (count != 2 || dlopen(words[1], RTLD_NOW) == NULL) return puts(dlerror()), 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%ld %ld\\n", (end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec, resident() - before);
  return 0;
}
"""


def described(library: str) -> descriptor.Descriptor:
    return descriptor.load(Path(__file__).parents[1] / "stubs" / library / "library.json")


def real_files(cache: Path, library: str) -> tuple[Path, list[Path]]:
    """The library's file, and the folders that it finds what it needs in."""
    artifact = {"cublaslt": "cublas"}.get(library, library)
    soname = next(major.soname for major in described(library).majors if 12 in major.cuda_majors)
    found = sorted(cache.glob(f"{artifact}-{RELEASE}/**/lib/{soname}"))
    if not found:
        sys.exit(f"{cache} has no {artifact}-{RELEASE}: python3 tools/fetch/fetch.py get maths")
    return found[0], sorted({path.parent for path in cache.glob(f"*-{RELEASE}/**/lib/lib*.so.*")})


def linked(folder: Path, name: str, function: str, file: Path) -> Path:
    source = folder / f"{name}.c"
    source.write_text(f"int {function}(void); int (*use(void))(void) {{ return {function}; }}\n", encoding="utf-8")
    made = folder / f"{name}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source, file, "-Wl,--allow-shlib-undefined",
                    f"-Wl,-rpath,{file.parent}"], check=True)
    return made


def measure(program: Path, library: Path, folders: list[Path]) -> tuple[int, int]:
    environment = {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
    done = subprocess.run([program, library], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{library}: {done.stdout}{done.stderr}")
    nanoseconds, kibibytes = map(int, done.stdout.split())
    return nanoseconds, kibibytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stubs", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
        subprocess.run(["cc", "-O1", "-o", folder / "program", folder / "program.c", "-ldl"], check=True)
        print(f"| linked to | {RELEASE}: ms | MiB | its stub: ms | MiB |\n|---|---|---|---|---|")
        for library, function in FUNCTIONS.items():
            file, folders = real_files(options.cache.expanduser(), library)
            stubs = options.stubs.resolve()
            link = stubs / "link" / "12" / described(library).file_prefix
            pair = (linked(folder, f"{library}-real", function, file),
                    linked(folder, f"{library}-stub", function, link))
            rounds = [[measure(folder / "program", needed, folders) for needed in pair] for _ in range(ROUNDS)]
            cells = []
            for place in (0, 1):
                cells += [f"{statistics.median(times[place][0] for times in rounds) / 1e6:.2f}",
                          f"{statistics.median(times[place][1] for times in rounds) / 1024:.1f}"]
            print(f"| {library} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
