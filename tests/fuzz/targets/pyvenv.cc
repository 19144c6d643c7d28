// Whether a virtual environment is closed. Input: its pyvenv.cfg.
#include <cstdint>

#include "compat/search/machine/interpreter.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/memory_file.h"

namespace {

struct Environment {
  Environment() { folder.link("pyvenv.cfg", file.path()); }
  anycuda::fuzz::Folder folder;
  anycuda::fuzz::MemoryFile file;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Environment environment;
  static anycuda::Arena arena;
  environment.file.fill(data, size);
  arena.rewind(0);
  const char* prefix = environment.folder.root().c_str();
  const bool isolated = anycuda::is_isolated(prefix, &arena);
  anycuda::fuzz::must(anycuda::is_isolated(prefix, &arena) == isolated,
                      "the same file gets the same answer");
  return 0;
}
