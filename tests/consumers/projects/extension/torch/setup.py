# SPDX-License-Identifier: Apache-2.0

# As projects do it: CUDAExtension adds -lcudart from CUDA_HOME. Nothing in it knows of anycuda.
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="whichcuda",
    version="1.0",
    ext_modules=[CUDAExtension("whichcuda", ["extension.cc", "kernel.cu"], define_macros=[("WITH_KERNEL", None)])],
    cmdclass={"build_ext": BuildExtension},
)
