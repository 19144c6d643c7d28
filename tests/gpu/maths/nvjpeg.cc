// SPDX-License-Identifier: Apache-2.0

// nvJPEG: a picture is encoded, inspected, decoded, and compared with the original.
#include "nvjpeg_support.h"

namespace maths {
namespace {

void encode(Check& check, nvjpegHandle_t handle, const Bytes& pixels, Bytes& stream) {
  Guarded<nvjpegEncoderState_t> state;
  Guarded<nvjpegEncoderParams_t> parameters;
  NEED(check, nvjpegEncoderStateCreate(handle, state.get(), nullptr));
  NEED(check, nvjpegEncoderParamsCreate(handle, parameters.get(), nullptr));
  INTACT(check, state);
  INTACT(check, parameters);
  NEED(check, nvjpegEncoderParamsSetQuality(*parameters, 95, nullptr));
  NEED(check, nvjpegEncoderParamsSetSamplingFactors(*parameters, NVJPEG_CSS_444, nullptr));
  DeviceArray<unsigned char> memory(pixels);
  Guarded<nvjpegImage_t> image{nvjpegImage_t{}};
  image->channel[0] = memory.data();
  image->pitch[0] = kWidth * 3;
  NEED(check, nvjpegEncodeImage(handle, *state, *parameters, image.get(), NVJPEG_INPUT_RGBI, kWidth,
                                kHeight, nullptr));
  INTACT(check, image);
  Guarded<std::size_t> length;
  NEED(check, nvjpegEncodeRetrieveBitstream(handle, *state, nullptr, length.get(), nullptr));
  NEED(check, cudaDeviceSynchronize());
  INTACT(check, length);
  EXPECT(check, *length > 100 && *length < pixels.size());
  stream.resize(*length);
  NEED(check, nvjpegEncodeRetrieveBitstream(handle, *state, stream.data(), length.get(), nullptr));
  NEED(check, cudaDeviceSynchronize());
  EXPECT(check, stream[0] == 0xFF && stream[1] == 0xD8);
  NEED(check, nvjpegEncoderParamsDestroy(*parameters));
  NEED(check, nvjpegEncoderStateDestroy(*state));
}

void look(Check& check, nvjpegHandle_t handle, const Bytes& stream) {
  struct Sizes {
    int of[NVJPEG_MAX_COMPONENT];
  };
  Guarded<Sizes> widths, heights;
  Guarded<int> components;
  Guarded<nvjpegChromaSubsampling_t> sampling;
  NEED(check, nvjpegGetImageInfo(handle, stream.data(), stream.size(), components.get(),
                                 sampling.get(), widths->of, heights->of));
  EXPECT(check, *components == 3 && *sampling == NVJPEG_CSS_444);
  EXPECT(check, widths->of[0] == kWidth && heights->of[0] == kHeight);
  INTACT(check, components);
  INTACT(check, sampling);
  INTACT(check, widths);
  INTACT(check, heights);
}

void decode(Check& check, nvjpegHandle_t handle, const Bytes& stream, const Bytes& pixels) {
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  INTACT(check, state);
  DeviceArray<unsigned char> memory(pixels.size());
  Guarded<nvjpegImage_t> image{nvjpegImage_t{}};
  image->channel[0] = memory.data();
  image->pitch[0] = kWidth * 3;
  NEED(check, nvjpegDecode(handle, *state, stream.data(), stream.size(), NVJPEG_OUTPUT_RGBI,
                           image.get(), nullptr));
  NEED(check, cudaDeviceSynchronize());
  INTACT(check, image);
  const double ratio = noise_ratio(memory.get(check), pixels);
  EXPECT(check, ratio > 35);
  check.value("noise_ratio", ratio);
  NEED(check, nvjpegJpegStateDestroy(*state));
}

}  // namespace

void run() {
  Check made("nvjpeg.handle");
  Guarded<nvjpegHandle_t> handle;
  NEED(made, nvjpegCreateSimple(handle.get()));
  INTACT(made, handle);
  const Bytes pixels = picture();
  Bytes stream;
  {
    Check check("nvjpeg.encode");
    encode(check, *handle, pixels, stream);
    if (!check) return;
  }
  {
    Check check("nvjpeg.look");
    look(check, *handle, stream);
  }
  {
    Check check("nvjpeg.decode");
    decode(check, *handle, stream, pixels);
  }
  CALL(made, nvjpegDestroy(*handle));
}

}  // namespace maths
