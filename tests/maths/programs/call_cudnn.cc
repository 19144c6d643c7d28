// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: versions, texts and descriptors, which need no GPU, and calls that do (calls.h). Its
// releases are not CUDA's: the headers say which one the program was built for.
#include <cudnn.h>

#include "calls.h"

namespace {

using calls::line;

void version() {
  line("version", cudnnGetVersion());
  line("newest GPU", cudnnGetMaxDeviceVersion());
  line("runtime", cudnnGetCudartVersion());
  calls::properties("property", cudnnGetProperty);
  line("graph check", cudnnGraphVersionCheck());
  line("ops check", cudnnOpsVersionCheck());
  line("cnn check", cudnnCnnVersionCheck());
  line("adv check", cudnnAdvVersionCheck());
}

void texts() {
  for (const int status : {0,    1,    1000, 1001, 1002, 1003, 1004, 1005, 1006, 2000, 2001, 2002,
                           2003, 2004, 3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009,
                           3010, 4000, 4001, 4002, 4003, 4004, 5000, 5001, 5002, 5003, 5004, 77}) {
    line("text " + std::to_string(status), cudnnGetErrorString(cudnnStatus_t(status)));
  }
  char text[64] = "untouched";
  cudnnGetLastErrorString(text, sizeof text);
  line("last error", text);
}

void create() {
  cudnnHandle_t handle = nullptr;
  line("create", cudnnCreate(&handle), handle);
  line("create nothing", cudnnCreate(nullptr));
  line("destroy nothing", cudnnDestroy(nullptr));
  cudaStream_t stream = nullptr;
  line("null set stream", cudnnSetStream(nullptr, nullptr));
  line("null get stream", cudnnGetStream(nullptr, &stream), stream);
}

void tensors() {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnDataType_t type = CUDNN_DATA_INT8;
  int n[8] = {}, dims[8] = {}, strides[8] = {}, count = -7;
  std::size_t size = 77;
  line("tensor", cudnnCreateTensorDescriptor(&x), x);
  line("second tensor", cudnnCreateTensorDescriptor(&y), y);
  line("tensor 4d", cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 2, 3, 5, 7));
  line("get tensor 4d",
       cudnnGetTensor4dDescriptor(x, &type, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]),
       type, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
  line("tensor size", cudnnGetTensorSizeInBytes(x, &size), size);
  line("tensor strides",
       cudnnSetTensor4dDescriptorEx(x, CUDNN_DATA_FLOAT, 2, 3, 5, 7, 105, 35, 7, 1));
  const int wanted[] = {2, 3, 4, 5, 6}, apart[] = {360, 120, 30, 6, 1};
  line("tensor 5d", cudnnSetTensorNdDescriptor(y, CUDNN_DATA_DOUBLE, 5, wanted, apart));
  line("get tensor 5d", cudnnGetTensorNdDescriptor(y, 5, &type, &count, dims, strides), type, count,
       dims[4], strides[0]);
  line("tensor 5d by format",
       cudnnSetTensorNdDescriptorEx(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 5, wanted));
  line("wrong tensor",
       cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, -1, 3, 5, 7));
  line("wrong format",
       cudnnSetTensor4dDescriptor(x, cudnnTensorFormat_t(77), CUDNN_DATA_FLOAT, 1, 3, 5, 7));
  line("derived", cudnnDeriveBNTensorDescriptor(y, x, CUDNN_BATCHNORM_SPATIAL));
  line("derived 4d",
       cudnnGetTensor4dDescriptor(y, &type, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]),
       type, n[0], n[1], n[2], n[3]);
  line("reserve", cudnnDropoutGetReserveSpaceSize(x, &size), size);
  line("end of tensor", cudnnDestroyTensorDescriptor(x));
  line("end of second tensor", cudnnDestroyTensorDescriptor(y));
  line("end of no tensor", cudnnDestroyTensorDescriptor(nullptr));
}

