#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the matrix page in the documents, of a site that .ci/site made, with the browser of its tests.

    PYTHONPATH=$(python3 tools/fetch/fetch.py path selenium) python3 tools/site/screenshots.py build/site FILE
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/site"))

from browser import Browser  # noqa: E402

PAGE = "matrix/index.html"
PICTURES = {
    "matrix-light.png": ("light", "#name=cudaMem*&caller=13"),
    "matrix-check.png": ("dark", ""),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("file", type=Path, help="a library or wheel for the picture of a check")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/pictures", help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    browser = Browser(arguments.site)
    browser.driver.set_window_size(1050, 1250)
    try:
        for name, (scheme, address) in PICTURES.items():
            browser.colours(scheme)
            browser.open(PAGE + address)
            browser.wait(lambda: browser.text("#status") not in ("", "Loading."))
            if name == "matrix-check.png":
                browser.one("#check-files").send_keys(str(arguments.file.resolve()))
                browser.wait(lambda: browser.one("#report").is_displayed())
            browser.driver.save_screenshot(str(arguments.out / name))
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
