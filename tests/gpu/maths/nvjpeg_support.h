// SPDX-License-Identifier: Apache-2.0

// The picture of the programs of nvJPEG, and its distance from another one.
#pragma once

#include <nvjpeg.h>

#include <cmath>

#include "check.h"
#include "memory.h"

inline bool is_absent(nvjpegStatus_t status) {
  return status == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
}

namespace maths {

constexpr int kWidth = 256, kHeight = 192;
constexpr std::size_t kPlane = std::size_t{kWidth} * kHeight;
using Bytes = std::vector<unsigned char>;

// Soft waves of three colours.
inline Bytes picture() {
  Bytes pixels;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      pixels.push_back(static_cast<unsigned char>(128 + 100 * std::sin(x / 20.0)));
      pixels.push_back(static_cast<unsigned char>(128 + 100 * std::cos(y / 15.0)));
      pixels.push_back(static_cast<unsigned char>((x + y) / 2));
    }
  }
  return pixels;
}

inline double noise_ratio(const Bytes& a, const Bytes& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return squares == 0 ? 99
                      : 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.size()) / squares);
}

// A JPEG of the picture, of a quality that loses little.
inline Bytes encoded_picture(Check& check, nvjpegHandle_t handle,
                             nvjpegChromaSubsampling_t sampling = NVJPEG_CSS_444) {
  Guarded<nvjpegEncoderState_t> state;
  Guarded<nvjpegEncoderParams_t> parameters;
  Guarded<std::size_t> length;
  DeviceArray<unsigned char> memory(picture());
  nvjpegImage_t image{};
  image.channel[0] = memory.data();
  image.pitch[0] = kWidth * 3;
  Bytes stream;
  if (!CALL(check, nvjpegEncoderStateCreate(handle, state.get(), nullptr)) ||
      !CALL(check, nvjpegEncoderParamsCreate(handle, parameters.get(), nullptr)) ||
      !CALL(check, nvjpegEncoderParamsSetQuality(*parameters, 95, nullptr)) ||
      !CALL(check, nvjpegEncoderParamsSetSamplingFactors(*parameters, sampling, nullptr)) ||
      !CALL(check, nvjpegEncodeImage(handle, *state, *parameters, &image, NVJPEG_INPUT_RGBI, kWidth,
                                     kHeight, nullptr)) ||
      !CALL(check, nvjpegEncodeRetrieveBitstream(handle, *state, nullptr, length.get(), nullptr))) {
    return stream;
  }
  stream.resize(*length);
  CALL(check, nvjpegEncodeRetrieveBitstream(handle, *state, stream.data(), length.get(), nullptr));
  CALL(check, cudaDeviceSynchronize());
  CALL(check, nvjpegEncoderParamsDestroy(*parameters));
  CALL(check, nvjpegEncoderStateDestroy(*state));
  return stream;
}

// The planes of Y, Cb and Cr of a picture, the latter two with a number for each `across` x `down`.
inline std::vector<Bytes> planes(const Bytes& pixels, int across, int down) {
  std::vector<Bytes> all(3);
  const double weights[3][3] = {
      {0.299, 0.587, 0.114}, {-0.168736, -0.331264, 0.5}, {0.5, -0.418688, -0.081312}};
  for (int plane = 0; plane < 3; ++plane) {
    const int width = plane == 0 ? 1 : across, height = plane == 0 ? 1 : down;
    for (int y = 0; y < kHeight; y += height) {
      for (int x = 0; x < kWidth; x += width) {
        double sum = 0;
        for (int i = 0; i < width * height; ++i) {
          const unsigned char* pixel = &pixels[((y + i / width) * kWidth + x + i % width) * 3];
          for (int colour = 0; colour < 3; ++colour) sum += weights[plane][colour] * pixel[colour];
        }
        const double value = sum / (width * height) + (plane == 0 ? 0 : 128);
        all[plane].push_back(static_cast<unsigned char>(value + 0.5));
      }
    }
  }
  return all;
}

// The colours of a picture as three planes, one behind the other.
inline Bytes colour_planes(const Bytes& pixels) {
  Bytes all;
  for (int colour = 0; colour < 3; ++colour) {
    for (std::size_t i = colour; i < pixels.size(); i += 3) all.push_back(pixels[i]);
  }
  return all;
}
// The pixels of a picture with blue first.
inline Bytes blue_first(const Bytes& pixels) {
  Bytes all;
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    all.insert(all.end(), {pixels[i + 2], pixels[i + 1], pixels[i]});
  }
  return all;
}

// A decoded picture on the device: interleaved in one channel or in up to three planes.
struct Decoded {
  explicit Decoded(std::vector<std::size_t> sizes, std::vector<std::size_t> pitches)
      : memory(sum(sizes)), sizes(std::move(sizes)) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < this->sizes.size(); ++i) {
      image->channel[i] = memory.data() + offset;
      image->pitch[i] = pitches[i];
      offset += this->sizes[i];
    }
  }
  static std::size_t sum(const std::vector<std::size_t>& sizes) {
    std::size_t all = 0;
    for (std::size_t size : sizes) all += size;
    return all;
  }
  Bytes get(Check& check) const {
    CALL(check, cudaDeviceSynchronize());
    INTACT(check, image);
    return memory.get(check);
  }
  DeviceArray<unsigned char> memory;
  std::vector<std::size_t> sizes;
  Guarded<nvjpegImage_t> image{nvjpegImage_t{}};
};
// In planes of one byte a pixel, or for `channels` of 0 with three bytes a pixel.
inline Decoded space(int channels, int width = kWidth, int height = kHeight) {
  const std::size_t line = width, size = line * height;
  if (channels == 0) return Decoded({3 * size}, {3 * line});
  return Decoded(std::vector<std::size_t>(channels, size),
                 std::vector<std::size_t>(channels, line));
}

// What is read of a JPEG before it is decoded.
struct Stream {
  Stream(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
    if (!CALL(check, nvjpegJpegStreamCreate(handle, stream.get()))) return;
    INTACT(check, stream);
    made = true;
    CALL(check, nvjpegJpegStreamParse(handle, bytes.data(), bytes.size(), 0, 0, *stream));
  }
  ~Stream() {
    if (made) nvjpegJpegStreamDestroy(*stream);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Guarded<nvjpegJpegStream_t> stream;
  bool made = false;
};

}  // namespace maths
