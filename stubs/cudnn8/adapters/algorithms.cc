// SPDX-License-Identifier: Apache-2.0

// The functions that choose an algorithm for a convolution. They fill an array with their results
// for each algorithm, one of which is a status.
#include <algorithm>

#include "status.h"

namespace anycuda {
namespace {

// `status` is of the call, `results` the caller's array of `capacity` elements, of which the call
// has filled `*filled`.
template <typename Result>
Status with_statuses_of_8(Status status, int capacity, const int* filled, Result* results) {
  const bool is_filled = status == v9::CUDNN_STATUS_SUCCESS && filled && results;
  const int count = is_filled ? std::min(capacity, *filled) : 0;
  for (int i = 0; i < count; ++i) results[i].status = status_of_8(results[i].status);
  return status_of_8(status);
}

using Handle = v8::cudnnHandle_t;
using Tensor = v8::cudnnTensorDescriptor_t;
using Filter = v8::cudnnFilterDescriptor_t;
using Convolution = v8::cudnnConvolutionDescriptor_t;
using Forward = v8::cudnnConvolutionFwdAlgoPerf_t;
using BackwardData = v8::cudnnConvolutionBwdDataAlgoPerf_t;
using BackwardFilter = v8::cudnnConvolutionBwdFilterAlgoPerf_t;

}  // namespace

Status adapt_get_forward(Handle handle, Tensor x, Filter w, Convolution convolution, Tensor y,
                         int capacity, int* filled, Forward* results) {
  const Status status = v9::cudnnGetConvolutionForwardAlgorithm_v7(handle, x, w, convolution, y,
                                                                   capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_forward(Handle handle, Tensor x, Filter w, Convolution convolution, Tensor y,
                          int capacity, int* filled, Forward* results) {
  const Status status = v9::cudnnFindConvolutionForwardAlgorithm(handle, x, w, convolution, y,
                                                                 capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_forward_ex(Handle handle, Tensor x, const void* x_data, Filter w,
                             const void* w_data, Convolution convolution, Tensor y, void* y_data,
                             int capacity, int* filled, Forward* results, void* workspace,
                             std::size_t bytes) {
  const Status status = v9::cudnnFindConvolutionForwardAlgorithmEx(
      handle, x, x_data, w, w_data, convolution, y, y_data, capacity, filled, results, workspace,
      bytes);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_get_backward_data(Handle handle, Filter w, Tensor dy, Convolution convolution,
                               Tensor dx, int capacity, int* filled, BackwardData* results) {
  const Status status = v9::cudnnGetConvolutionBackwardDataAlgorithm_v7(
      handle, w, dy, convolution, dx, capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_backward_data(Handle handle, Filter w, Tensor dy, Convolution convolution,
                                Tensor dx, int capacity, int* filled, BackwardData* results) {
  const Status status = v9::cudnnFindConvolutionBackwardDataAlgorithm(
      handle, w, dy, convolution, dx, capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_backward_data_ex(Handle handle, Filter w, const void* w_data, Tensor dy,
                                   const void* dy_data, Convolution convolution, Tensor dx,
                                   void* dx_data, int capacity, int* filled, BackwardData* results,
                                   void* workspace, std::size_t bytes) {
  const Status status = v9::cudnnFindConvolutionBackwardDataAlgorithmEx(
      handle, w, w_data, dy, dy_data, convolution, dx, dx_data, capacity, filled, results,
      workspace, bytes);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_get_backward_filter(Handle handle, Tensor x, Tensor dy, Convolution convolution,
                                 Filter dw, int capacity, int* filled, BackwardFilter* results) {
  const Status status = v9::cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      handle, x, dy, convolution, dw, capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_backward_filter(Handle handle, Tensor x, Tensor dy, Convolution convolution,
                                  Filter dw, int capacity, int* filled, BackwardFilter* results) {
  const Status status = v9::cudnnFindConvolutionBackwardFilterAlgorithm(
      handle, x, dy, convolution, dw, capacity, filled, results);
  return with_statuses_of_8(status, capacity, filled, results);
}

Status adapt_find_backward_filter_ex(Handle handle, Tensor x, const void* x_data, Tensor dy,
                                     const void* dy_data, Convolution convolution, Filter dw,
                                     void* dw_data, int capacity, int* filled,
                                     BackwardFilter* results, void* workspace, std::size_t bytes) {
  const Status status = v9::cudnnFindConvolutionBackwardFilterAlgorithmEx(
      handle, x, x_data, dy, dy_data, convolution, dw, dw_data, capacity, filled, results,
      workspace, bytes);
  return with_statuses_of_8(status, capacity, filled, results);
}

}  // namespace anycuda
