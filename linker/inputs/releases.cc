#include "linker/inputs/releases.h"

#include "linker/base/words.h"

namespace anycuda::linker {
namespace {

struct Row {
  Version format;
  Version cuda;
};

constexpr Row kPtx[] = {{{8, 0}, {12, 0}}, {{8, 1}, {12, 1}}, {{8, 2}, {12, 2}},
                        {{8, 3}, {12, 3}}, {{8, 4}, {12, 4}}, {{8, 5}, {12, 5}},
                        {{8, 6}, {12, 7}}, {{8, 7}, {12, 8}}, {{8, 8}, {12, 9}}};
constexpr Row kLtoIr[] = {{{1, 0x3c}, {12, 3}}, {{1, 0x3d}, {12, 4}}, {{1, 0x3e}, {12, 6}},
                          {{1, 0x40}, {12, 8}}, {{1, 0x41}, {13, 0}}, {{1, 0x42}, {13, 1}},
                          {{1, 0x43}, {13, 3}}};

// The last row that is not newer.
template <std::size_t count>
Version row_of(const Row (&rows)[count], Version format) {
  Version cuda;
  for (const Row& row : rows) {
    if (!older(format, row.format)) cuda = row.cuda;
  }
  return cuda;
}

}  // namespace

Version cuda_of_ptx(Version ptx) {
  constexpr int kPerCuda = 4;  // from 9.0 on, of CUDA 13.0, both have the same minor
  if (ptx.major >= 9) return {ptx.major + kPerCuda, ptx.minor};
  return row_of(kPtx, ptx);
}

Version cuda_of_lto_ir(Version container) { return row_of(kLtoIr, container); }

}  // namespace anycuda::linker
