// SPDX-License-Identifier: Apache-2.0

// Which real libraries may be bound lazily, and that a faulty copy of one may not.
#include "compat/search/binding.h"

#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "compat/base/arena.h"
#include "support/machine.h"

namespace anycuda::test {
namespace {

// glibc has had the functions of libdl, libpthread and librt in libc since this release.
bool libc_has_all_functions() { return std::string(gnu_get_libc_version()) >= "2.34"; }

std::filesystem::path file_of(const std::string& artifact, const std::string& name) {
  return Artifacts::of_this_build().file(artifact, name);
}

class Binding : public ::testing::Test {
 protected:
  static bool lazily(const std::filesystem::path& file,
                     const anycuda::Machine& machine = anycuda::Machine()) {
    Arena arena;
    const std::size_t mark = arena.mark();
    const bool may = may_bind_lazily(file.c_str(), machine, &arena);
    EXPECT_EQ(arena.mark(), mark);
    return may;
  }
  static std::string runtime() {
    std::ifstream file(file_of("cudart-12.9", "libcudart.so.12"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The runtime of 12.9 with one text in the place of another.
  std::filesystem::path edited(const std::string& from, const std::string& to) {
    std::string bytes = runtime();
    const std::string whole = '\0' + from + '\0';
    const std::size_t at = bytes.find(whole);
    EXPECT_NE(at, std::string::npos) << from;
    bytes.replace(at + 1, from.size(), to);
    machine_.put_file("edited.so", bytes);
    return machine_.root() / "edited.so";
  }
  Machine machine_;
};

#define NEEDS(artifact)                                                                       \
  if (const std::string why = Artifacts::of_this_build().why_missing(artifact); !why.empty()) \
  GTEST_SKIP() << why

TEST_F(Binding, RuntimesThatNeedOnlyLibc_AreBoundLazily) {
  if (!libc_has_all_functions()) GTEST_SKIP() << "libc is older than 2.34";
  for (const char* release : {"11.8", "12.0", "12.4", "12.9"}) {
    const std::string artifact = std::string("cudart-") + release;
    NEEDS(artifact);
    const std::string name =
        *release == '1' && release[1] == '1' ? "libcudart.so.11.0" : "libcudart.so.12";
    EXPECT_TRUE(lazily(file_of(artifact, name))) << artifact;
  }
}

TEST_F(Binding, LibrariesThatNeedOthers_AreBoundAtOnce) {
  NEEDS("cudart-13.5");
  NEEDS("nvrtc-12.9");
  EXPECT_FALSE(lazily(file_of("cudart-13.5", "libcudart.so.13"))) << "it needs libstdc++";
  EXPECT_FALSE(lazily(file_of("nvrtc-12.9", "libnvrtc.so.12"))) << "it calls functions of libm";
}

TEST_F(Binding, CopyThatNeedsWhatLibcDoesNotHave_IsBoundAtOnce) {
  if (!libc_has_all_functions()) GTEST_SKIP() << "libc is older than 2.34";
  NEEDS("cudart-12.9");
  EXPECT_TRUE(lazily(edited("shmat", "shmat")));
  EXPECT_FALSE(lazily(edited("shmat", "shmbt"))) << "libc does not have this function";
  EXPECT_FALSE(lazily(edited("pthread_mutex_trylock", "pthread_mutex_trylocx")));
  EXPECT_FALSE(lazily(edited("GLIBC_2.3.3", "GLIBC_2.3.9"))) << "a version that libc does not have";
  EXPECT_FALSE(lazily(edited("librt.so.1", "librt.so.9"))) << "a library that is not libc's";
}

TEST_F(Binding, UnreadableFiles_AreBoundAtOnce) {
  EXPECT_FALSE(lazily(machine_.root() / "none.so"));
  EXPECT_FALSE(lazily(machine_.root()));
  machine_.put_file("text.so", "INPUT(libcudart.so.12)");
  EXPECT_FALSE(lazily(machine_.root() / "text.so"));
}

// Where libc is not among the first objects (dlmopen), or is not seen, a later library may come
// before it.
TEST_F(Binding, WithoutLibcBehindTheProgram_EverythingIsBoundAtOnce) {
  NEEDS("cudart-12.9");
  anycuda::Machine machine;
  machine.start_objects = [] { return StartObjects{}; };
  machine.loaded_objects = [](int (*)(dl_phdr_info*, std::size_t, void*), void*) { return 0; };
  EXPECT_FALSE(lazily(file_of("cudart-12.9", "libcudart.so.12"), machine));
  machine.loaded_objects = [](int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
    static const auto without_program = [](dl_phdr_info* info, std::size_t size, void* pair) {
      auto* visitor =
          static_cast<std::pair<int (*)(dl_phdr_info*, std::size_t, void*), void*>*>(pair);
      return *info->dlpi_name == '\0' ? 0 : visitor->first(info, size, visitor->second);
    };
    std::pair visitor(visit, argument);
    return dl_iterate_phdr(without_program, &visitor);
  };
  EXPECT_FALSE(lazily(file_of("cudart-12.9", "libcudart.so.12"), machine));
}

// The file's tables are read with every place checked.
TEST_F(Binding, DamagedCopies_AreRead) {
  NEEDS("cudart-12.9");
  constexpr std::size_t kTables = 48 << 10;  // headers, symbols, names, versions
  std::mt19937 random(20261128);
  const std::string whole = runtime();
  int lazy = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = whole;
    if (i % 10 == 0) bytes.resize(random() % bytes.size());
    for (unsigned changes = 1 + random() % 4; changes != 0 && !bytes.empty(); --changes) {
      bytes[random() % std::min(bytes.size(), kTables)] = static_cast<char>(random());
    }
    machine_.put_file("damaged.so", bytes);
    lazy += lazily(machine_.root() / "damaged.so");
  }
  EXPECT_LT(lazy, 1000);
}

}  // namespace
}  // namespace anycuda::test
