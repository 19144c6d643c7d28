# SPDX-License-Identifier: Apache-2.0
"""Virtual environments, and the Pythons without one."""

from __future__ import annotations

import zipfile

from machine import SITE, WHEEL, Machine
from parts import artifact, python
from process import Program, Python
from row import CONDA_PREFIX, DRIVER, NO_MAJOR, SITE_ONLY, Group

setups = Group("Virtual environments")
_VENV_WHEEL = "12.9 wheel ~/app/.venv"


def _with_wheel(machine: Machine, release: str = "12.9") -> str:
    command = machine.venv("~/app/.venv")
    machine.wheel(f"~/app/.venv/{SITE}", release)
    return command


@setups("venv, activated; wheel 12.9; toolkit 13.5 installed", "`python -m venv`, `pip install`",
        _VENV_WHEEL, "13.5 /usr/local/cuda-13.5", _VENV_WHEEL,
        "The environment is nearer than the system, although the toolkit is newer.", NO_MAJOR)
def activated(machine):
    machine.venv("~/app/.venv")
    pip = (python(), "-m", "pip", "--python", machine.at("~/app/.venv/bin/python"), "--disable-pip-version-check")
    machine.tool(*pip, "install", "--quiet", "--no-index", "--no-deps", machine.wheel_file("12.9"),
                 PYTHONPATH=str(artifact("pip")))
    machine.installed(f"~/app/.venv/{SITE}", "12.9").local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    machine.env(VIRTUAL_ENV="~/app/.venv").path_first("~/app/.venv/bin")
    return Python("python")


@setups("venv, not activated, called by its path", "`python -m venv`", _VENV_WHEEL, "none", _VENV_WHEEL,
        "`sys.prefix` names the environment, with or without activation.", NO_MAJOR)
def by_path(machine):
    return Python(_with_wheel(machine))


@setups("venv made with `--copies`", "`python -m venv --copies`", _VENV_WHEEL, "none", _VENV_WHEEL,
        "The interpreter is a copy, not a link. The stub still detects the environment by its pyvenv.cfg.", NO_MAJOR)
def copied(machine):
    command = machine.venv("~/app/.venv", "--copies", base=machine.prefix("/opt/python"))
    machine.wheel(f"~/app/.venv/{SITE}", "12.9")
    return Python(command)


@setups("`python` from the PATH entry `~/current/bin/`, where `~/current` is a link to the venv", "`python -m venv`",
        _VENV_WHEEL, "none", _VENV_WHEEL,
        "Python does not resolve the link: `sys.prefix` is `~/current`, and the stub searches this folder.", NO_MAJOR)
def linked(machine):
    _with_wheel(machine)
    machine.link("~/current", "~/app/.venv")
    machine.variables["PATH"] = f"{machine.at('~/current/bin')}/:/usr/bin:/bin"
    return Python("python")


@setups("venv called by its path while another one (13.5) is activated", "`python -m venv`",
        _VENV_WHEEL, "none", _VENV_WHEEL,
        "VIRTUAL_ENV names the environment that the shell has activated. A Python process does not use it.",
        NO_MAJOR)
def another_active(machine):
    command = _with_wheel(machine)
    machine.venv("~/other")
    machine.wheel(f"~/other/{SITE}", "13.5").env(VIRTUAL_ENV="~/other").path_first("~/other/bin")
    return Python(command)


@setups("venv with 12.9; `pip install --user` left 13.5 in ~/.local", "`python -m venv`",
        _VENV_WHEEL, "none", _VENV_WHEEL,
        "A venv made without `--system-site-packages` has no user site in sys.path.", NO_MAJOR)
def user_site_is_closed_off(machine):
    command = _with_wheel(machine)
    machine.wheel(f"~/.local/{SITE}", "13.5")
    return Python(command)


@setups("venv with 12.9 beside an activated conda base with 13.5", "`python -m venv`; conda: replica",
        _VENV_WHEEL, "none", _VENV_WHEEL, "The interpreter's packages come before an activated conda.", NO_MAJOR)
