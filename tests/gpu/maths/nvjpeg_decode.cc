// SPDX-License-Identifier: Apache-2.0

// nvJPEG: headers, output formats, regions, and batches.
#include <algorithm>

#include "nvjpeg_support.h"

namespace maths {
namespace {

// What a program with these formats gets of the picture.
struct Format {
  const char* name;
  nvjpegOutputFormat_t format;
  int channels;  // planes of one byte a pixel, or one plane of three
  Bytes (*want)(const Bytes&);
};

Bytes same(const Bytes& pixels) { return pixels; }
Bytes yuv(const Bytes& pixels) {
  Bytes all;
  for (const Bytes& plane : planes(pixels, 1, 1)) all.insert(all.end(), plane.begin(), plane.end());
  return all;
}
Bytes luma(const Bytes& pixels) { return planes(pixels, 1, 1)[0]; }

const Format kFormats[] = {{"rgbi", NVJPEG_OUTPUT_RGBI, 0, same},
                           {"bgri", NVJPEG_OUTPUT_BGRI, 0, blue_first},
                           {"rgb", NVJPEG_OUTPUT_RGB, 3, colour_planes},
                           {"bgr", NVJPEG_OUTPUT_BGR, 3,
                            [](const Bytes& pixels) { return colour_planes(blue_first(pixels)); }},
                           {"yuv", NVJPEG_OUTPUT_YUV, 3, yuv},
                           {"unchanged", NVJPEG_OUTPUT_UNCHANGED, 3, yuv},
                           {"y", NVJPEG_OUTPUT_Y, 1, luma}};

void near_picture(Check& check, const Decoded& decoded, const Bytes& want) {
  if (!check) return;
  const Bytes got = decoded.get(check);
  const double ratio = got.size() == want.size() ? noise_ratio(got, want) : 0;
  EXPECT(check, ratio > 35);
  check.value("noise_ratio", ratio);
}

void in_format(Check& check, nvjpegHandle_t handle, const Bytes& stream, const Format& format) {
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  INTACT(check, state);
  Decoded decoded = space(format.channels);
  NEED(check, nvjpegDecode(handle, *state, stream.data(), stream.size(), format.format,
                           decoded.image.get(), nullptr));
  near_picture(check, decoded, format.want(picture()));
  NEED(check, nvjpegJpegStateDestroy(*state));
}

// A stream of the tables that a JPEG has before its picture, and of no picture.
Bytes tables_of(const Bytes& bytes) {
  Bytes tables{0xFF, 0xD8};
  for (std::size_t at = 2; at + 4 < bytes.size() && bytes[at + 1] != 0xDA;) {
    const std::size_t length = 2 + bytes[at + 2] * 256 + bytes[at + 3];
    if (bytes[at + 1] == 0xDB || bytes[at + 1] == 0xC4) {
      tables.insert(tables.end(), bytes.begin() + static_cast<long>(at),
                    bytes.begin() + static_cast<long>(at + length));
    }
    at += length;
  }
  tables.insert(tables.end(), {0xFF, 0xD9});
  return tables;
}

void header(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  const Stream parsed(check, handle, bytes);
  if (!check) return;
  nvjpegJpegStream_t stream = *parsed.stream;
  NEED(check, nvjpegJpegStreamParseHeader(handle, bytes.data(), bytes.size(), stream));
  Guarded<nvjpegJpegEncoding_t> encoding;
  Guarded<unsigned> width, height, components, part_width, part_height;
  Guarded<nvjpegChromaSubsampling_t> sampling;
  Guarded<nvjpegExifOrientation_t> orientation;
  NEED(check, nvjpegJpegStreamGetJpegEncoding(stream, encoding.get()));
  NEED(check, nvjpegJpegStreamGetFrameDimensions(stream, width.get(), height.get()));
  NEED(check, nvjpegJpegStreamGetComponentsNum(stream, components.get()));
  NEED(check,
       nvjpegJpegStreamGetComponentDimensions(stream, 1, part_width.get(), part_height.get()));
  NEED(check, nvjpegJpegStreamGetChromaSubsampling(stream, sampling.get()));
  NEED(check, nvjpegJpegStreamGetExifOrientation(stream, orientation.get()));
  EXPECT(check, *encoding == NVJPEG_ENCODING_BASELINE_DCT && *components == 3);
  EXPECT(check, *width == kWidth && *height == kHeight);
  EXPECT(check, *part_width == kWidth / 2 && *part_height == kHeight / 2);
  EXPECT(check, *sampling == NVJPEG_CSS_420 && *orientation == NVJPEG_ORIENTATION_UNKNOWN);
  INTACT(check, encoding);
  INTACT(check, width);
  INTACT(check, height);
  INTACT(check, components);
  INTACT(check, part_width);
  INTACT(check, part_height);
  INTACT(check, sampling);
  INTACT(check, orientation);
#if CUDART_VERSION >= 12010
  Guarded<unsigned> precision;
  NEED(check, nvjpegJpegStreamGetSamplePrecision(stream, precision.get()));
  EXPECT(check, *precision == 8);
  INTACT(check, precision);
#endif
  const Bytes tables = tables_of(bytes);
  NEED(check, nvjpegJpegStreamParseTables(handle, tables.data(), tables.size(), stream));
}

// A decoder with buffers of its state, which decodes at once.
class Decoder {
 public:
  Decoder(Check& check, nvjpegHandle_t handle, nvjpegBackend_t backend) : handle_(handle) {
    CALL(check, nvjpegDecoderCreate(handle, backend, decoder_.get())) &&
        CALL(check, nvjpegDecoderStateCreate(handle, *decoder_, state_.get())) &&
        CALL(check, nvjpegBufferPinnedCreate(handle, nullptr, pinned_.get())) &&
        CALL(check, nvjpegBufferDeviceCreate(handle, nullptr, device_.get())) &&
        CALL(check, nvjpegStateAttachPinnedBuffer(*state_, *pinned_)) &&
        CALL(check, nvjpegStateAttachDeviceBuffer(*state_, *device_)) &&
        CALL(check, nvjpegDecodeParamsCreate(handle, parameters_.get())) &&
        CALL(check, nvjpegDecodeParamsSetOutputFormat(*parameters_, NVJPEG_OUTPUT_RGBI));
  }
  nvjpegDecodeParams_t parameters() const { return *parameters_; }
  nvjpegStatus_t decode(const Stream& stream, Decoded& to) const {
    return nvjpegDecodeJpeg(handle_, *decoder_, *state_, *stream.stream, to.image.get(),
                            *parameters_, nullptr);
  }
  // After all went well.
  void close(Check& check) const {
    CALL(check, nvjpegDecodeParamsDestroy(*parameters_));
    CALL(check, nvjpegJpegStateDestroy(*state_));
    CALL(check, nvjpegBufferPinnedDestroy(*pinned_));
    CALL(check, nvjpegBufferDeviceDestroy(*device_));
    CALL(check, nvjpegDecoderDestroy(*decoder_));
  }

