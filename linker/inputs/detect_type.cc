// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/detect_type.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "device_code/entry.h"

namespace anycuda::linker {
namespace {

constexpr std::size_t kElfMachine = 18;
constexpr unsigned kMachineCuda = 190;  // EM_CUDA

bool begins(std::string_view bytes, std::string_view mark) {
  return bytes.substr(0, mark.size()) == mark;
}

// Skips blanks and comments: NVRTC and nvcc name themselves in one.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    const bool line = begins(text, "//");
    if (!line && !begins(text, "/*")) return text;
    const std::string_view mark = line ? "\n" : "*/";
    const std::size_t end = text.find(mark, 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + mark.size());
  }
}

constexpr std::string_view kElf =
    "\x7f"
    "ELF";
constexpr std::string_view kFatbin = "\x50\xed\x55\xba";
constexpr std::string_view kLtoIr{device_code::kLtoIr, sizeof device_code::kLtoIr};
constexpr std::uint64_t kElfHeader = 64;  // of a 64-bit ELF; CUDA 12 dropped 32-bit ones
constexpr std::uint64_t kFatbinHeader = 16;

template <typename Number>
std::uint64_t number_at(std::string_view bytes, std::size_t place) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

// The end of a table of the ELF header: where it lies, the size and the number of its entries.
std::uint64_t end_of_table(std::string_view elf, std::size_t place, std::size_t sizes) {
  return sum(number_at<std::uint64_t>(elf, place),
             number_at<std::uint16_t>(elf, sizes) * number_at<std::uint16_t>(elf, sizes + 2));
}

InputType kind_of_elf(std::string_view bytes) {
  if (bytes.size() < kElfMachine + 2) return InputType::object;
  const auto low = static_cast<unsigned char>(bytes[kElfMachine]);
  const auto high = static_cast<unsigned char>(bytes[kElfMachine + 1]);
  return (high << 8 | low) == kMachineCuda ? InputType::cubin : InputType::object;
}

}  // namespace

std::optional<InputType> detect_type(std::string_view bytes) {
  if (begins(bytes, kElf)) return kind_of_elf(bytes);
  if (begins(bytes, "!<arch>\n") || begins(bytes, "!<thin>\n")) return InputType::library;
  if (begins(bytes, kFatbin)) return InputType::fatbin;
  if (begins(bytes, kLtoIr)) return InputType::lto_ir;
  if (begins(skip_comments(bytes), ".version")) return InputType::ptx;
  return std::nullopt;
}

std::uint64_t least_size(std::string_view head) {
  if (begins(head, kElf)) {
    if (head.size() < kElfHeader) return kElfHeader;
    return std::max(end_of_table(head, 32, 54), end_of_table(head, 40, 58));
  }
  if (!begins(head, kFatbin)) return 0;
  if (head.size() < kFatbinHeader) return kFatbinHeader;
  return sum(number_at<std::uint16_t>(head, 6), number_at<std::uint64_t>(head, 8));
}

bool has_magic(InputType type) {
  return type == InputType::cubin || type == InputType::fatbin || type == InputType::object ||
         type == InputType::library;
}

// CUDA 11's LTO-IR has the mark of the later one.
bool is_compatible(InputType type, InputType seen) {
  return type == seen || (type == InputType::nvvm && seen == InputType::lto_ir);
}

}  // namespace anycuda::linker
