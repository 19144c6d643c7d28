# SPDX-License-Identifier: Apache-2.0

# An ordinary extension of PyTorch. py_limited_api leaves out libtorch_python.so, which changes with every release of
# PyTorch, and tags the wheel for every Python from 3.9 on.
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="stable-softmax",
    version="1.0",
    packages=["stable_softmax"],
    install_requires=["torch>=2.9"],
    ext_modules=[CUDAExtension("stable_softmax._C", ["src/softmax.cu"], py_limited_api=True,
                               extra_link_args=["-Wl,--as-needed"])],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
