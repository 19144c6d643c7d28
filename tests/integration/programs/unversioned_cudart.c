// SPDX-License-Identifier: Apache-2.0

/* What a program without symbol versions is linked to: the names that call_cudart.cc uses, in a
   library that defines none. It is never loaded. */
#define FUNCTION(name) \
  void name(void) {}
FUNCTION(cudaCreateChannelDesc)
FUNCTION(cudaDriverGetVersion)
FUNCTION(cudaExecutionCtxGetId)
FUNCTION(cudaGetDevice)
FUNCTION(cudaGetDeviceCount)
FUNCTION(cudaGetErrorName)
FUNCTION(cudaGetErrorString)
FUNCTION(cudaGetExportTable)
FUNCTION(cudaGetLastError)
FUNCTION(cudaMalloc)
FUNCTION(cudaPeekAtLastError)
FUNCTION(cudaPointerGetAttributes)
FUNCTION(cudaRuntimeGetVersion)
FUNCTION(cudaSetDevice)
FUNCTION(cudaStreamGetCaptureInfo)
