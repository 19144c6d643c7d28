# SPDX-License-Identifier: Apache-2.0
"""How far real wheels are free of one CUDA major after `anycuda repair`.

    options      command-line options of make.py and torch_beside.py
    wheel_list   the list of wheels: lines -> entries                                   (pure)
    download     one wheel by pip
    companions   the packages that are installed beside a wheel
    unpack       a wheel's files, laid out as pip installs them
    contents     the shared libraries of an unpacked wheel, read as ELF files
    command      `anycuda check` and `anycuda repair`, and what they print
    situations   folders that stand for machines with no CUDA, and with one
    opening      opens libraries in such a situation, each in a separate process; open_each runs there
    dlopen_errors  what a message of the dynamic linker reports as missing, and its owner (pure)
    references   is every CUDA function that a file uses in the stubs?                  (pure)
    names        which names of NVIDIA's libraries are of one CUDA                       (pure)
    verdict      the results of one wheel -> verdict and reasons                        (pure)
    page         the results of all wheels -> the page                                  (pure)
    measure      one wheel from the download to its results

Beside PyTorch (torch_beside.py):

    torch_install  PyTorch of PyPI in a folder, with the wheels that it requires
    torch_opening  opens libraries in processes that have imported torch; torch_each is what runs there
    torch_verdict  what a wheel's libraries did -> verdict and reasons                  (pure)
    torch_page     the results of all wheels beside each torch -> the page              (pure)
    torch_measure  one wheel beside one torch, from the download to its results

What `anycuda check` says of each wheel (verdicts.py):

    verdict_page the verdicts of all wheels -> the page                                 (pure)

ONNX Runtime in its own program (onnxruntime_session.py):

    session_each  makes a session with the CUDA provider; runs in a separate process
    sessions     what the sessions did -> the page                                      (pure)
"""