 private:
  nvjpegHandle_t handle_;
  Guarded<nvjpegJpegDecoder_t> decoder_;
  Guarded<nvjpegJpegState_t> state_;
  Guarded<nvjpegBufferPinned_t> pinned_;
  Guarded<nvjpegBufferDevice_t> device_;
  Guarded<nvjpegDecodeParams_t> parameters_;
};

// A region of the picture.
void region(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  constexpr int kX = 48, kY = 32, kW = 80, kH = 64;
  const Stream parsed(check, handle, bytes);
  const Decoder decoder(check, handle, NVJPEG_BACKEND_HYBRID);
  if (!check) return;
  NEED(check, nvjpegDecodeParamsSetROI(decoder.parameters(), kX, kY, kW, kH));
  NEED(check, nvjpegDecodeParamsSetScaleFactor(decoder.parameters(), NVJPEG_SCALE_NONE));
  const Bytes pixels = picture();
  Bytes part;
  for (int y = kY; y < kY + kH; ++y) {
    const auto from = pixels.begin() + (y * kWidth + kX) * 3;
    part.insert(part.end(), from, from + kW * 3);
  }
  Decoded decoded = space(0, kW, kH);
  NEED(check, decoder.decode(parsed, decoded));
  near_picture(check, decoded, part);
  decoder.close(check);
}

// Turned by half a circle, where the decoder turns pictures, and else as it is.
void turned(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  const Stream parsed(check, handle, bytes);
  const Decoder decoder(check, handle, NVJPEG_BACKEND_GPU_HYBRID);
  if (!check) return;
  const nvjpegStatus_t set =
      nvjpegDecodeParamsSetExifOrientation(decoder.parameters(), NVJPEG_ORIENTATION_ROTATE_180);
  check.value("set", set);
  Decoded whole = space(0);
  NEED(check, decoder.decode(parsed, whole));
  Bytes reversed = blue_first(picture());
  std::reverse(reversed.begin(), reversed.end());
  const Bytes got = whole.get(check);
  const double ratio = noise_ratio(got, reversed), unturned = noise_ratio(got, picture());
  EXPECT(check, ratio > 35 || unturned > 35);
  check.value("turned", ratio > 35);
  decoder.close(check);
}

// Three pictures at once; with parameters for each only decoders of hardware do it, where there
// are.
void batch_by(Check& check, nvjpegHandle_t handle, const Bytes& bytes, bool hardware) {
  constexpr int kBatch = 3;
  const Stream parsed(check, handle, bytes);
  if (!check) return;
  Guarded<int> unsupported, unsupported_ex;
  Guarded<nvjpegDecodeParams_t> parameters;
  NEED(check, nvjpegDecodeParamsCreate(handle, parameters.get()));
  INTACT(check, parameters);
  NEED(check, nvjpegDecodeBatchedSupported(handle, *parsed.stream, unsupported.get()));
  NEED(check,
       nvjpegDecodeBatchedSupportedEx(handle, *parsed.stream, *parameters, unsupported_ex.get()));
  EXPECT(check, *unsupported == 0 && *unsupported_ex == 0);
  INTACT(check, unsupported);
  INTACT(check, unsupported_ex);
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  NEED(check, nvjpegDecodeBatchedInitialize(handle, *state, kBatch, 1, NVJPEG_OUTPUT_RGBI));
  if (!hardware) {
    NEED(check, nvjpegDecodeBatchedPreAllocate(handle, *state, kBatch, kWidth, kHeight,
                                               NVJPEG_CSS_420, NVJPEG_OUTPUT_RGBI));
  }
  const unsigned char* data[kBatch];
  std::size_t lengths[kBatch];
  nvjpegDecodeParams_t all_parameters[kBatch];
  struct Images {
    nvjpegImage_t all[kBatch];
  };
  Guarded<Images> images{Images{}};
  DeviceArray<unsigned char> memory(kBatch * kPlane * 3);
  for (int i = 0; i < kBatch; ++i) {
    data[i] = bytes.data();
    lengths[i] = bytes.size();
    all_parameters[i] = *parameters;
    images->all[i].channel[0] = memory.data() + i * kPlane * 3;
    images->all[i].pitch[0] = kWidth * 3;
  }
  const nvjpegStatus_t extended =
      nvjpegDecodeBatchedEx(handle, *state, data, lengths, images->all, all_parameters, nullptr);
  check.value("extended", extended);
  if (extended != NVJPEG_STATUS_SUCCESS) {
    NEED(check, nvjpegDecodeBatched(handle, *state, data, lengths, images->all, nullptr));
  }
  NEED(check, cudaDeviceSynchronize());
  INTACT(check, images);
  const Bytes got = memory.get(check), pixels = picture();
  for (int i = 0; i < kBatch; ++i) {
    const auto from = got.begin() + static_cast<long>(i * kPlane * 3);
    EXPECT(check, noise_ratio(Bytes(from, from + kPlane * 3), pixels) > 30);
  }
  NEED(check, nvjpegJpegStateDestroy(*state));
  NEED(check, nvjpegDecodeParamsDestroy(*parameters));
}
void batch(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  batch_by(check, handle, bytes, false);
}
void batch_of_hardware(Check& check, nvjpegHandle_t, const Bytes& bytes) {
  Guarded<nvjpegHandle_t> handle;
  const nvjpegStatus_t status =
      nvjpegCreateEx(NVJPEG_BACKEND_HARDWARE, nullptr, nullptr, NVJPEG_FLAGS_DEFAULT, handle.get());
  check.value("made", status);
  INTACT(check, handle);
  if (status != NVJPEG_STATUS_SUCCESS) return;
  batch_by(check, *handle, bytes, true);
  CALL(check, nvjpegDestroy(*handle));
}

// What tables a batch's JPEGs share is read before them, where the library reads such.
void batch_tables(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  NEED(check, nvjpegDecodeBatchedInitialize(handle, *state, 1, 1, NVJPEG_OUTPUT_RGBI));
  const Bytes tables = tables_of(bytes);
  check.value("status",
              nvjpegDecodeBatchedParseJpegTables(handle, *state, tables.data(), tables.size()));
  NEED(check, nvjpegJpegStateDestroy(*state));
}

}  // namespace

void run() {
  Check made("nvjpeg_decode.handle");
  Guarded<nvjpegHandle_t> handle;
  NEED(made, nvjpegCreateSimple(handle.get()));
  INTACT(made, handle);
  const Bytes full = encoded_picture(made, *handle);
  const Bytes less = encoded_picture(made, *handle, NVJPEG_CSS_420);
  if (!made) return;
  for (const Format& format : kFormats) {
    Check check(std::string("nvjpeg_decode.") + format.name);
    in_format(check, *handle, full, format);
  }
  using Topics = std::initializer_list<Topic<nvjpegHandle_t, const Bytes&>>;
  const Topics of_full = {
      {"region", region}, {"turned", turned}, {"batch_tables", batch_tables}, {"batch", batch}};
  run_topics<nvjpegHandle_t, const Bytes&>("nvjpeg_decode", of_full, *handle, full);
  const Topics of_less = {{"header", header}, {"batch_of_hardware", batch_of_hardware}};
  run_topics<nvjpegHandle_t, const Bytes&>("nvjpeg_decode", of_less, *handle, less);
  CALL(made, nvjpegDestroy(*handle));
}

}  // namespace maths
