// SPDX-License-Identifier: Apache-2.0

// The stubs' files: small, needing only libc, and hardened.
#include <elf.h>

#include <algorithm>
#include <cstring>

#include "real.h"
#include "support/case_names.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

std::vector<Path> all_files() {
  std::vector<Path> files = all_stubs();
  for (const auto& entry : std::filesystem::directory_iterator(dropin_folder())) {
    files.push_back(entry.path());
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(all_stubs().size()), files.end());
  return files;
}

TEST(StubFiles, AreThoseOfEveryLibrary) {
  std::size_t libraries = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(Path(ANYCUDA_SOURCE_DIR) / "stubs")) {
    libraries += exists(entry.path() / "library.json") ? 1 : 0;
  }
  EXPECT_EQ(all_stubs().size(), libraries);
  EXPECT_GE(all_files().size(), 2 * libraries);  // a drop-in for each SONAME
}

class StubFile : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override { bytes_ = content(GetParam()); }

  template <typename T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::vector<Elf64_Phdr> segments() const {
    const auto header = at<Elf64_Ehdr>(0);
    std::vector<Elf64_Phdr> all;
    for (int i = 0; i < header.e_phnum; ++i) {
      all.push_back(at<Elf64_Phdr>(header.e_phoff + static_cast<std::size_t>(i) * sizeof all[0]));
    }
    return all;
  }
  // The value of a dynamic entry, `otherwise` if the file has no such entry.
  std::uint64_t dynamic(Elf64_Sxword tag, std::uint64_t otherwise) const {
    for (const Elf64_Phdr& segment : segments()) {
      if (segment.p_type != PT_DYNAMIC) continue;
      for (std::size_t i = 0; i < segment.p_filesz; i += sizeof(Elf64_Dyn)) {
        const auto entry = at<Elf64_Dyn>(segment.p_offset + i);
        if (entry.d_tag == tag) return entry.d_un.d_val;
      }
    }
    return otherwise;
  }

  std::string bytes_;
};

TEST_P(StubFile, IsCalledAsItsFileIs) {
  EXPECT_EQ(ElfFile::read(GetParam()).soname, GetParam().filename());
}

TEST_P(StubFile, NeedsOnlyLibc) {
  for (const std::string& library : ElfFile::read(GetParam()).needed) {
    EXPECT_THAT(library, ::testing::AnyOf("libc.so.6", "ld-linux-x86-64.so.2", "libdl.so.2",
                                          "libpthread.so.0"));
  }
}

// Each name costs the dynamic linker some 700 instructions whenever the stub is loaded.
TEST_P(StubFile, ImportsFewNames) {
  if (ElfFile::read(GetParam()).imports.empty()) FAIL() << "no imports were read";
  EXPECT_LE(ElfFile::read(GetParam()).imports.size(), 20u);
  for (const ElfSymbol& import : ElfFile::read(GetParam()).imports) {
    EXPECT_THAT(import.name,
                ::testing::AnyOf("__environ", "__errno_location", "__tls_get_addr",
                                 "anycuda_open_at_load", "calloc", "dl_iterate_phdr", "dlclose",
                                 "dlerror", "dlopen", "dlsym", "free", "getauxval", "malloc",
                                 "memchr", "pthread_setcancelstate", "syscall", "uselocale"));
  }
}

TEST_P(StubFile, IsSmallerThan455KBWhenStripped) {
  if (strip().empty()) GTEST_SKIP() << "strip is not installed (Debian package binutils)";
  Machine machine;
  machine.put_copy("stub.so", GetParam());
  ASSERT_TRUE(machine.run({strip().string(), (machine.root() / "stub.so").string()}).ok());
  EXPECT_LT(std::filesystem::file_size(machine.root() / "stub.so"), 455'000u);
}

TEST_P(StubFile, HasNoExecutableStackAndNoWritableCode) {
  bool stack = false;
  for (const Elf64_Phdr& segment : segments()) {
    if (segment.p_type == PT_GNU_STACK) {
      stack = true;
      EXPECT_EQ(segment.p_flags & PF_X, 0u);
    }
    if (segment.p_type == PT_LOAD) {
      EXPECT_NE(segment.p_flags & (PF_W | PF_X), static_cast<unsigned>(PF_W | PF_X));
    }
  }
  EXPECT_TRUE(stack) << "without PT_GNU_STACK the stack is executable";
  EXPECT_EQ(dynamic(DT_TEXTREL, 0), 0u);
}

TEST_P(StubFile, HasRelroAndIsBoundWhenLoaded) {
  bool relro = false;
  for (const Elf64_Phdr& segment : segments()) relro = relro || segment.p_type == PT_GNU_RELRO;
  EXPECT_TRUE(relro);
  EXPECT_TRUE((dynamic(DT_FLAGS, 0) & DF_BIND_NOW) != 0 ||
              (dynamic(DT_FLAGS_1, 0) & DF_1_NOW) != 0);
}

// Its slots and its handlers are known to other libraries and to the C library for as long as the
// process lives.
TEST_P(StubFile, CannotBeUnloaded) {
  EXPECT_NE(dynamic(DT_FLAGS_1, 0) & DF_1_NODELETE, 0u);
  REQUIRE_PROGRAM(native("host"));
  const ProcessResult result =
      Machine().run({native("host"), "import:" + GetParam().string(), "close"});
  EXPECT_THAT(answers(result), ::testing::ElementsAre("import: yes", "close: still there"));
}

std::string name_of(const ::testing::TestParamInfo<Path>& info) {
  return case_name(info.param.filename().string());
}
INSTANTIATE_TEST_SUITE_P(Files, StubFile, ::testing::ValuesIn(all_files()), name_of);

}  // namespace
}  // namespace anycuda::test