void convolution() {
  cudnnTensorDescriptor_t x = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t of = nullptr;
  cudnnDataType_t type = CUDNN_DATA_INT8;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  cudnnConvolutionMode_t mode = CUDNN_CONVOLUTION;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int n[7] = {};
  std::size_t size = 77;
  cudnnCreateTensorDescriptor(&x);
  cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 32, 32);
  line("filter", cudnnCreateFilterDescriptor(&w), w);
  line("filter 4d", cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 8, 3, 5, 5));
  line("get filter 4d", cudnnGetFilter4dDescriptor(w, &type, &format, &n[0], &n[1], &n[2], &n[3]),
       type, format, n[0], n[1], n[2], n[3]);
  line("filter size", cudnnGetFilterSizeInBytes(w, &size), size);
  line("convolution", cudnnCreateConvolutionDescriptor(&of), of);
  line("convolution 2d", cudnnSetConvolution2dDescriptor(
                             of, 1, 2, 3, 1, 1, 2, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  line("get convolution 2d",
       cudnnGetConvolution2dDescriptor(of, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &mode, &type),
       n[0], n[1], n[2], n[3], n[4], n[5], mode, type);
  line("groups", cudnnSetConvolutionGroupCount(of, 3));
  line("get groups", cudnnGetConvolutionGroupCount(of, &n[0]), n[0]);
  line("one group", cudnnSetConvolutionGroupCount(of, 1));
  line("math", cudnnSetConvolutionMathType(of, CUDNN_TENSOR_OP_MATH));
  line("get math", cudnnGetConvolutionMathType(of, &math), math);
  line("output", cudnnGetConvolution2dForwardOutputDim(of, x, w, &n[0], &n[1], &n[2], &n[3]), n[0],
       n[1], n[2], n[3]);
  line("wrong convolution",
       cudnnSetConvolution2dDescriptor(of, -1, 2, 3, 1, 1, 2, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
  line("end of convolution", cudnnDestroyConvolutionDescriptor(of));
  line("end of filter", cudnnDestroyFilterDescriptor(w));
  cudnnDestroyTensorDescriptor(x);
}

void layers() {
  cudnnPoolingDescriptor_t pooling = nullptr;
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_PROPAGATE_NAN;
  int n[6] = {};
  line("pooling", cudnnCreatePoolingDescriptor(&pooling), pooling);
  line("pooling 2d",
       cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                                   CUDNN_NOT_PROPAGATE_NAN, 2, 3, 0, 1, 2, 1));
  line("get pooling 2d",
       cudnnGetPooling2dDescriptor(pooling, &mode, &nan, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]),
       mode, nan, n[0], n[1], n[2], n[3], n[4], n[5]);
  line("end of pooling", cudnnDestroyPoolingDescriptor(pooling));

  cudnnActivationDescriptor_t activation = nullptr;
  cudnnActivationMode_t kind = CUDNN_ACTIVATION_SIGMOID;
  double number = 7;
  line("activation", cudnnCreateActivationDescriptor(&activation), activation);
  line("activation set", cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_CLIPPED_RELU,
                                                      CUDNN_NOT_PROPAGATE_NAN, 6.25));
  line("get activation", cudnnGetActivationDescriptor(activation, &kind, &nan, &number), kind, nan,
       number);
  line("swish", cudnnSetActivationDescriptorSwishBeta(activation, 1.5));
  line("get swish", cudnnGetActivationDescriptorSwishBeta(activation, &number), number);
  line("end of activation", cudnnDestroyActivationDescriptor(activation));

  cudnnLRNDescriptor_t lrn = nullptr;
  unsigned window = 0;
  double alpha = 0, beta = 0, k = 0;
  line("lrn", cudnnCreateLRNDescriptor(&lrn), lrn);
  line("lrn set", cudnnSetLRNDescriptor(lrn, 5, 1e-4, 0.75, 2));
  line("get lrn", cudnnGetLRNDescriptor(lrn, &window, &alpha, &beta, &k), window, alpha, beta, k);
  line("wrong lrn", cudnnSetLRNDescriptor(lrn, 77, 1e-4, 0.75, 2));
  line("end of lrn", cudnnDestroyLRNDescriptor(lrn));

  cudnnReduceTensorDescriptor_t reduce = nullptr;
  cudnnReduceTensorOp_t sum = CUDNN_REDUCE_TENSOR_MUL;
  cudnnDataType_t type = CUDNN_DATA_INT8;
  cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  cudnnIndicesType_t width = CUDNN_32BIT_INDICES;
  line("reduce", cudnnCreateReduceTensorDescriptor(&reduce), reduce);
  line("reduce set", cudnnSetReduceTensorDescriptor(
                         reduce, CUDNN_REDUCE_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN,
                         CUDNN_REDUCE_TENSOR_FLATTENED_INDICES, CUDNN_32BIT_INDICES));
  line("get reduce", cudnnGetReduceTensorDescriptor(reduce, &sum, &type, &nan, &indices, &width),
       sum, type, nan, indices, width);
  line("end of reduce", cudnnDestroyReduceTensorDescriptor(reduce));

  cudnnOpTensorDescriptor_t op = nullptr;
  cudnnOpTensorOp_t add = CUDNN_OP_TENSOR_MUL;
  line("op", cudnnCreateOpTensorDescriptor(&op), op);
  line("op set",
       cudnnSetOpTensorDescriptor(op, CUDNN_OP_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN));
  line("get op", cudnnGetOpTensorDescriptor(op, &add, &type, &nan), add, type, nan);
  line("end of op", cudnnDestroyOpTensorDescriptor(op));
}

