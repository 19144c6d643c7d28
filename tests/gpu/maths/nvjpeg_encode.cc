// SPDX-License-Identifier: Apache-2.0

// nvJPEG: encoding of each input format, of planes of Y, Cb and Cr, by each kind of code; JPEGs on
// the device; what is taken over from another JPEG.
#include <algorithm>
#include <string>

#include "nvjpeg_support.h"

namespace maths {
namespace {

// An encoder's state and parameters, for a JPEG of Y, Cb and Cr of the same size.
struct Encoder {
  Encoder(Check& check, nvjpegHandle_t handle) : handle(handle) {
    Guarded<nvjpegEncoderState_t> made;
    Guarded<nvjpegEncoderParams_t> made_parameters;
    if (!CALL(check, nvjpegEncoderStateCreate(handle, made.get(), nullptr))) return;
    state = *made;
    if (!CALL(check, nvjpegEncoderParamsCreate(handle, made_parameters.get(), nullptr))) return;
    parameters = *made_parameters;
    INTACT(check, made);
    INTACT(check, made_parameters);
    CALL(check, nvjpegEncoderParamsSetQuality(parameters, 95, nullptr));
    CALL(check, nvjpegEncoderParamsSetSamplingFactors(parameters, NVJPEG_CSS_444, nullptr));
  }
  ~Encoder() {
    if (parameters != nullptr) nvjpegEncoderParamsDestroy(parameters);
    if (state != nullptr) nvjpegEncoderStateDestroy(state);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  Bytes stream(Check& check) const {
    Guarded<std::size_t> length;
    if (!check ||
        !CALL(check,
              nvjpegEncodeRetrieveBitstream(handle, state, nullptr, length.get(), nullptr)) ||
        !CALL(check, cudaDeviceSynchronize())) {
      return {};
    }
    Bytes bytes(*length);
    CALL(check, nvjpegEncodeRetrieveBitstream(handle, state, bytes.data(), length.get(), nullptr));
    CALL(check, cudaDeviceSynchronize());
    INTACT(check, length);
    return bytes;
  }
  Bytes image(Check& check, const Bytes& pixels, nvjpegInputFormat_t format, bool planar) const {
    const DeviceArray<unsigned char> memory(pixels);
    Guarded<nvjpegImage_t> source{nvjpegImage_t{}};
    for (int i = 0; i < (planar ? 3 : 1); ++i) {
      source->channel[i] = memory.data() + i * kPlane;
      source->pitch[i] = planar ? kWidth : 3 * kWidth;
    }
    CALL(check, nvjpegEncodeImage(handle, state, parameters, source.get(), format, kWidth, kHeight,
                                  nullptr));
    INTACT(check, source);
    return stream(check);
  }

  nvjpegHandle_t handle;
  nvjpegEncoderState_t state = nullptr;
  nvjpegEncoderParams_t parameters = nullptr;
};

// Whether a JPEG is the picture.
void near_picture(Check& check, nvjpegHandle_t handle, const Bytes& stream, double wanted = 35) {
  if (!check) return;
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  DeviceArray<unsigned char> memory(3 * kPlane);
  nvjpegImage_t image{};
  image.channel[0] = memory.data();
  image.pitch[0] = 3 * kWidth;
  NEED(check, nvjpegDecode(handle, *state, stream.data(), stream.size(), NVJPEG_OUTPUT_RGBI, &image,
                           nullptr));
  NEED(check, cudaDeviceSynchronize());
  const double ratio = noise_ratio(memory.get(check), picture());
  if (!(ratio > wanted)) check.fail("noise ratio " + std::to_string(ratio));
  NEED(check, nvjpegJpegStateDestroy(*state));
}

nvjpegJpegEncoding_t encoding_of(Check& check, nvjpegHandle_t handle, const Bytes& stream) {
  Guarded<nvjpegJpegStream_t> parsed;
  Guarded<nvjpegJpegEncoding_t> encoding{NVJPEG_ENCODING_UNKNOWN};
  if (CALL(check, nvjpegJpegStreamCreate(handle, parsed.get()))) {
    CALL(check, nvjpegJpegStreamParseHeader(handle, stream.data(), stream.size(), *parsed)) &&
        CALL(check, nvjpegJpegStreamGetJpegEncoding(*parsed, encoding.get()));
    CALL(check, nvjpegJpegStreamDestroy(*parsed));
  }
  INTACT(check, encoding);
  return *encoding;
}

// What the segments of a kind before the picture's numbers have, one after the other.
std::string segments(const Bytes& stream, unsigned char kind) {
  std::string all;
  for (std::size_t at = 2; at + 4 < stream.size() && stream[at + 1] != 0xDA;) {
    const std::size_t length = stream[at + 2] * 256 + stream[at + 3];
    if (stream[at + 1] == kind) {
      all.append(stream.begin() + static_cast<long>(at + 4),
                 stream.begin() + static_cast<long>(at + 2 + length));
    }
    at += 2 + length;
  }
  return all;
}

void formats(Check& check, nvjpegHandle_t handle) {
  const Encoder encoder(check, handle);
  const Bytes pixels = picture();
  const struct {
    nvjpegInputFormat_t format;
    bool planar;
    Bytes pixels;
  } rows[] = {{NVJPEG_INPUT_RGBI, false, pixels},
              {NVJPEG_INPUT_BGRI, false, blue_first(pixels)},
              {NVJPEG_INPUT_RGB, true, colour_planes(pixels)},
              {NVJPEG_INPUT_BGR, true, colour_planes(blue_first(pixels))}};
  Guarded<std::size_t> most;
  if (check) {
    NEED(check, nvjpegEncodeGetBufferSize(handle, encoder.parameters, kWidth, kHeight, most.get()));
  }
  INTACT(check, most);
  for (const auto& row : rows) {
    if (!check) return;
    const Bytes stream = encoder.image(check, row.pixels, row.format, row.planar);
    EXPECT(check, stream.size() <= *most);
    near_picture(check, handle, stream);
  }
}

// Planes, of which those of colours are half as wide and high.
void yuv(Check& check, nvjpegHandle_t handle) {
  const Encoder encoder(check, handle);
  if (!check) return;
  const std::vector<Bytes> all = planes(picture(), 2, 2);
  const DeviceArray<unsigned char> y(all[0]), cb(all[1]), cr(all[2]);
  Guarded<nvjpegImage_t> source{nvjpegImage_t{}};
  source->channel[0] = y.data();
  source->channel[1] = cb.data();
  source->channel[2] = cr.data();
  source->pitch[0] = kWidth;
  source->pitch[1] = source->pitch[2] = kWidth / 2;
  NEED(check, nvjpegEncoderParamsSetSamplingFactors(encoder.parameters, NVJPEG_CSS_420, nullptr));
  NEED(check, nvjpegEncodeYUV(handle, encoder.state, encoder.parameters, source.get(),
                              NVJPEG_CSS_420, kWidth, kHeight, nullptr));
  INTACT(check, source);
  near_picture(check, handle, encoder.stream(check), 30);
}

// With a Huffman code made for the picture, which is shorter, and by steps.
void codes(Check& check, nvjpegHandle_t handle) {
  const Encoder encoder(check, handle);
  if (!check) return;
  const Bytes pixels = picture(), plain = encoder.image(check, pixels, NVJPEG_INPUT_RGBI, false);
  EXPECT(check, encoding_of(check, handle, plain) == NVJPEG_ENCODING_BASELINE_DCT);
  NEED(check, nvjpegEncoderParamsSetOptimizedHuffman(encoder.parameters, 1, nullptr));
  const Bytes optimized = encoder.image(check, pixels, NVJPEG_INPUT_RGBI, false);
  EXPECT(check, optimized.size() < plain.size());
  near_picture(check, handle, optimized);
  NEED(check, nvjpegEncoderParamsSetEncoding(encoder.parameters,
                                             NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN, nullptr));
  const Bytes progressive = encoder.image(check, pixels, NVJPEG_INPUT_RGBI, false);
  EXPECT(check, encoding_of(check, handle, progressive) == NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN);
  near_picture(check, handle, progressive);
}

// The JPEG for the device's memory is as long as that for the host's. Whether the call copies it,
// once the host has it, is as natively: 13.0 does not.
void on_device(Check& check, nvjpegHandle_t handle) {
  const Encoder encoder(check, handle);
  if (!check) return;
  const Bytes host = encoder.image(check, picture(), NVJPEG_INPUT_RGBI, false);
  DeviceArray<unsigned char> memory(host.size());
  Guarded<std::size_t> length{host.size()};
  NEED(check, nvjpegEncodeRetrieveBitstreamDevice(handle, encoder.state, memory.data(),
                                                  length.get(), nullptr));
  NEED(check, cudaDeviceSynchronize());
  INTACT(check, length);
  EXPECT(check, *length == host.size());
  check.value("copied", memory.get(check) == host);
}

// Another JPEG with an application's text, as it is parsed to be taken over.
struct Other {
  Other(Check& check, nvjpegHandle_t handle) {
    const std::string text = "soft waves of colours";
    bytes = encoded_picture(check, handle);
    Bytes segment{0xFF, 0xEC, 0, static_cast<unsigned char>(2 + text.size())};
    segment.insert(segment.end(), text.begin(), text.end());
    if (!check) return;
    bytes.insert(bytes.begin() + 2, segment.begin(), segment.end());
    if (!check || !CALL(check, nvjpegJpegStreamCreate(handle, stream.get()))) return;
    INTACT(check, stream);
    made = true;
    CALL(check, nvjpegJpegStreamParse(handle, bytes.data(), bytes.size(), 1, 0, *stream));
  }
  ~Other() {
    if (made) nvjpegJpegStreamDestroy(*stream);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  Bytes bytes;
  Guarded<nvjpegJpegStream_t> stream;
  bool made = false;
};

// The text and quantization come from the other JPEG, although another quality was set before.
void taken_over(Check& check, nvjpegHandle_t handle) {
  const Other other(check, handle);
  const Encoder encoder(check, handle);
  if (!check) return;
  NEED(check, nvjpegEncoderParamsSetQuality(encoder.parameters, 20, nullptr));
  NEED(check,
       nvjpegEncoderParamsCopyMetadata(encoder.state, encoder.parameters, *other.stream, nullptr));
  NEED(check,
       nvjpegEncoderParamsCopyQuantizationTables(encoder.parameters, *other.stream, nullptr));
  const Bytes stream = encoder.image(check, picture(), NVJPEG_INPUT_RGBI, false);
  EXPECT(check, segments(stream, 0xEC) == segments(other.bytes, 0xEC));
  EXPECT(check, segments(stream, 0xDB) == segments(other.bytes, 0xDB));
  near_picture(check, handle, stream);
}

void huffman_tables(Check& check, nvjpegHandle_t handle) {
#if CUDART_VERSION < 13000
  const Other other(check, handle);
  const Encoder encoder(check, handle);
  if (!check) return;
  NEED(check, nvjpegEncoderParamsCopyHuffmanTables(encoder.state, encoder.parameters, *other.stream,
                                                   nullptr));
  near_picture(check, handle, encoder.image(check, picture(), NVJPEG_INPUT_RGBI, false));
#else
  (void)check, (void)handle;  // CUDA 13 has none
#endif
}

// An encoder on the GPU by its name, a restart interval, and the number of hardware encoders.
void newer(Check& check, nvjpegHandle_t handle) {
#if CUDART_VERSION >= 12090
  Guarded<unsigned> engines;
  NEED(check, nvjpegGetHardwareEncoderInfo(handle, engines.get()));
  EXPECT(check, *engines < 64);
  INTACT(check, engines);
  Encoder encoder(check, handle);
  if (!check) return;
  Guarded<nvjpegEncoderState_t> state;
  NEED(check,
       nvjpegEncoderStateCreateWithBackend(handle, state.get(), NVJPEG_ENC_BACKEND_GPU, nullptr));
  INTACT(check, state);
  NEED(check, nvjpegEncoderStateDestroy(encoder.state));
  encoder.state = *state;
  NEED(check, nvjpegEncoderParamsSetRestartInterval(encoder.parameters, 16, nullptr));
  const DeviceArray<unsigned char> memory(picture());
  Guarded<nvjpegImage_t> source{nvjpegImage_t{}};
  source->channel[0] = memory.data();
  source->pitch[0] = 3 * kWidth;
  NEED(check, nvjpegEncode(handle, encoder.state, encoder.parameters, source.get(), NVJPEG_CSS_444,
                           NVJPEG_INPUT_RGBI, kWidth, kHeight, nullptr));
  INTACT(check, source);
  const Bytes stream = encoder.stream(check);
  // 13.0's encoder on the GPU sets no restart interval.
  const std::string interval = segments(stream, 0xDD);
  EXPECT(check, interval.empty() || interval == std::string("\0\x10", 2));
  near_picture(check, handle, stream);
#else
  (void)check, (void)handle;  // from CUDA 12.9 on
#endif
}

}  // namespace

void run() {
  Check made("nvjpeg_encode.handle");
  Guarded<nvjpegHandle_t> handle;
  NEED(made, nvjpegCreateSimple(handle.get()));
  INTACT(made, handle);
  run_topics<nvjpegHandle_t>("nvjpeg_encode",
                             {{"formats", formats},
                              {"yuv", yuv},
                              {"codes", codes},
                              {"on_device", on_device},
                              {"taken_over", taken_over},
                              {"huffman_tables", huffman_tables},
                              {"newer", newer}},
                             *handle);
  CALL(made, nvjpegDestroy(*handle));
}

}  // namespace maths
