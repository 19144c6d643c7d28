// SPDX-License-Identifier: Apache-2.0

// The version that a cuda.h states. Input: the header.
#include "compat/metadata/records/cuda_header.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/check.h"

namespace {

using anycuda::HeaderState;
using anycuda::HeaderVersion;
using anycuda::fuzz::must;

bool same(const HeaderVersion& a, const HeaderVersion& b) {
  return a.state == b.state && a.number == b.number && a.other == b.other &&
         a.version.major == b.version.major && a.version.minor == b.version.minor;
}

void check(const HeaderVersion& found, std::string_view header) {
  const bool stated = found.state == HeaderState::stated;
  must(found.version.known() == stated, "a version is known where one is stated");
  must(!stated || anycuda::cuda_number(found.version) == found.number, "and is the number's");
  must(found.state == HeaderState::ambiguous || found.other == 0, "one number, unless ambiguous");
  must(found.state != HeaderState::ambiguous || found.other != found.number,
       "two that differ, if ambiguous");
  must(found.state == HeaderState::not_stated || header.find("CUDA_VERSION") != header.npos,
       "what is not named is not stated");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  const HeaderVersion found = anycuda::version_in_cuda_header(header);
  check(found, header);
  const std::string text(header);
  for (const char* before :
       {"\n", "#ifndef CUDA_H\n", "/*\n#define CUDA_VERSION 9000\n*/\n",
        "// \\\n#define CUDA_VERSION 9000\n", "x = \"\\\n#define CUDA_VERSION 9000\\\n\";\n"}) {
    must(same(anycuda::version_in_cuda_header(before + text), found),
         "what stands before the header changes nothing");
  }
  // Behind another line, and not part of a comment.
  if (found.state == HeaderState::stated && text.find("/*") == text.npos) {
    const std::string other = found.number == 12090 ? "13000" : "12090";
    const HeaderVersion both =
        anycuda::version_in_cuda_header("#define CUDA_VERSION " + other + "\n" + text);
    must(both.state == HeaderState::ambiguous, "two numbers are ambiguous");
  }
  return 0;
}
