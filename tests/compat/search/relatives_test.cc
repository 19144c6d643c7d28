// SPDX-License-Identifier: Apache-2.0

// Libraries with one SONAME for several majors, and the major of a group's loaded libraries. The
// test library stands for a loaded member; the search is for "math".
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "compat/search/elf/classify.h"
#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using unit::ElfImage;
using unit::EmptyMachine;
using unit::in_child;

constexpr MajorRow kMathMajors[] = {{11, 11, "libmath.so.10", "libmath.so.10"},
                                    {12, 13, "libmath.so.11", "libmath.so.11"}};
const Relative kGroup[] = {{&kLibrary, Bond::group}};
const Relative kRuntime[] = {{&kLibrary, Bond::runtime}};

LibraryDescriptor math() {
  LibraryDescriptor library = kLibrary;
  library.name = "math";
  library.product = "maths library";
  library.file_prefix = "libmath.so";
  library.majors = kMathMajors;
  library.major_count = 2;
  library.rules = {13, true, false};
  library.version_function = {};
  return library;
}

TEST(Rows, HoldTheMajorsOfOneSoname) {
  const LibraryDescriptor library = math();
  EXPECT_EQ(library.index_of(11), 0);
  EXPECT_EQ(library.index_of(12), 1);
  EXPECT_EQ(library.index_of(13), 1);
  EXPECT_EQ(library.index_of(14), -1);
  EXPECT_EQ(library.newest_like(12), 13);
  EXPECT_EQ(library.newest_like(11), 11);
}

TEST(Rows, PlaceAReleaseBehindThoseBefore) {
  const MajorRow& row = kMathMajors[1];
  EXPECT_EQ(row.release_at(9).major, 12);
  EXPECT_EQ(row.release_at(9).minor, 9);
  EXPECT_EQ(row.release_at(MajorRow::kMinors + 5).major, 13);
  EXPECT_EQ(row.release_at(MajorRow::kMinors + 5).minor, 5);
  EXPECT_EQ(row.release_at(-1).minor, -1);
}

TEST(Rows, SonameNumberMapsToTheCudaMajor) {
  const LibraryDescriptor library = math();
  EXPECT_EQ(major_of_soname(library, "libmath.so.10"), 11);
  EXPECT_EQ(major_of_soname(library, "libmath.so.11"), 12);
  EXPECT_EQ(major_of_soname(library, "libmath.so.12"), 14) << "newer than the newest known CUDA";
  EXPECT_EQ(major_of_soname(library, "libmath.so.9"), 0);
}

ImageFacts facts_of(const char* soname, std::initializer_list<const char*> needed) {
  const LibraryDescriptor library = math();
  Classifier identity(library);
  identity.soname(soname);
  for (const char* name : needed) identity.needed(name);
  ImageFacts facts;
  identity.put_into(&facts);
  return facts;
}

TEST(Needed, ShowsTheMajorOfASharedSoname) {
  EXPECT_FALSE(facts_of("libmath.so.11", {}).major_is_known());
  EXPECT_EQ(facts_of("libmath.so.11", {}).newest_major, 13);
  for (const char* name : {"libnvJitLink.so.13", "libcublas.so.13", "libcublasLt.so.13"}) {
    const ImageFacts facts = facts_of("libmath.so.11", {"libc.so.6", name});
    EXPECT_TRUE(facts.major_is_known()) << name;
    EXPECT_EQ(facts.version.major, 13) << name;
    EXPECT_EQ(facts.needs_runtime, 0) << name;
  }
  const ImageFacts facts = facts_of("libmath.so.11", {"libcudart.so.12"});
  EXPECT_EQ(facts.version.major, 12);
  EXPECT_EQ(facts.needs_runtime, 12);
}

TEST(Needed, OfAnotherMajorThanTheSoname_DoesNotCount) {
  EXPECT_EQ(facts_of("libmath.so.10", {"libcublas.so.13"}).version.major, 11);
  EXPECT_FALSE(facts_of("libmath.so.11", {"libcublas.so.11"}).major_is_known());
  EXPECT_FALSE(facts_of("libmath.so.11", {"libcublasfoo.so.13", "libcublas.so"}).major_is_known());
}

class Relatives : public testing::Test {
 protected:
  void install(const std::string& version, const std::string& number, const std::string& soname) {
    ElfImage image;
    image.soname = soname;
    image.symbol_versions = {soname};
    const std::string root = "system/usr/local/cuda-" + version;
    machine.tree.file(root + "/include/cuda.h", "#define CUDA_VERSION " + number + "\n");
    machine.tree.file(root + "/lib64/" + soname, image.bytes());
  }
  // The one that is tried first, in a process that has loaded these; "none: " and the verdicts.
  std::string first_beside(const std::vector<std::string>& loaded, const Relative* relatives) {
    const std::string text = in_child([&] {
      for (const std::string& file : loaded) ASSERT_NE(dlopen(file.c_str(), RTLD_NOW), nullptr);
      LibraryDescriptor library = math();
      library.relatives = relatives;
      library.relative_count = 1;
      unit::TestSearch search(library, nullptr, unit::kNoDriver);
      gather_loaded(&search.gathered);
      gather_process(&search.gathered);
      search.gather(SearchTier::system);
      search.evaluate();
      const Candidate* best = search.best();
      std::fputs(best != nullptr ? best->path : "none:", stderr);
      for (const Candidate* c = search.first; best == nullptr && c != nullptr; c = c->next) {
        std::fprintf(stderr, " %d", static_cast<int>(c->verdict));
      }
    });
    const std::size_t at = text.find("/usr/local/");
    return at == std::string::npos ? text : text.substr(at + std::strlen("/usr/local/"));
  }
  EmptyMachine machine;
};

