// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/oldest_gpu.h"

#include <cstdlib>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/base/folder_entries.h"
#include "compat/base/text_file.h"

namespace anycuda {
namespace {

constexpr long kTuring = 0x1e00;
constexpr int kBeforeTuring = 50;  // what the drivers of CUDA 12 and 13 have at least
constexpr int kSinceTuring = 75;

struct Gpus {
  const char* root;
  Arena* arena;
  int oldest = 0;
  bool all_known = true;
};

void visit_gpu(const char* place, void* argument) {
  if (*place == '.') return;
  auto* gpus = static_cast<Gpus*>(argument);
  const std::size_t mark = gpus->arena->mark();
  const char* const file =
      gpus->arena->format("%s/sys/bus/pci/devices/%s/device", gpus->root, place);
  TextFile text;
  constexpr std::size_t kMost = 63;
  char number[kMost + 1] = "";
  if (file != nullptr && text.read(file, kMost, true) == TextState::read) {
    std::memcpy(number, text.text().data(), text.text().size());
  }
  gpus->arena->rewind(mark);
  const long id = std::strtol(number, nullptr, 16);
  if (id <= 0) gpus->all_known = false;
  if (id > 0 && id < kTuring) gpus->oldest = kBeforeTuring;
  if (id >= kTuring && gpus->oldest == 0) gpus->oldest = kSinceTuring;
}

}  // namespace

int oldest_gpu_below(const char* root) {
  Arena arena;
  Gpus gpus{root, &arena};
  const char* const folder = arena.join(root, "proc/driver/nvidia/gpus");
  if (folder == nullptr || !each_entry(folder, "", &arena, visit_gpu, &gpus)) return 0;
  return gpus.all_known || gpus.oldest == kBeforeTuring ? gpus.oldest : 0;
}

}  // namespace anycuda