def conda_active(machine):
    command = _with_wheel(machine)
    machine.conda("/opt/conda", "13.5")
    machine.env(CONDA_PREFIX="/opt/conda", CONDA_DEFAULT_ENV="base")
    return Python(command)


@setups("venv without CUDA beside an activated conda base with 13.5; toolkit 12.9", "`python -m venv`; conda: replica",
        "12.9 /usr/local/cuda-12.9", "none", "13.5 /opt/conda/lib",
        "The activated conda is not the interpreter's environment. The system's CUDA serves every environment.",
        CONDA_PREFIX + NO_MAJOR)
def conda_active_only(machine):
    command = machine.venv("~/app/.venv")
    machine.conda("/opt/conda", "13.5")
    machine.local_toolkits("12.9").env(CONDA_PREFIX="/opt/conda", CONDA_DEFAULT_ENV="base")
    return Python(command)


@setups("venv --system-site-packages without CUDA; its base has wheel 12.9", "`python -m venv`; base: replica",
        "12.9 wheel /opt/python", "none", "12.9 wheel /opt/python", "`--system-site-packages` adds the base's packages "
                                                                    "to sys.path.",
        NO_MAJOR)
def open_venv(machine):
    base = machine.prefix("/opt/python")
    machine.wheel(f"/opt/python/{SITE}", "12.9")
    return Python(machine.venv("~/app/.venv", "--system-site-packages", base=base))


@setups("venv with wheels of two majors, 12.9 and 13.5", "`python -m venv`",
        "13.5 wheel ~/app/.venv", "none", "13.5 wheel ~/app/.venv", "Within one environment the newest CUDA is used.",
        NO_MAJOR)
def two_majors(machine):
    command = _with_wheel(machine)
    machine.wheel(f"~/app/.venv/{SITE}", "13.5")
    return Python(command)


@setups("venv with wheels of two majors, 12.9 and 13.5; driver 550 (CUDA 12.4)", "`python -m venv`",
        _VENV_WHEEL, "none", "13.5 wheel ~/app/.venv", "The driver does not support CUDA 13.",
        DRIVER + NO_MAJOR)
def two_majors_and_a_driver(machine):
    command = _with_wheel(machine)
    machine.wheel(f"~/app/.venv/{SITE}", "13.5").driver(550).ldconfig()
    return Python(command)


@setups("uv: `uv venv`, `uv pip install`, `.venv/bin/python`", "uv 0.13.9", _VENV_WHEEL, "none", _VENV_WHEEL,
        "uv's environments have a pyvenv.cfg like all others.", NO_MAJOR)
def uv_venv(machine):
    _uv(machine, "venv", "-p", python(), machine.at("~/app/.venv"))
    _uv(machine, "pip", "install", "--no-deps", "--no-index", "-p", machine.at("~/app/.venv"),
        machine.wheel_file("12.9"))
    machine.installed(f"~/app/.venv/{SITE}", "12.9")
    return Python("~/app/.venv/bin/python")


@setups("uv: `uv run` in a folder below a project, while another venv is activated", "uv 0.13.9",
        _VENV_WHEEL, "none", _VENV_WHEEL, "`uv run` starts the project's interpreter by its path.", NO_MAJOR)
def uv_run(machine):
    _uv(machine, "venv", "-p", python(), machine.at("~/app/.venv"))
    machine.wheel(f"~/app/.venv/{SITE}", "12.9").file("~/app/src/empty")
    machine.file("~/app/pyproject.toml", '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.11"\n')
    machine.venv("~/other")
    machine.wheel(f"~/other/{SITE}", "13.5").env(VIRTUAL_ENV="~/other").path_first("~/other/bin")
    machine.env(UV_CACHE_DIR="/tmp/uv")
    return Python("python", folder="~/app/src", runner=(
        str(artifact("uv") / "bin/uv"), "run", "--quiet", "--offline", "--no-sync", "--no-config"))


@setups("uv: `uv run --with PACKAGE` in the same project", "uv 0.13.9", _VENV_WHEEL, "none", "none",
        "uv starts a temporary environment, whose .pth file adds the project's site-packages.",
        SITE_ONLY + NO_MAJOR)
