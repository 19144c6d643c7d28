# SPDX-License-Identifier: Apache-2.0
# Sourced by .ci/run and .ci/long, in the project's root.
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
started=$SECONDS

say() { printf '\n== %s (after %d min %02d s)\n' "$*" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)); }

install_missing() { # install_missing PROGRAM|FILE:PACKAGE...
  local wanted=()
  for pair in "$@"; do
    [ -e "${pair%%:*}" ] || command -v "${pair%%:*}" >/dev/null || wanted+=("${pair##*:}")
  done
  if [ "${#wanted[@]}" -eq 0 ]; then return; fi
  say "installing ${wanted[*]}"
  command -v apt-get >/dev/null || { echo "missing: ${wanted[*]}, and no apt-get here" >&2; exit 1; }
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${wanted[@]}"
}

root() { python3 .ci/fresh_root.py "$@"; }
