// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/oldest_gpu.h"

#include <cstdlib>
#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text_file.h"

namespace anycuda {
namespace {

constexpr long kTuring = 0x1e00;
constexpr int kBeforeTuring = 50;  // what the drivers of CUDA 12 and 13 have at least
constexpr int kSinceTuring = 75;

struct Gpus {
  const char* root;
  int oldest = 0;
  bool all_known = true;
};

void visit_gpu(const char* place, void* argument) {
  if (*place == '.') return;
  auto* gpus = static_cast<Gpus*>(argument);
  const LexicalPath folder(gpus->root, "sys/bus/pci/devices");
  const LexicalPath device(folder.text(), place);
  const LexicalPath file(device.text(), "device");
  TextFile text;
  constexpr std::size_t kMost = 63;
  char number[kMost + 1] = "";
  if (text.read(file.c_str(), kMost, true) == TextState::read) {
    std::memcpy(number, text.text().data(), text.text().size());
  }
  const long id = std::strtol(number, nullptr, 16);
  if (id <= 0) gpus->all_known = false;
  if (id > 0 && id < kTuring) gpus->oldest = kBeforeTuring;
  if (id >= kTuring && gpus->oldest == 0) gpus->oldest = kSinceTuring;
}

}  // namespace

int oldest_gpu_below(const char* root) {
  Gpus gpus{*root != '\0' ? root : "/"};
  const LexicalPath folder(gpus.root, "proc/driver/nvidia/gpus");
  if (!each_entry(folder.c_str(), "", visit_gpu, &gpus)) return 0;
  return gpus.all_known || gpus.oldest == kBeforeTuring ? gpus.oldest : 0;
}

}  // namespace anycuda
