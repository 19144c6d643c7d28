// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/releases.h"

#include "device_code/rules/device_code_rule.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

struct Row {
  Version format;
  Version cuda;
};

constexpr Row kLtoIr[] = {{{1, 0x3c}, {12, 3}}, {{1, 0x3d}, {12, 4}}, {{1, 0x3e}, {12, 6}},
                          {{1, 0x40}, {12, 8}}, {{1, 0x41}, {13, 0}}, {{1, 0x42}, {13, 1}},
                          {{1, 0x43}, {13, 3}}};

}  // namespace

Version cuda_of_ptx(Version ptx) {
  CodeFacts code;
  code.kind = CodeFacts::Kind::ptx;
  code.format = ptx;
  return oldest_cuda_for(code);
}

Version cuda_of_lto_ir(Version container) {
  Version cuda;  // of the last row that is not newer
  for (const Row& row : kLtoIr) {
    if (!older(container, row.format)) cuda = row.cuda;
  }
  return cuda;
}

}  // namespace anycuda::linker
