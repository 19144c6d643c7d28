# SPDX-License-Identifier: Apache-2.0

# As projects do it: what CUDA_HOME has. Nothing in it knows of anycuda.
import os

from setuptools import Extension, setup

setup(
    name="whichcuda",
    version="1.0",
    ext_modules=[Extension("whichcuda", ["extension.cc"], libraries=["cudart"],
                           include_dirs=[f"{os.environ['CUDA_HOME']}/include"],
                           library_dirs=[f"{os.environ['CUDA_HOME']}/lib64"])],
)
