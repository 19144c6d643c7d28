#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the pages, docs/pictures/*.svg.

    python3 tools/pictures/make_pictures.py                # the diagrams, from docs/pictures/*.dot
    python3 tools/pictures/make_pictures.py build/test     # also those that show a program of this build
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("tools/pictures", "tools/fetch")]

import demo_table  # noqa: E402
import diagram  # noqa: E402
import terminal  # noqa: E402
from artifacts.cli import folder_of  # noqa: E402
from artifacts.errors import ArtifactError  # noqa: E402

FOLDER = ROOT / "docs/pictures"


def diagrams() -> dict[str, str]:
    dot = folder_of("graphviz") / "bin/dot"
    return {file.stem: diagram.draw(file.read_text(encoding="utf-8"), dot) for file in sorted(FOLDER.glob("*.dot"))}


def demo(build: Path) -> str:
    """The README's table."""
    done = subprocess.run([build / "bin/anycuda-demo"], capture_output=True, text=True, timeout=300)
    return diagram.draw(demo_table.source(demo_table.rows(done.stdout)), folder_of("graphviz") / "bin/dot")


def repair(build: Path) -> str:
    """The README's wheel, repaired."""
    wheel = next(folder_of("wheel-torch_memory_saver").glob("*.whl"))
    sys.path.insert(0, str(folder_of("rich")))
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        os.symlink(wheel, Path(folder, wheel.name))
        output = terminal.output_of(
            [sys.executable, str(build / "bin/anycuda"), "repair", wheel.name], Path(folder),
            {"PATH": os.defpath, "HOME": folder, "LANG": "C.UTF-8", "TERM": "xterm", "PYTHONDONTWRITEBYTECODE": "1"})
    return terminal.draw("anycuda repair", "anycuda repair torch_memory_saver-0.0.9-*.whl", output)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, nargs="?", metavar="BUILD", help="a build folder of preset test")
    build = parser.parse_args().build
    if build and not (build / "bin/anycuda-demo").exists():
        parser.error(f"{build} has no bin/anycuda-demo: build it by `cmake --workflow --preset test`")
    try:
        made = diagrams()
        if build:
            made |= {"demo": demo(build.resolve()), "repair": repair(build.resolve())}
    except (ArtifactError, OSError, ValueError, subprocess.SubprocessError) as error:
        print(f"make_pictures.py: {error}", file=sys.stderr)
        return 1
    for name, svg in made.items():
        (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"docs/pictures/{name}.svg: {len(svg)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
