// SPDX-License-Identifier: Apache-2.0
#include "under.h"

#include <elf.h>

#include <fstream>

namespace anycuda::test {

#if defined(ANYCUDA_TEST_EMULATOR) || defined(ANYCUDA_TEST_MEMCHECK)

namespace {

bool is_for(int machine, const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr header = {};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  return file && header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == 'E' &&
         header.e_machine == machine;
}

void put_before(ProcessSpec& spec, const std::vector<std::string>& words) {
  spec.argv.insert(spec.argv.begin(), words.begin(), words.end());
}

}  // namespace

#endif

#if defined(ANYCUDA_TEST_EMULATOR)

// The variables that the dynamic linker reads must not reach the emulator itself; the others cannot
// be its options, whose values end with a comma.
void run_under(ProcessSpec& spec) {
  if (!is_for(EM_AARCH64, spec.argv[0])) return;
  std::vector<std::string> words = {ANYCUDA_TEST_EMULATOR};
  for (auto at = spec.env.begin(); at != spec.env.end();) {
    if (at->first.rfind("LD_", 0) != 0) {
      ++at;
      continue;
    }
    words.insert(words.end(), {"-E", at->first + "=" + at->second});
    at = spec.env.erase(at);
  }
  put_before(spec, words);
}

#elif defined(ANYCUDA_TEST_MEMCHECK)

// Programs of this build: a shell or a Python has its own errors. Nothing can watch a program with
// more privileges than its caller.
void run_under(ProcessSpec& spec) {
  const bool is_ours = spec.argv[0].rfind(ANYCUDA_TEST_BUILD, 0) == 0;
  if (!is_ours || spec.secure || !is_for(EM_X86_64, spec.argv[0])) return;
  put_before(spec, {ANYCUDA_TEST_MEMCHECK});
  spec.timeout *= 20;
}

#elif defined(ANYCUDA_TEST_ASAN_OPTIONS)

// Its runtime has to be the first library of a program that opens a stub: it is in front of what is
// preloaded.
void run_under(ProcessSpec& spec) {
  spec.env.emplace("ASAN_OPTIONS", ANYCUDA_TEST_ASAN_OPTIONS);
  if (spec.secure) return;
  std::string& preloaded = spec.env["LD_PRELOAD"];
  preloaded = preloaded.empty() ? ANYCUDA_TEST_ASAN : ANYCUDA_TEST_ASAN ":" + preloaded;
}

#else

void run_under(ProcessSpec&) {}

#endif

}  // namespace anycuda::test