def uv_run_with(machine):
    process = uv_run(machine)
    wheel = machine.at("~/app-1-py3-none-any.whl")
    _pack_app(machine, wheel)
    process.runner += ("--with", str(wheel))
    return process


@setups("uv's own Python (`uv python install`), packages in a venv of it", "uv 0.13.9; its Python: replica",
        _VENV_WHEEL, "none", _VENV_WHEEL, "The venv has the wheel. The venv's base, below ~/.local/share/uv, does not "
                                          "have a wheel.",
        NO_MAJOR)
def uv_python(machine):
    base = machine.prefix("~/.local/share/uv/python/cpython-3.11.9-linux-x86_64-gnu")
    _uv(machine, "venv", "-p", machine.at(base), machine.at("~/app/.venv"))
    machine.wheel(f"~/app/.venv/{SITE}", "12.9").wheel(f"~/.local/{SITE}", "13.5")
    return Python("~/app/.venv/bin/python")


@setups("uv: `uv tool install`", "uv 0.13.9", "12.9 wheel ~/.local/share/uv/tools/app", "none",
        "12.9 wheel ~/.local/share/uv/tools/app", "The tool's script names the interpreter of the tool's environment.",
        NO_MAJOR)
def uv_tool(machine):
    wheel = machine.at("~/app-1-py3-none-any.whl")
    _pack_app(machine, wheel)
    _uv(machine, "tool", "install", "--no-index", "-p", python(), wheel, "--with", machine.wheel_file("12.9"))
    machine.installed(f"~/.local/share/uv/tools/app/{SITE}", "12.9")
    return Python("~/.local/share/uv/tools/app/bin/python")


@setups("pipx: an application's environment", "`python -m venv`, which pipx calls; layout: replica",
        "12.9 wheel ~/.local/share/pipx/venvs/app", "none", "12.9 wheel ~/.local/share/pipx/venvs/app",
        "pipx makes ordinary venvs; the first line of the application's script names the venv's Python.", NO_MAJOR)
def pipx(machine):
    command = machine.venv("~/.local/share/pipx/venvs/app")
    machine.wheel(f"~/.local/share/pipx/venvs/app/{SITE}", "12.9").wheel(f"~/.local/{SITE}", "13.5")
    machine.file("~/.local/share/pipx/shared/pyvenv.cfg", "home = /usr/bin\n")
    machine.file(f"~/.local/share/pipx/venvs/app/{SITE}/pipx_shared.pth",
                 str(machine.at(f"~/.local/share/pipx/shared/{SITE}")) + "\n")
    return Python(command)


@setups("Poetry: `poetry run`", "virtualenv 21.15.8, which Poetry calls; layout: replica",
        "12.9 wheel ~/.cache/pypoetry/virtualenvs/app-4x9BpZ2k-py3.11", "none",
        "12.9 wheel ~/.cache/pypoetry/virtualenvs/app-4x9BpZ2k-py3.11",
        "virtualenv writes a pyvenv.cfg; `poetry run` puts the environment's bin in front of PATH.", NO_MAJOR)
def poetry(machine):
    folder = "~/.cache/pypoetry/virtualenvs/app-4x9BpZ2k-py3.11"
    machine.tool(python(), "-m", "virtualenv", "--no-seed", "--no-download", "-p", python(), "--app-data",
                 machine.at("/tmp/virtualenv"), machine.at(folder), PYTHONPATH=str(artifact("virtualenv")))
    machine.wheel(f"{folder}/{SITE}", "12.9").env(VIRTUAL_ENV=folder).path_first(f"{folder}/bin")
    return Python("python")


@setups("The system's Python with `pip install --user`; toolkit 13.5", "replica",
        "12.9 wheel ~/.local", "13.5 /usr/local/cuda-13.5", "12.9 wheel ~/.local",
        "The user site is in sys.path, and nearer than the system.", NO_MAJOR)
def user_site(machine):
    command = machine.prefix("/usr", debian=True)
    machine.wheel(f"~/.local/{SITE}", "12.9").local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    return Python(command)


