// SPDX-License-Identifier: Apache-2.0

// A cache on disk for the results of Program::compile() and Linker::link().
//
//   anycuda::linker::CodeCache cache;  // ~/.cache/anycuda/code
//   const Code kernel = anycuda::Program(source, "kernel.cu").compile(Output::cubin, cache);
//   const Code cubin = anycuda::Linker({kernel, helper}, options).link(cache);
//
// An entry is found by everything that decides the result: the source or the inputs, the options in
// their order, the architecture, and the build of NVRTC, nvJitLink or the driver that makes it.
// docs/linker.md, "A cache on disk", lists what is not cached.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace anycuda::linker {

struct CacheOptions {
  // The size in bytes that the entries may have together, 1024 or more. Above it, the entries that
  // were not used for the longest time are removed. While several processes write, the folder may
  // be larger by a sixteenth for each of them.
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
};

// Since the cache was constructed, in this process.
struct CacheCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;       // cacheable, and made by NVRTC or a linker
  std::uint64_t uncacheable = 0;  // made without a look into the cache
  std::uint64_t stored = 0;
  std::uint64_t damaged = 0;   // misses because an entry was damaged; such entries are removed
  std::uint64_t evicted = 0;   // entries removed because of max_bytes
  std::uint64_t failures = 0;  // the folder could not be used, or an entry not be written
};

// Move-only. May be used by several threads and Programs at once, and after fork(); it takes no
// lock. Any number of processes may use a folder together: an entry is written to a temporary file
// and then renamed. The cache is never the reason for an error of compile() and link(): if the
// folder cannot be used (full disk, read-only, no home), they work without it.
class CodeCache {
 public:
  // `folder` empty: the folder in the variable ANYCUDA_CODE_CACHE, else anycuda/code in
  // $XDG_CACHE_HOME (XDG Base Directory Specification), else ~/.cache/anycuda/code. A privileged
  // process (AT_SECURE) ignores these variables. ANYCUDA_CODE_CACHE=off switches every cache off,
  // also one with a `folder`; a value that is neither `off` nor an absolute path does, too, and
  // problem() names it.
  //
  // The folder is created at the first store, for this user only (0700). A folder that belongs to
  // another user, or into which others may write, is not used: its entries would be code that
  // others chose. Throws OptionError: max_bytes is too small, `folder` has a zero byte.
  explicit CodeCache(const std::string& folder = {}, CacheOptions options = {});
  ~CodeCache();
  CodeCache(CodeCache&& other) noexcept;
  CodeCache& operator=(CodeCache&& other) noexcept;
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  // False: switched off, or no folder is known (no home). Then nothing is read or written.
  bool enabled() const;
  const std::string& folder() const;  // "" if not enabled
  CacheCounts counts() const;
  // One sentence: why the last result was not cached, why the last failure happened, or why the
  // cache is not enabled; "" if there was nothing.
  std::string problem() const;
  // Removes every entry of the folder, also those of other processes, which make them again.
  void clear();

 private:
  friend class Store;
  std::unique_ptr<class Store> store_;
};

}  // namespace anycuda::linker
