// SPDX-License-Identifier: Apache-2.0

// A program built for one CUDA major that calls nvJPEG (steps.h).
#include <nvjpeg.h>

#include "steps.h"

namespace {

std::string properties(nvjpegStatus_t (*ask)(libraryPropertyType, int*)) {
  std::string all;
  for (const auto type : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = -1;
    all += steps::status("property", [&] { return ask(type, &value); }) + " ";
    all += std::to_string(value) + " ";
  }
  return all;
}

std::string version(const std::string&) { return properties(nvjpegGetProperty); }
std::string runtime(const std::string&) { return properties(nvjpegGetCudartProperty); }

// Of no kind that there is: the library's own status for that.
std::string unknown_property(const std::string&) {
  int value = -1;
  const auto none = static_cast<libraryPropertyType>(77);
  const std::string result =
      steps::status("unknown-property", [&] { return nvjpegGetProperty(none, &value); });
  return result + " " + std::to_string(value);
}

std::string create(const std::string&) {
  nvjpegHandle_t handle = nullptr;
  return steps::status("create", [&] { return nvjpegCreateSimple(&handle); });
}

// Every function that takes a handle, called with a null handle.
std::string without_handle(const std::string&) {
  nvjpegJpegState_t state = nullptr;
  nvjpegJpegStream_t stream = nullptr;
  nvjpegEncoderState_t encoder = nullptr;
  nvjpegDecodeParams_t parameters = nullptr;
  const unsigned char bytes[] = {0xff, 0xd8, 0xff, 0xd9};
  int components = -1;
  nvjpegChromaSubsampling_t sampling = NVJPEG_CSS_UNKNOWN;
  int widths[NVJPEG_MAX_COMPONENT];
  int heights[NVJPEG_MAX_COMPONENT];
  std::string all;
  const auto add = [&](auto call) { all += steps::status("without-handle", call) + " "; };
  add([&] { return nvjpegJpegStateCreate(nullptr, &state); });
  add([&] { return nvjpegJpegStreamCreate(nullptr, &stream); });
  add([&] { return nvjpegEncoderStateCreate(nullptr, &encoder, nullptr); });
  add([&] { return nvjpegDecodeParamsCreate(nullptr, &parameters); });
  add([&] {
    return nvjpegGetImageInfo(nullptr, bytes, sizeof(bytes), &components, &sampling, widths,
                              heights);
  });
  add([&] { return nvjpegSetDeviceMemoryPadding(64, nullptr); });
  add([&] { return nvjpegJpegStateDestroy(nullptr); });
  add([&] { return nvjpegDestroy(nullptr); });
  return all;
}

#if PROGRAM_MAJOR < 13
// Gone in 13.
std::string copy_tables(const std::string&) {
  return steps::status("copy-tables", [] {
    return nvjpegEncoderParamsCopyHuffmanTables(nullptr, nullptr, nullptr, nullptr);
  });
}
#endif

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv, {
    {"version", version}, {"runtime", runtime}, {"unknown-property", unknown_property},
#if PROGRAM_MAJOR < 13
        {"copy-tables", copy_tables},
#endif
        {"without-handle", without_handle}, {
      "create", create
    }
  });
}