@setups("The system's Python with `pip install --user`, started as `python -s` (no user site); toolkit 13.5", "replica",
        "13.5 /usr/local/cuda-13.5", "13.5 /usr/local/cuda-13.5",
        "13.5 /usr/local/cuda-13.5", "Without the user site this Python finds only the system's CUDA.")
def no_user_site(machine):
    return Python(user_site(machine).command, options=("-s",))


@setups("Debian's Python with `pip install` as root; toolkit 13.5", "replica",
        "12.9 wheel /usr/local", "13.5 /usr/local/cuda-13.5", "12.9 wheel /usr/local",
        "pip installs into /usr/local, which Debian's Python has in sys.path.", NO_MAJOR)
def root_of_debian(machine):
    command = machine.prefix("/usr", debian=True)
    machine.wheel("/usr/local/lib/python3.11/dist-packages", "12.9").file("/usr/lib/python3/dist-packages/README.txt")
    machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    return Python(command)


@setups("`pip install --target libs`, PYTHONPATH=libs (relative)", "replica",
        "12.9 wheel ~/app/libs", "none", "none",
        "PYTHONPATH's folders come first in sys.path. A relative folder starts at the current folder.",
        SITE_ONLY + NO_MAJOR)
def pythonpath(machine):
    command = machine.venv("~/app/.venv")
    machine.wheel("~/app/libs", "12.9").variables["PYTHONPATH"] = "libs"
    return Python(command, folder="~/app")


@setups("`pip install -e` of a project that has its own folder nvidia/ in src (a .pth file names src)", "replica",
        "12.9 wheel ~/src", "none", "none", "The folders that .pth files name are in sys.path.", SITE_ONLY + NO_MAJOR)
def editable(machine):
    command = machine.venv("~/app/.venv")
    machine.wheel("~/src", "12.9").file(f"~/app/.venv/{SITE}/__editable__.app-1.pth", f"{machine.at('~/src')}\n")
    return Python(command)


@setups("C++ program that a wheel has put into .venv/bin, not activated; wheel 12.9; toolkit 13.5", "`python -m venv`",
        _VENV_WHEEL, "none", "-", "The folder above bin has a pyvenv.cfg, so it is the nearest environment.",
        NO_MAJOR)
def program_in_bin(machine):
    _with_wheel(machine)
    machine.local_toolkits("13.5")
    return Program("~/app/.venv/bin/app")


@setups("C++ program that a wheel has put into site-packages/app/bin, not activated; wheel 12.9; toolkit 13.5",
        "`python -m venv`", _VENV_WHEEL, "none", "-",
        "One of the folders above the program is site-packages, which has the wheel.", NO_MAJOR)
def program_in_site(machine):
    program_in_bin(machine)
    return Program(f"~/app/.venv/{SITE}/app/bin/app")


@setups("Jupyter in conda's base (13.5, activated), kernel of a venv", "`python -m venv`; conda: replica",
        _VENV_WHEEL, "none", _VENV_WHEEL,
        "kernel.json names the venv's interpreter. The kernel inherits the server's CONDA_PREFIX.",
        NO_MAJOR)
def jupyter(machine):
    command = conda_active(machine).command
    machine.file("~/.local/share/jupyter/kernels/app/kernel.json",
                 f'{{"argv": ["{machine.at(command)}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"]}}')
    return Python(command)


def _uv(machine: Machine, *command) -> None:
    machine.tool(artifact("uv") / "bin/uv", *command, "--offline", "--no-config", "--no-python-downloads", "--quiet",
                 UV_CACHE_DIR=str(machine.at("/tmp/uv")))


def _pack_app(machine: Machine, wheel) -> None:
    about = "app-1.dist-info"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("app.py", "def main(): pass\n")
        packed.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: app\nVersion: 1\n")
        packed.writestr(f"{about}/WHEEL", WHEEL)
        packed.writestr(f"{about}/entry_points.txt", "[console_scripts]\napp = app:main\n")
        packed.writestr(f"{about}/RECORD", "".join(f"{name},,\n" for name in packed.namelist()) + f"{about}/RECORD,,\n")