TEST_F(Relatives, NoneLoaded_NewestIsTaken) {
  install("11.8", "11080", "libmath.so.10");
  install("12.9", "12090", "libmath.so.11");
  install("13.5", "13050", "libmath.so.11");
  EXPECT_THAT(first_beside({}, kGroup), StartsWith("cuda-13.5/"));
}

TEST_F(Relatives, MemberLoaded_ItsMajorIsTaken) {
  install("11.8", "11080", "libmath.so.10");
  install("12.9", "12090", "libmath.so.11");
  install("13.5", "13050", "libmath.so.11");
  const std::string of_12 = machine.tree.fake("libtest.so.12", "group/libtest.so.12");
  const std::string of_11 = machine.tree.fake("libtest.so.11.2", "other/libtest.so.11.2");
  EXPECT_THAT(first_beside({of_12}, kGroup), StartsWith("cuda-12.9/"));
  EXPECT_THAT(first_beside({of_11}, kGroup), StartsWith("cuda-11.8/"));
  EXPECT_THAT(first_beside({of_12}, kRuntime), StartsWith("cuda-12.9/"));
}

TEST_F(Relatives, MemberOfAnotherMajorLoaded_NoneIsTaken) {
  install("13.5", "13050", "libmath.so.11");
  const std::string of_12 = machine.tree.fake("libtest.so.12", "group/libtest.so.12");
  EXPECT_EQ(first_beside({of_12}, kGroup),
            "none: " + std::to_string(static_cast<int>(Verdict::other_group)));
  EXPECT_THAT(first_beside({of_12}, kRuntime), StartsWith("cuda-13.5/")) << "a preference only";
}

TEST_F(Relatives, RenamedMember_IsKnownByItsSymbolVersion) {
  install("12.9", "12090", "libmath.so.11");
  install("13.5", "13050", "libmath.so.11");
  const std::string renamed = machine.tree.fake("libtest.so.12", "group/bundled-1234.so");
  EXPECT_THAT(first_beside({renamed}, kGroup), StartsWith("cuda-12.9/"));
}

// ---- what a search keeps of the loaded libraries

// A library whose SONAME two majors share, as a relative of the maths library.
struct Shared {
  Shared() {
    searched.relatives = &relative;
    searched.relative_count = 1;
  }
  LibraryDescriptor member = unit::of_two_majors();
  Relative relative = {&member, Bond::group};
  LibraryDescriptor searched = math();
};

TEST_F(Relatives, SonameOfTwoMajors_TheMetadataTellWhich) {
  const Shared shared;
  const std::string of_13 = machine.tree.fake("libtest.so.12", "toolkit/lib64/libtest.so.12");
  machine.tree.file("toolkit/include/cuda.h", "#define CUDA_VERSION 13050\n");
  in_child([&] {
    ASSERT_NE(dlopen(of_13.c_str(), RTLD_NOW), nullptr);
    unit::TestSearch search(shared.searched, nullptr, unit::kNoDriver);
    gather_loaded(&search.gathered);
    EXPECT_EQ(search.major_of(Bond::group), 13);
    gather_relatives_before("/libmath.so.11", &search.gathered);
    EXPECT_EQ(search.relative_count, 1);
    EXPECT_EQ(search.major_of(Bond::group), 13) << "read again";
  });
}

TEST_F(Relatives, WithoutMemoryForItsPath_NoneIsNoted) {
  const Shared shared;
  const std::string member = machine.tree.fake("libtest.so.12", "toolkit/lib64/libtest.so.12");
  in_child([&] {
    ASSERT_NE(dlopen(member.c_str(), RTLD_NOW), nullptr);
    unit::TestSearch search(shared.searched, nullptr, unit::kNoDriver);
    while (search.arena.take(16) != nullptr) {
    }
    gather_loaded(&search.gathered);
    EXPECT_EQ(search.relative_count, 0);
  });
}

TEST_F(Relatives, OnlyThoseLoadedBeforeTheOpenedFileCount) {
  LibraryDescriptor library = kLibrary;
  library.rules.one_per_process = false;
  const Relative group = {&library, Bond::group};
  library.relatives = &group;
  library.relative_count = 1;
  const std::string first = machine.tree.fake("libtest.so.12", "first/libtest.so.12");
  const std::string second = machine.tree.fake("libtest.so.13", "second/libtest.so.13");
  in_child([&] {
    unit::TestSearch search(library, nullptr, unit::kNoDriver);
    Candidate* const candidate = search.add(SearchTier::system, second.c_str());
    candidate->image.state = FileState::usable;
    candidate->image.version = {13, 0};
    candidate->image.newest_major = 13;
    ASSERT_NE(dlopen(first.c_str(), RTLD_NOW), nullptr);
    ASSERT_NE(dlopen(second.c_str(), RTLD_NOW), nullptr);
    gather_relatives_before(second.c_str(), &search.gathered);
    EXPECT_EQ(search.major_of(Bond::group), 12);
    EXPECT_EQ(evaluate(search, *candidate), Verdict::other_group);
    gather_relatives_before(first.c_str(), &search.gathered);
    EXPECT_EQ(search.major_of(Bond::group), 0) << "it is the first one itself";
  });
}

}  // namespace
}  // namespace anycuda
