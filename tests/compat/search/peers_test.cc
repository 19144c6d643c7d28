// SPDX-License-Identifier: Apache-2.0

// A search for a linker while its compiler, the test library, may be loaded: which linker comes
// first.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "compat/search/reason.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using unit::ElfImage;
using unit::EmptyMachine;
using unit::in_child;

constexpr MajorRow kLinkerMajors[] = {{12, 12, "liblink.so.12", "liblink.so.12"},
                                      {13, 13, "liblink.so.13", "liblink.so.13"}};

class Peers : public testing::Test {
 protected:
  Peers() {
    linker_.name = "linker";
    linker_.file_prefix = "liblink.so";
    linker_.majors = kLinkerMajors;
    linker_.major_count = 2;
    linker_.rules = {13, true, false, Output::cubin, LtoIr::takes};
    linker_.peer = &kLibrary;
  }
  void linker(const std::string& version, const std::string& number, const std::string& soname) {
    ElfImage image;
    image.soname = soname;
    image.symbol_versions = {soname};
    const std::string root = "system/usr/local/cuda-" + version;
    machine.tree.file(root + "/include/cuda.h", "#define CUDA_VERSION " + number + "\n");
    machine.tree.file(root + "/lib64/" + soname, image.bytes());
  }
  // Which of them is tried first, in a process that has loaded these.
  std::string first_beside(const std::vector<std::string>& loaded, int caller_major = 13) {
    const std::string text = in_child([&] {
      for (const std::string& file : loaded) ASSERT_NE(dlopen(file.c_str(), RTLD_NOW), nullptr);
      unit::TestSearch search(linker_, nullptr, unit::kNoDriver);
      search.request.caller_major = caller_major;
      gather_loaded(&search.gathered);
      search.gather(SearchTier::system);
      search.evaluate();
      const Candidate* best = search.best();
      ASSERT_NE(best, nullptr);
      std::fputs(best->path, stderr);
      for (const Candidate* c = search.first; c != nullptr; c = c->next) {
        if (c == best || preference_of(search, *best, *c) == Preference::newest) continue;
        std::fprintf(stderr, " not %s: %s;", c->path,
                     reason_of_preference(*best, *c, search, &search.arena));
      }
    });
    const std::string folder = "/usr/local/";
    return text.substr(text.find(folder) + folder.size());
  }
  EmptyMachine machine;
  LibraryDescriptor linker_ = kLibrary;
};

TEST_F(Peers, WithoutOneTheCallersMajorIsTaken) {
  linker("12.9", "12090", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  EXPECT_THAT(first_beside({}, 12),
              AllOf(StartsWith("cuda-12.9/"), HasSubstr("built for CUDA 12")));
  EXPECT_THAT(first_beside({}, 13), StartsWith("cuda-13.5/"));
  EXPECT_THAT(first_beside({}, kUnversionedCaller), StartsWith("cuda-13.5/"));
}

TEST_F(Peers, TheLoadedOnesMajorAndMinorAreKnown) {
  const std::string compiler = machine.tree.fake("libtest.so.12", "compiler/lib64/libtest.so.12");
  machine.tree.file("compiler/include/cuda.h", "#define CUDA_VERSION 12040\n");
  linker("12.3", "12030", "liblink.so.12");
  linker("12.4", "12040", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  const std::string first = first_beside({compiler});
  EXPECT_THAT(first, StartsWith("cuda-12.4/"));
  EXPECT_THAT(first, HasSubstr("it cannot exchange LTO-IR with the test library of this process, " +
                               compiler));
}

// Both minors count, though no other of that major is there to be compared with.
TEST_F(Peers, MinorOlderThanTheLoadedPeersRanksLikeAnotherMajor) {
  const std::string compiler = machine.tree.fake("libtest.so.12", "compiler/lib64/libtest.so.12");
  linker("12.3", "12030", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  EXPECT_THAT(first_beside({compiler}), StartsWith("cuda-12.3/")) << "its minor is not known";
  machine.tree.file("compiler/include/cuda.h", "#define CUDA_VERSION 12040\n");
  EXPECT_THAT(first_beside({compiler}), StartsWith("cuda-13.5/"));
  machine.tree.file("compiler/include/cuda.h", "#define CUDA_VERSION 12030\n");
  EXPECT_THAT(first_beside({compiler}), StartsWith("cuda-12.3/"));
}

TEST_F(Peers, PeerOfUnknownMinorCountsByItsMajor) {
  const std::string compiler = machine.tree.fake("libtest.so.12", "elsewhere/renamed.so");
  linker("12.0", "12000", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  EXPECT_THAT(first_beside({compiler}), StartsWith("cuda-12.0/"));
}

TEST_F(Peers, MinorWithoutASourceIsUnknown) {
  const std::string compiler = machine.tree.fake("libtest.so.12", "elsewhere/renamed.so");
  in_child([&] {
    ASSERT_NE(dlopen(compiler.c_str(), RTLD_NOW), nullptr);
    unit::TestSearch search(linker_, nullptr, unit::kNoDriver);
    gather_loaded(&search.gathered);
    ASSERT_EQ(search.peer_count, 1);
    EXPECT_EQ(search.peers[0].major, 12);
    EXPECT_EQ(search.peers[0].minor, -1);
  });
}

TEST_F(Peers, OneFittingPeerOfManyIsEnough) {
  linker("12.9", "12090", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  std::vector<std::string> many;
  many.reserve(2 * kMostPeers);
  for (int i = 0; i < 2 * kMostPeers; ++i) {
    many.push_back(machine.tree.fake("libtest.so.11.2", "x" + std::to_string(i) + "/libtest.so"));
  }
  EXPECT_THAT(first_beside(many, 12), StartsWith("cuda-12.9/"));
  const std::string of_12 = machine.tree.fake("libtest.so.12", "y/libtest.so.12");
  EXPECT_THAT(first_beside({many[0], of_12}), StartsWith("cuda-12.9/"));
}

TEST_F(Peers, StubIsNotAPeer) {
  linker("12.9", "12090", "liblink.so.12");
  linker("13.5", "13050", "liblink.so.13");
  const std::string stub = machine.tree.fake("libtest_stub.so", "elsewhere/libtest.so.12");
  EXPECT_THAT(first_beside({stub}, 13), StartsWith("cuda-13.5/"));
}

}  // namespace
}  // namespace anycuda
