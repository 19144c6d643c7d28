// SPDX-License-Identifier: Apache-2.0
#include "compat/search/driver/oldest_gpu.h"

#include "compat/base/arena.h"
#include "compat/base/folder_entries.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"

namespace anycuda {
namespace {

constexpr int kTuring = 0x1e00;
constexpr std::size_t kMost = 64;  // of the file
constexpr int kBeforeTuring = 50;  // what the drivers of CUDA 12 and 13 have at least
constexpr int kSinceTuring = 75;

struct Gpus {
  const char* root;
  Arena* arena;
  int oldest = 0;
  bool all_known = true;
};

// "0x2330"; 0 for another text.
int device_of(std::string_view text) {
  if (!text::begins(text, "0x")) return 0;
  int number = 0;
  for (text = text::without(text, 2); !text.empty() && number < 0x10000; text.remove_prefix(1)) {
    const char c = text::lower(text.front());
    if (!text::is_digit(c) && (c < 'a' || c > 'f')) break;
    number = 16 * number + (text::is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return number;
}

void visit_gpu(const char* place, void* argument) {
  if (*place == '.') return;
  auto* gpus = static_cast<Gpus*>(argument);
  const std::size_t mark = gpus->arena->mark();
  const char* const file =
      gpus->arena->format("%s/sys/bus/pci/devices/%s/device", gpus->root, place);
  TextFile text;
  const bool is_read = file != nullptr && text.read(file, kMost, true) == TextState::read;
  const int id = is_read ? device_of(text.text()) : 0;
  gpus->arena->rewind(mark);
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
