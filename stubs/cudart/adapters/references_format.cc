// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/adapters/references_format.h"

namespace anycuda::references {
namespace {

// Bits of each channel that there is, how many there are, and the bytes of what is read at once.
struct Row {
  unsigned kind;
  int bits;
  unsigned channels;  // 0: one, two or four
  driver::CUarray_format format;
  unsigned bytes;
};

// As the function that converts channel descriptors in 11.8 does, whose answers for all kinds, bits
// and numbers of channels were compared with this table.
constexpr Row kRows[] = {
    {v11::cudaChannelFormatKindSigned, 8, 0, driver::CU_AD_FORMAT_SIGNED_INT8, 1},
    {v11::cudaChannelFormatKindSigned, 16, 0, driver::CU_AD_FORMAT_SIGNED_INT16, 2},
    {v11::cudaChannelFormatKindSigned, 32, 0, driver::CU_AD_FORMAT_SIGNED_INT32, 4},
    {v11::cudaChannelFormatKindUnsigned, 8, 0, driver::CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {v11::cudaChannelFormatKindUnsigned, 16, 0, driver::CU_AD_FORMAT_UNSIGNED_INT16, 2},
    {v11::cudaChannelFormatKindUnsigned, 32, 0, driver::CU_AD_FORMAT_UNSIGNED_INT32, 4},
    {v11::cudaChannelFormatKindFloat, 16, 0, driver::CU_AD_FORMAT_HALF, 2},
    {v11::cudaChannelFormatKindFloat, 32, 0, driver::CU_AD_FORMAT_FLOAT, 4},
    {v11::cudaChannelFormatKindNV12, 8, 3, driver::CU_AD_FORMAT_NV12, 1},
    {v11::cudaChannelFormatKindUnsignedNormalized8X1, 8, 1, driver::CU_AD_FORMAT_UNORM_INT8X1, 1},
    {v11::cudaChannelFormatKindUnsignedNormalized8X2, 8, 2, driver::CU_AD_FORMAT_UNORM_INT8X2, 2},
    {v11::cudaChannelFormatKindUnsignedNormalized8X4, 8, 4, driver::CU_AD_FORMAT_UNORM_INT8X4, 4},
    {v11::cudaChannelFormatKindUnsignedNormalized16X1, 16, 1, driver::CU_AD_FORMAT_UNORM_INT16X1,
     2},
    {v11::cudaChannelFormatKindUnsignedNormalized16X2, 16, 2, driver::CU_AD_FORMAT_UNORM_INT16X2,
     4},
    {v11::cudaChannelFormatKindUnsignedNormalized16X4, 16, 4, driver::CU_AD_FORMAT_UNORM_INT16X4,
     8},
    {v11::cudaChannelFormatKindSignedNormalized8X1, 8, 1, driver::CU_AD_FORMAT_SNORM_INT8X1, 1},
    {v11::cudaChannelFormatKindSignedNormalized8X2, 8, 2, driver::CU_AD_FORMAT_SNORM_INT8X2, 2},
    {v11::cudaChannelFormatKindSignedNormalized8X4, 8, 4, driver::CU_AD_FORMAT_SNORM_INT8X4, 4},
    {v11::cudaChannelFormatKindSignedNormalized16X1, 16, 1, driver::CU_AD_FORMAT_SNORM_INT16X1, 2},
    {v11::cudaChannelFormatKindSignedNormalized16X2, 16, 2, driver::CU_AD_FORMAT_SNORM_INT16X2, 4},
    {v11::cudaChannelFormatKindSignedNormalized16X4, 16, 4, driver::CU_AD_FORMAT_SNORM_INT16X4, 8},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed1, 8, 4, driver::CU_AD_FORMAT_BC1_UNORM, 8},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed1SRGB, 8, 4,
     driver::CU_AD_FORMAT_BC1_UNORM_SRGB, 8},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed2, 8, 4, driver::CU_AD_FORMAT_BC2_UNORM, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed2SRGB, 8, 4,
     driver::CU_AD_FORMAT_BC2_UNORM_SRGB, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed3, 8, 4, driver::CU_AD_FORMAT_BC3_UNORM, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed3SRGB, 8, 4,
     driver::CU_AD_FORMAT_BC3_UNORM_SRGB, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed4, 8, 1, driver::CU_AD_FORMAT_BC4_UNORM, 8},
    {v11::cudaChannelFormatKindSignedBlockCompressed4, 8, 1, driver::CU_AD_FORMAT_BC4_SNORM, 8},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed5, 8, 2, driver::CU_AD_FORMAT_BC5_UNORM, 16},
    {v11::cudaChannelFormatKindSignedBlockCompressed5, 8, 2, driver::CU_AD_FORMAT_BC5_SNORM, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed6H, 16, 3, driver::CU_AD_FORMAT_BC6H_UF16,
     16},
    {v11::cudaChannelFormatKindSignedBlockCompressed6H, 16, 3, driver::CU_AD_FORMAT_BC6H_SF16, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed7, 8, 4, driver::CU_AD_FORMAT_BC7_UNORM, 16},
    {v11::cudaChannelFormatKindUnsignedBlockCompressed7SRGB, 8, 4,
     driver::CU_AD_FORMAT_BC7_UNORM_SRGB, 16},
};

bool may_have(const Row& row, unsigned channels) {
  if (row.channels != 0) return channels == row.channels;
  return channels == 1 || channels == 2 || channels == 4;
}

}  // namespace

bool format_of(const v11::cudaChannelFormatDesc& desc, Format* format) {
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (unsigned i = 0; i < 4; ++i) {
    if (bits[i] != (i < channels ? desc.x : 0)) return false;
  }
  for (const Row& row : kRows) {
    if (row.kind != desc.f || row.bits != desc.x || !may_have(row, channels)) continue;
    *format = {row.format, channels};
    return true;
  }
  return false;
}

bool known(const Format& format) {
  for (const Row& row : kRows) {
    if (row.format == format.format) return may_have(row, format.channels);
  }
  return false;
}

unsigned bytes_of(driver::CUarray_format format) {
  for (const Row& row : kRows) {
    if (row.format == format) return row.bytes;
  }
  return ~0U;
}

}  // namespace anycuda::references
