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
namespace {

std::size_t from_lz4([[maybe_unused]] Bytes packed, [[maybe_unused]] unsigned char* out,
                     [[maybe_unused]] std::size_t most) {
#ifdef ANYCUDA_HAS_LZ4
  // LZ4 makes of a byte at most 255; what is past the entry's end is never read.
  const int size = packed.size > INT_MAX ? INT_MAX : static_cast<int>(packed.size);
  const int done = LZ4_decompress_safe_partial(reinterpret_cast<const char*>(packed.data),
                                               reinterpret_cast<char*>(out), size,
                                               static_cast<int>(most), static_cast<int>(most));
  return done > 0 ? static_cast<std::size_t>(done) : 0;
#else
  return 0;
#endif
}

std::size_t from_zstd([[maybe_unused]] Bytes packed, [[maybe_unused]] unsigned char* out,
                      [[maybe_unused]] std::size_t most, [[maybe_unused]] void** context) {
#ifdef ANYCUDA_HAS_ZSTD
  if (*context == nullptr) *context = ZSTD_createDCtx();
  auto* stream = static_cast<ZSTD_DCtx*>(*context);
  if (stream == nullptr) return 0;
  ZSTD_DCtx_reset(stream, ZSTD_reset_session_only);
  ZSTD_inBuffer in = {packed.data, packed.size, 0};
  ZSTD_outBuffer into = {out, most, 0};
  while (into.pos < into.size) {
    const std::size_t before = into.pos + in.pos;
    const std::size_t left = ZSTD_decompressStream(stream, &into, &in);
    if (ZSTD_isError(left) || left == 0 || into.pos + in.pos == before) break;
  }
  return into.pos;
#else
  return 0;
#endif
}

}  // namespace

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

Bytes Unpacker::beginning(Bytes packed, Compression compression, std::size_t most) {
  if (compression == Compression::none) return packed.part(0, most);
  if (!unpacks(compression) || most > left_) return {};
  if (buffer_ == nullptr) buffer_ = static_cast<unsigned char*>(std::malloc(kMost));
  if (buffer_ == nullptr) return {};
  if (most > kMost) most = kMost;
  const std::size_t size = compression == Compression::lz4
                               ? from_lz4(packed, buffer_, most)
                               : from_zstd(packed, buffer_, most, &zstd_);
  left_ -= size;
  return {buffer_, size};
}

}  // namespace anycuda::device_code