void sequences() {
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnDropoutDescriptor_t dropout = nullptr;
  cudnnCTCLossDescriptor_t ctc = nullptr;
  cudnnAttnDescriptor_t attention = nullptr;
  cudnnSeqDataDescriptor_t sequence = nullptr;
  cudnnDataType_t type = CUDNN_DATA_INT8;
  std::size_t size = 77;
  line("dropout", cudnnCreateDropoutDescriptor(&dropout), dropout);
  line("states", cudnnDropoutGetStatesSize(nullptr, &size));
  line("rnn", cudnnCreateRNNDescriptor(&rnn), rnn);
  line("rnn set",
       cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                                CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, 64, 64, 64, 2, dropout, 0));
  line("end of rnn", cudnnDestroyRNNDescriptor(rnn));
  line("end of dropout", cudnnDestroyDropoutDescriptor(dropout));
  line("ctc", cudnnCreateCTCLossDescriptor(&ctc), ctc);
  line("ctc set", cudnnSetCTCLossDescriptor(ctc, CUDNN_DATA_FLOAT));
  line("get ctc", cudnnGetCTCLossDescriptor(ctc, &type), type);
  line("end of ctc", cudnnDestroyCTCLossDescriptor(ctc));
  line("attention", cudnnCreateAttnDescriptor(&attention), attention);
  line("end of attention", cudnnDestroyAttnDescriptor(attention));
  line("sequence", cudnnCreateSeqDataDescriptor(&sequence), sequence);
  line("end of sequence", cudnnDestroySeqDataDescriptor(sequence));
}

void graph() {
  cudnnBackendDescriptor_t tensor = nullptr;
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const std::int64_t dims[] = {2, 3, 4, 4}, strides[] = {48, 16, 4, 1}, id = 'x', align = 16;
  std::int64_t got[4] = {}, count = -7;
  const auto set = [&](const char* name, cudnnBackendAttributeName_t attribute,
                       cudnnBackendAttributeType_t of, std::int64_t how_many, const void* values) {
    line(name, cudnnBackendSetAttribute(tensor, attribute, of, how_many, values));
  };
  line("graph tensor", cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &tensor),
       tensor);
  set("graph type", CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set("graph dimensions", CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
  set("graph unknown", cudnnBackendAttributeName_t(77777), CUDNN_TYPE_INT64, 1, &id);
  line("graph finalize early", cudnnBackendFinalize(tensor));
  set("graph strides", CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
  set("graph id", CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  set("graph alignment", CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &align);
  line("graph finalize", cudnnBackendFinalize(tensor));
  line("graph get",
       cudnnBackendGetAttribute(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, &count,
                                got),
       count, got[0], got[1], got[2], got[3]);
  line("end of graph tensor", cudnnBackendDestroyDescriptor(tensor));
  line("graph nothing", cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t(77777), &tensor));
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"texts", texts},
                      {"create", create},
                      {"tensors", tensors},
                      {"convolution", convolution},
                      {"layers", layers},
                      {"sequences", sequences},
                      {"graph", graph}});
}
