// SPDX-License-Identifier: Apache-2.0

// An extension module that calls the CUDA runtime, for every way of building a wheel.
#include <Python.h>
#include <cuda_runtime_api.h>

#ifdef WITH_KERNEL
int launch_kernel();
#endif

namespace {
PyObject* runtime(PyObject*, PyObject*) {
  int version = -1;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
#ifdef WITH_KERNEL
  launch_kernel();
#endif
  return PyUnicode_FromFormat("built %d: %d %d %s", CUDART_VERSION / 1000, status, version,
                              cudaGetErrorName(status));
}

PyMethodDef methods[] = {{"runtime", runtime, METH_NOARGS, nullptr}, {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "whichcuda", nullptr, -1, methods};
}  // namespace

PyMODINIT_FUNC PyInit_whichcuda() { return PyModule_Create(&module); }
