# SPDX-License-Identifier: Apache-2.0
"""conda, mamba and pixi, active and not."""

from __future__ import annotations

from machine import SITE
from process import Program, Python
from row import CONDA_PREFIX, CONDA_RPATH, NO_MAJOR, Group

setups = Group("conda and pixi")
_ENV = "/opt/conda/envs/app"
_PICK = f"12.9 {_ENV}/lib"
_TOOLKIT = "13.5 /usr/local/cuda-13.5"
_REPLICA = "replica"
_INACTIVE = CONDA_PREFIX + NO_MAJOR


def _activate(machine, folder: str):
    machine.env(CONDA_PREFIX=folder, CONDA_DEFAULT_ENV=folder.rsplit("/", 1)[1]).path_first(f"{folder}/bin")


def _with_toolkit(machine):
    return machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")


@setups("conda environment, activated; toolkit 13.5", _REPLICA, _PICK, f"{_PICK}; {_TOOLKIT}", _PICK,
        "The interpreter's prefix is a conda environment.",
        CONDA_RPATH + NO_MAJOR)
def active(machine):
    machine.conda(_ENV, "12.9")
    _with_toolkit(machine)
    _activate(machine, _ENV)
    return Python("python")


@setups("conda environment, not activated: PREFIX/bin/python (cron, an entry point)", _REPLICA, _PICK, _PICK, _PICK,
        "PREFIX/conda-meta marks a conda environment, activated or not.")
def inactive(machine):
    return Python(machine.conda(_ENV, "12.9"))


@setups("conda environment (12.9), called by its path while base (13.5) is activated", _REPLICA, _PICK, _PICK,
        "13.5 /opt/conda/lib", "The interpreter's prefix counts; CONDA_PREFIX names another environment.",
        CONDA_PREFIX)
def base_active(machine):
    command = machine.conda(_ENV, "12.9")
    machine.conda("/opt/conda", "13.5")
    _activate(machine, "/opt/conda")
    return Python(command)


@setups("Jupyter in conda's base, kernel of another environment (nb_conda_kernels)", _REPLICA, _PICK, _PICK,
        "13.5 /opt/conda/lib", "The kernel runs the environment's interpreter. It inherits the server's CONDA_PREFIX.",
        CONDA_PREFIX)
def jupyter(machine):
    python = base_active(machine)
    machine.file(f"{_ENV}/share/jupyter/kernels/python3/kernel.json",
                 f'{{"argv": ["{machine.at(python.command)}", "-m", "ipykernel_launcher"]}}')
    return python


@setups("conda environment with 12.9, and `pip install` brought wheel 13.0 into it", _REPLICA, f"13.0 wheel {_ENV}",
        _PICK,
        f"13.0 wheel {_ENV}", "The stub finds the wheel first, since sys.path comes before PREFIX/lib.",
        CONDA_RPATH)
def with_wheel(machine):
    command = machine.conda(_ENV, "12.9")
    machine.wheel(f"{_ENV}/{SITE}", "13.0")
    _activate(machine, _ENV)
    return Python(command)


@setups("conda environment with 12.9; `pip install --user` left 13.5 in ~/.local", _REPLICA, "13.5 wheel ~/.local",
        _PICK, "13.5 wheel ~/.local",
        "conda's Python has the user site in sys.path, before its own site-packages.",
        CONDA_RPATH)
def user_site(machine):
    command = machine.conda(_ENV, "12.9")
    machine.wheel(f"~/.local/{SITE}", "13.5")
    return Python(command)


@setups("venv of a conda environment's Python, without CUDA", "`python -m venv`; conda: replica", _PICK, _PICK, _PICK,
        "The venv has no CUDA; its base, the conda environment, has one.")
def venv_of_conda(machine):
    return Python(machine.venv("~/app/.venv", base=machine.conda(_ENV, "12.9")))


@setups("C++ program of a conda package (DT_RPATH $ORIGIN/../lib), not activated", _REPLICA, _PICK, _PICK, "-",
        "The program's DT_RPATH names the folder of this CUDA.")
def program(machine):
    machine.conda(_ENV, "12.9")
    return Program(f"{_ENV}/bin/app", rpath="$ORIGIN/../lib")


@setups("C++ program without a run path in the bin of a conda environment, not activated; toolkit 13.5", _REPLICA,
        _PICK, _TOOLKIT, "-", "The folder above bin has a conda-meta, so it is the nearest environment.", NO_MAJOR)
def program_without_run_path(machine):
    machine.conda(_ENV, "12.9")
    _with_toolkit(machine)
    return Program(f"{_ENV}/bin/app")


@setups("C++ program built by the user, conda environment activated; toolkit 13.5", _REPLICA, _PICK, _TOOLKIT, "-",
        "The activated environment comes before the system.", NO_MAJOR)
def program_of_user(machine):
    machine.conda(_ENV, "12.9")
    _with_toolkit(machine)
    _activate(machine, _ENV)
    return Program("~/app/build/app")


@setups("pixi: `pixi run`", _REPLICA, "12.9 ~/app/.pixi/envs/default/lib",
        "12.9 ~/app/.pixi/envs/default/lib", "12.9 ~/app/.pixi/envs/default/lib",
        "PREFIX/conda-meta marks a conda environment. `pixi run` also sets CONDA_PREFIX, which cuda-pathfinder needs.")
def pixi(machine):
    machine.conda("~/app/.pixi/envs/default", "12.9", pixi=True)
    _activate(machine, "~/app/.pixi/envs/default")
    return Python("python")


@setups("pixi: .pixi/envs/default/bin/python by its path; toolkit 13.5",
        _REPLICA, "12.9 ~/app/.pixi/envs/default/lib",
        f"12.9 ~/app/.pixi/envs/default/lib; {_TOOLKIT}", _TOOLKIT, "PREFIX/conda-meta marks a conda environment.",
        _INACTIVE)
def pixi_by_path(machine):
    command = machine.conda("~/app/.pixi/envs/default", "12.9", pixi=True)
    _with_toolkit(machine)
    return Python(command)
