// SPDX-License-Identifier: Apache-2.0

// The machine's GPUs: read from the kernel's files, and only if the answer decides.
#include <gtest/gtest.h>

#include "compat/search/driver/oldest_gpu.h"
#include "compat/search/evaluation.h"
#include "compat/search/gather.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using unit::ElfImage;
using unit::EmptyMachine;

// ---- the kernel's files

class OldestGpu : public testing::Test {
 protected:
  void plug(const std::string& place, const std::string& number) {
    machine.tree.file("system/proc/driver/nvidia/gpus/" + place + "/information", "");
    if (!number.empty()) {
      machine.tree.file("system/sys/bus/pci/devices/" + place + "/device", number + "\n");
    }
  }
  int oldest() { return oldest_gpu_below(machine.tree.path("system").c_str()); }
  EmptyMachine machine;
};

TEST_F(OldestGpu, NumbersBelowTurings_AreOlder) {
  EXPECT_EQ(oldest(), 0) << "no GPU";
  plug("0000:01:00.0", "0x2330");  // H100
  plug("0000:02:00.0", "0x1e02");  // TITAN RTX, the first of Turing
  EXPECT_EQ(oldest(), 75);
  plug("0000:03:00.0", "0x1db1");  // V100
  EXPECT_EQ(oldest(), 50);
}

TEST_F(OldestGpu, OneThatCannotBeRead_IsUnknown) {
  plug("0000:01:00.0", "0x2330");
  plug("0000:02:00.0", "");
  EXPECT_EQ(oldest(), 0);
  plug("0000:03:00.0", "no number");
  EXPECT_EQ(oldest(), 0);
  plug("0000:04:00.0", "0x1b80");  // GTX 1080: older than Turing, whatever the others are
  EXPECT_EQ(oldest(), 50);
}

// ---- a search

int asked = 0;
int gpu_here = 70;

class Gpus : public testing::Test {
 protected:
  Gpus() {
    asked = 0;
    gpu_here = 70;
    world_.driver = []() -> const Driver& {
      static const Driver driver = {{true, {13, 0}, 580}, "/lib/libtestdriver.so.1", nullptr, 0};
      return driver;
    };
    world_.oldest_gpu = [] {
      ++asked;
      return gpu_here;
    };
  }
  void install(const std::string& version, const std::string& soname) {
    ElfImage image;
    image.soname = soname;
    image.symbol_versions = {soname};
    machine.tree.file("system/usr/local/cuda-" + version + "/lib64/" + soname, image.bytes());
  }
  std::string first(const Policy& policy = {}, int caller_major = kUnversionedCaller) {
    unit::TestSearch search(library_, nullptr, world_);
    search.request.policy = policy;
    search.request.caller_major = caller_major;
    search.gather(SearchTier::system);
    search.evaluate();
    const Candidate* best = search.best();
    const std::string path = best != nullptr ? best->path : "";
    return path.substr(path.rfind('/') + 1);
  }
  EmptyMachine machine;
  LibraryDescriptor library_ = kLibrary;
  Machine world_ = unit::kThisMachine;
};

TEST_F(Gpus, OldOne_TakesTheCudaThatHasCodeForIt) {
  install("12.9", "libtest.so.12");
  install("13.0", "libtest.so.13");
  EXPECT_EQ(first(), "libtest.so.12");
  EXPECT_EQ(asked, 1);
  gpu_here = 75;
  EXPECT_EQ(first(), "libtest.so.13");
  gpu_here = 0;
  EXPECT_EQ(first(), "libtest.so.13");
}

TEST_F(Gpus, AreQueriedOnce) {
  install("12.9", "libtest.so.12");
  install("13.0", "libtest.so.13");
  unit::TestSearch search(library_, nullptr, world_);
  search.gather(SearchTier::system);
  search.evaluate();
  search.evaluate();
  EXPECT_EQ(search.oldest_gpu, 70);
  EXPECT_EQ(asked, 1);
}

TEST_F(Gpus, ThatCannotBeQueried_TheNewestIsTaken) {
  install("12.9", "libtest.so.12");
  install("13.0", "libtest.so.13");
  world_.oldest_gpu = nullptr;
  EXPECT_EQ(first(), "libtest.so.13");
}

TEST_F(Gpus, WithoutDriverRules_AreNotQueried) {
  install("12.9", "libtest.so.12");
  install("13.0", "libtest.so.13");
  Policy off;
  off.mode = Mode::off;
  EXPECT_EQ(first(off), "libtest.so.13");
  library_.rules.driver_bound = false;
  EXPECT_EQ(first(), "libtest.so.13");
  EXPECT_EQ(asked, 0);
}

// A library that is refused, cannot be used, or is loaded already: the GPUs decide nothing.
TEST_F(Gpus, OneAcceptedFile_TheyAreNotQueried) {
  install("12.9", "libtest.so.12");
  install("13.0", "libtest.so.13");
  Policy reject;
  reject.cross_major = CrossMajor::reject;
  EXPECT_EQ(first(reject, 12), "libtest.so.12");
  EXPECT_EQ(first(reject, 13), "libtest.so.13");
  for (const SearchTier tier : {SearchTier::loaded, SearchTier::system}) {
    unit::TestSearch search(library_, nullptr, world_);
    Candidate* other = search.add(tier, "/other/libtest.so.12");
    other->image.state = tier == SearchTier::loaded ? FileState::usable : FileState::truncated;
    other->image.version = {12, 9};
    Candidate* usable = search.add(SearchTier::system, "/libtest.so.13");
    usable->image.state = FileState::usable;
    usable->image.version = {13, 0};
    search.evaluate();
    EXPECT_EQ(usable->verdict, Verdict::accepted);
  }
  EXPECT_EQ(asked, 0);
}

TEST_F(Gpus, OneMajor_IsTakenWithoutAsking) {
  install("13.0", "libtest.so.13");
  EXPECT_EQ(first(), "libtest.so.13");
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace anycuda
