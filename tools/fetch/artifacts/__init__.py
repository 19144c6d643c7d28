"""The fetch tool for real CUDA artifacts; tools/fetch/fetch.py is its command line.

lockfile   what there is: files by hash, artifacts made of them, sets of artifacts (read from lock.json)
cache      where artifacts lie; locks between processes
pypi       one wheel, through pip
debian     one Debian package, through apt-get, with apt state of its own
unpack     archive members -> an artifact's folder, by the rules in the lock
get        the work: what is missing, downloads side by side, unpacking, what could not be had
wanted     the words of a recipe
recipe     what we want of CUDA, by version; recipe_tools: of everything else (input of `lock`)
resolve    recipe -> lock.json
"""
