// SPDX-License-Identifier: Apache-2.0
#include "device_code/unpack.h"

#include <climits>
#include <cstdlib>

#ifdef ANYCUDA_HAS_LZ4
#include <lz4.h>
#endif
#ifdef ANYCUDA_HAS_ZSTD
#include <zstd.h>
#endif

namespace anycuda::device_code {

bool unpacks(Compression compression) {
#ifdef ANYCUDA_HAS_LZ4
  if (compression == Compression::lz4) return true;
#endif
#ifdef ANYCUDA_HAS_ZSTD
  if (compression == Compression::zstd) return true;
#endif
  return compression == Compression::none;
}

Unpacker::~Unpacker() {
#ifdef ANYCUDA_HAS_ZSTD
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(zstd_));
#endif
  std::free(buffer_);
}

Bytes Unpacker::part(Bytes packed, Compression compression, std::uint64_t at, std::size_t most) {
  if (compression == Compression::none) return packed.part(at, most);
  if (!unpacks(compression)) return {};
  if (most > kMost) most = kMost;
  return compression == Compression::lz4 ? from_lz4(packed, at, most) : from_zstd(packed, at, most);
}

// What it holds is not kept.
bool Unpacker::reserve(std::size_t size) {
  constexpr std::size_t kLeast = std::size_t{512} << 10;
  if (size < kLeast) size = kLeast;
  if (size <= capacity_) return true;
  std::free(buffer_);
  buffer_ = static_cast<unsigned char*>(std::malloc(size));
  capacity_ = buffer_ == nullptr ? 0 : size;
  return capacity_ != 0;
}

Bytes Unpacker::from_lz4([[maybe_unused]] Bytes packed, [[maybe_unused]] std::uint64_t at,
                         [[maybe_unused]] std::size_t most) {
#ifdef ANYCUDA_HAS_LZ4
  if (at >= kMost) return {};
  const std::size_t start = static_cast<std::size_t>(at);
  const std::size_t wanted = most < kMost - start ? start + most : kMost;
  if (wanted > left_ || !reserve(wanted)) return {};
  // LZ4 makes of a byte at most 255; what is past the entry's end is never read.
  const int size = packed.size > INT_MAX ? INT_MAX : static_cast<int>(packed.size);
  const int done = LZ4_decompress_safe_partial(reinterpret_cast<const char*>(packed.data),
                                               reinterpret_cast<char*>(buffer_), size,
                                               static_cast<int>(wanted), static_cast<int>(wanted));
  left_ -= done > 0 ? static_cast<std::size_t>(done) : wanted;  // damage takes time, too
  if (done <= 0) return {};
  return Bytes{buffer_, static_cast<std::size_t>(done)}.from(at);
#else
  return {};
#endif
}

Bytes Unpacker::from_zstd([[maybe_unused]] Bytes packed, [[maybe_unused]] std::uint64_t at,
                          [[maybe_unused]] std::size_t most) {
#ifdef ANYCUDA_HAS_ZSTD
  if (zstd_ == nullptr) zstd_ = ZSTD_createDCtx();
  if (zstd_ == nullptr || !reserve(most)) return {};
  if (at == 0 || at < written_ || packed.data != packed_.data || packed.size != packed_.size) {
    ZSTD_DCtx_reset(static_cast<ZSTD_DCtx*>(zstd_), ZSTD_reset_session_only);
    packed_ = packed;
    read_ = 0;
    written_ = 0;
    is_over_ = false;
  }
  while (written_ < at) {
    const std::uint64_t before = at - written_;
    if (next_of_zstd(before < capacity_ ? static_cast<std::size_t>(before) : capacity_) == 0)
      return {};
  }
  return {buffer_, next_of_zstd(most)};
#else
  return {};
#endif
}

std::size_t Unpacker::next_of_zstd([[maybe_unused]] std::size_t most) {
#ifdef ANYCUDA_HAS_ZSTD
  if (is_over_ || most > left_) return 0;
  ZSTD_inBuffer in = {packed_.data, packed_.size, read_};
  ZSTD_outBuffer into = {buffer_, most, 0};
  bool failed = false;
  while (into.pos < into.size) {
    const std::size_t before = into.pos + in.pos;
    const std::size_t left = ZSTD_decompressStream(static_cast<ZSTD_DCtx*>(zstd_), &into, &in);
    failed = ZSTD_isError(left) != 0;
    if (failed || left == 0 || into.pos + in.pos == before) break;
  }
  read_ = in.pos;
  written_ += into.pos;
  left_ -= into.pos;
  is_over_ = failed;  // with its first error
  return into.pos;
#else
  return 0;
#endif
}

}  // namespace anycuda::device_code
