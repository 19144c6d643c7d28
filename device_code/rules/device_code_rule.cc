// SPDX-License-Identifier: Apache-2.0
#include "device_code/rules/device_code_rule.h"

namespace anycuda {
namespace {

struct ReleaseRow {
  std::int16_t cuda_major, cuda_minor, ptx_major, ptx_minor;
};
#include "cuda_releases.inc"  // written from catalogue/cuda_releases.txt

// PTX that is newer than that of every row needs a newer CUDA than the last one.
Version cuda_of_ptx(Version ptx) {
  for (const ReleaseRow& row : kReleases) {
    if (!newer(ptx, {row.ptx_major, row.ptx_minor})) return {row.cuda_major, row.cuda_minor};
  }
  const ReleaseRow& last = kReleases[sizeof kReleases / sizeof *kReleases - 1];
  return {last.cuda_major, last.cuda_minor + 1};
}

// nvcc 13 writes cubins of format 1.8 for every GPU; nvcc 12.8 and 12.9 do for those that they were
// the first to know, from sm_100 on. Format 1.7 serves every driver of the cubin's major.
constexpr Version kNewFormat{1, 8};
constexpr int kFirstOfNewFormat = 100;

enum class Packing : std::uint8_t { zstd, concatenated };

// The newest CUDA whose driver does not read it.
constexpr Version unread_by(Packing packing) {
  switch (packing) {
#include "packings.inc"  // written from catalogue/packings.txt
  }
  return {};
}

// The first CUDA whose driver may read it: the next one.
constexpr Version first_that_may_read(Packing packing) {
  const Version unread = unread_by(packing);
  bool is_next = false;
  for (const ReleaseRow& row : kReleases) {
    if (is_next) return {row.cuda_major, row.cuda_minor};
    is_next = row.cuda_major == unread.major && row.cuda_minor == unread.minor;
  }
  return {};
}

constexpr Version kFirstWithZstd = first_that_may_read(Packing::zstd);
constexpr Version kFirstWithConcatenated = first_that_may_read(Packing::concatenated);
static_assert(kFirstWithZstd.known() && kFirstWithConcatenated.known(),
              "packings.txt: the newest CUDA whose driver does not read a packing must be a row of "
              "cuda_releases.txt, and not its last row");

Version cuda_of_format(const CodeFacts& code) {
  if (newer(kNewFormat, code.format)) return {};
  return code.architecture < kFirstOfNewFormat ? Version{13, 0} : Version{12, 8};
}

// A driver loads the cubins of its major from every minor, but for those of GPUs it does not know.
Version cuda_of_cubin(const CodeFacts& code) {
  const Version by_format = cuda_of_format(code);
  if (!code.newest_ptx.known()) return by_format;
  const Version by_ptx{cuda_of_ptx(code.newest_ptx).major, 0};
  return newer(by_ptx, by_format) ? by_ptx : by_format;
}

Version cuda_of_code(const CodeFacts& code) {
  switch (code.kind) {
    case CodeFacts::Kind::ptx:
      return code.format.known() ? cuda_of_ptx(code.format) : Version{};
    case CodeFacts::Kind::cubin:
      return code.format.known() ? cuda_of_cubin(code) : Version{};
    default:
      return {};
  }
}

}  // namespace

Version oldest_cuda_for(const CodeFacts& code) {
  const Version by_code = cuda_of_code(code);
  if (code.kind == CodeFacts::Kind::other) return by_code;
  const Version by_packing = code.concatenated ? kFirstWithConcatenated
                             : code.zstd       ? kFirstWithZstd
                                               : Version{};
  return newer(by_packing, by_code) ? by_packing : by_code;
}

bool loads(Version cuda, const CodeFacts& code) {
  const Version oldest = oldest_cuda_for(code);
  return !cuda.known() || !oldest.known() || !newer(oldest, cuda);
}

}  // namespace anycuda
