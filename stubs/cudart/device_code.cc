// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/device_code.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "compat/base/log.h"
#include "compat/rules/candidate_rule.h"
#include "compat/search/driver/driver_lookup.h"
#include "compat/search/machine/loaded.h"
#include "device_code/fatbin.h"
#include "device_code/rules/device_code_rule.h"

namespace anycuda::registration {
namespace {

// The argument of __cudaRegisterFatBinary, as nvcc 11.8 to 13.0 write it.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const unsigned char* fatbin;
};
constexpr std::uint32_t kWrapper = 0x466243b1;

CodeFacts facts_of(const device_code::Entry& entry) {
  CodeFacts facts;
  if (entry.kind == device_code::Kind::ptx) facts.kind = CodeFacts::Kind::ptx;
  if (entry.kind == device_code::Kind::cubin) facts.kind = CodeFacts::Kind::cubin;
  facts.architecture = static_cast<int>(entry.architecture);
  facts.target = entry.target;
  facts.format = entry.format;
  facts.zstd = entry.compression == device_code::Compression::zstd;
  return facts;
}

// The entries of a fat binary in this process's memory.
class Code {
 public:
  explicit Code(std::uint64_t fat_binary) {
    // A program may pass something else than a wrapper, at any address: of that, only the first
    // four bytes are read.
    const auto* place = reinterpret_cast<const unsigned char*>(fat_binary);
    Wrapper wrapper = {};
    if (place != nullptr) std::memcpy(&wrapper.magic, place, sizeof wrapper.magic);
    if (wrapper.magic != kWrapper) return;
    std::memcpy(&wrapper, place, sizeof wrapper);
    if (wrapper.fatbin == nullptr) return;
    const device_code::Bytes header{wrapper.fatbin, device_code::kFatbinHeader};
    if (!header.begins_with(device_code::kFatbin, sizeof device_code::kFatbin)) return;
    std::uint64_t size = 0;
    header.read(device_code::kFatbinSize, &size);
    entries_ = {wrapper.fatbin + device_code::kFatbinHeader, static_cast<std::size_t>(size)};
    each([this](const CodeFacts& code) {
      if (code.kind == CodeFacts::Kind::ptx && newer(code.format, newest_ptx_)) {
        newest_ptx_ = code.format;
      }
      return true;
    });
  }

  // Calls visit(facts) until it returns false.
  template <typename Visit>
  void each(Visit visit) const {
    std::size_t at = 0;
    device_code::FatbinEntry entry;
    while (device_code::next_entry(entries_, &at, &entry) == device_code::NextEntry::found) {
      if (entry.kind() != device_code::Kind::concatenated) {
        if (!visit_one(entry, false, visit)) return;
        continue;
      }
      device_code::Rows rows = device_code::rows_of(entry);
      while (device_code::next_row(&rows, &entry) == device_code::NextEntry::found) {
        if (!visit_one(entry, true, visit)) return;
      }
    }
  }
  template <typename Holds>
  bool any(Holds holds) const {
    bool found = false;
    each([&](const CodeFacts& code) { return !(found = holds(code)); });
    return found;
  }
  bool is_empty() const {
    return !any([](const CodeFacts&) { return true; });
  }

 private:
  template <typename Visit>
  bool visit_one(const device_code::FatbinEntry& entry, bool concatenated, Visit& visit) const {
    CodeFacts facts = facts_of(device_code::describe(entry));
    facts.concatenated = concatenated;
    facts.newest_ptx = newest_ptx_;
    return visit(facts);
  }

  device_code::Bytes entries_;
  Version newest_ptx_;
};

// "sm_80, sm_90a, PTX 9.0 for compute_90": equal neighbours once, and only as many as there is room
// for.
class List {
 public:
  explicit List(const Code& code) {
    CodeFacts before;
    code.each([&](const CodeFacts& one) {
      const bool repeated = size_ > 0 && one.kind == before.kind && one.target == before.target &&
                            one.architecture == before.architecture;
      before = one;
      return repeated || add(one);
    });
  }
  const char* text() const { return text_; }

 private:
  bool add(const CodeFacts& code) {
    char* end = text_ + size_;
    const std::size_t space = sizeof text_ - sizeof kMore - size_;
    const char* between = size_ > 0 ? ", " : "";
    const char target[] = {code.target, '\0'};
    const int length =
        code.kind == CodeFacts::Kind::ptx
            ? std::snprintf(end, space, "%sPTX %d.%d for compute_%d%s", between, code.format.major,
                            code.format.minor, code.architecture, target)
            : std::snprintf(end, space, "%ssm_%d%s", between, code.architecture, target);
    const bool fits = length >= 0 && static_cast<std::size_t>(length) < space;
    if (fits) {
      size_ += static_cast<std::size_t>(length);
    } else {
      __builtin_memcpy(end, kMore, sizeof kMore);
    }
    return fits;
  }

  static constexpr char kMore[] = ", ...";
  char text_[320] = "";
  std::size_t size_ = 0;
};

// The oldest CUDA whose driver loads some of it; not known for an empty one.
Version oldest_cuda_of(const Code& code) {
  Version oldest;
  code.each([&](const CodeFacts& one) {
    const Version needed = oldest_cuda_for(one);
    if (!oldest.known() || newer(oldest, needed)) oldest = needed;
    return true;
  });
  return oldest;
}

// The file of an object that was not reported before. An object registers all its fat binaries
// before the next one does.
const char* new_file(const void* address) {
  static std::atomic<const char*> last{nullptr};
  const char* name = object_of(address).name;
  if (name == nullptr) name = "?";
  if (last.exchange(name, std::memory_order_relaxed) == name) return nullptr;
  return *name != '\0' ? name : "the program";
}

}  // namespace

void report_device_code(std::uint64_t fat_binary) {
  const Code code(fat_binary);
  if (code.is_empty()) return;
  const Driver& driver = driver_of_process();
  const Version cuda = driver.facts.cuda;
  if (!cuda.known()) return;
  const auto is_loaded = [&](const CodeFacts& one) { return loads(cuda, one); };
  if (code.any(is_loaded)) return;
  const char* file = new_file(reinterpret_cast<const void*>(fat_binary));
  if (file == nullptr) return;
  const List list(code);
  const Version needed = oldest_cuda_of(code);
  log_line(
      LogLevel::warn,
      "cudart: %s: the driver %s, of CUDA %d.%d, loads no code from one of this file's fat "
      "binaries (%s), which needs a driver of CUDA %d.%d or later; update the driver, or build "
      "the device code with CUDA %d.%d or older",
      file, driver.path, cuda.major, cuda.minor, list.text(), needed.major, needed.minor,
      cuda.major, cuda.minor);
}

}  // namespace anycuda::registration
