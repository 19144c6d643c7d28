# SPDX-License-Identifier: Apache-2.0
"""The fetch tool; fetch.py beside this package is its command line.

lockfile   recipe.toml and lock.json: files by hash, artifacts made of them, sets of artifacts
cache      where artifacts lie; locks between processes
get        the work: downloads side by side, checked, unpacked, published; what cannot be fetched
pypi       one wheel, through pip
debian     one Debian package, through apt-get, with separate apt state
sources    both; and pip itself, from Debian where Python has none
unpack     archive members -> an artifact's folder, by the recipe's rules
update     recipe -> lock.json
"""
