// SPDX-License-Identifier: Apache-2.0

// The hint of a message.
#include "compat/search/hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compat/search/reason.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Seen {
  SearchTier tier;
  Verdict verdict;
};

std::string hint(std::initializer_list<Seen> candidates, const char* wrong_variable = nullptr,
                 Output output = Output::none, const char* mode_variable = kModeVariable) {
  LibraryDescriptor library = kLibrary;
  library.rules.output = output;
  unit::TestSearch search(library, nullptr, unit::kNoDriver);
  search.request.caller_major = 12;
  search.driver = {true, {12, 2}, 0};
  search.request.policy.mode_variable = mode_variable;
  if (wrong_variable != nullptr) {
    search.request.policy.wrong[search.request.policy.wrong_count++] = {wrong_variable, "on",
                                                                        "off"};
  }
  for (const Seen& seen : candidates) {
    Candidate* candidate = search.add(seen.tier, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->verdict = seen.verdict;
  }
  return hint_for(search, &search.arena);
}

TEST(Hint, NothingInstalled_IsToInstall) {
  EXPECT_THAT(hint({}), HasSubstr("install the test library"));
  EXPECT_THAT(hint({}), HasSubstr("set ANYCUDA_TESTLIB"));
}

// Candidates of tiers that the search did not come to are in a report for its readers.
TEST(Hint, IsOnlyAboutReachedTiers) {
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  search.tiers[static_cast<int>(SearchTier::system)].searched = false;
  Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
  candidate->image.state = FileState::usable;
  candidate->verdict = Verdict::driver_too_old;
  EXPECT_THAT(hint_for(search, &search.arena), HasSubstr("install the test library"));
}

TEST(Hint, NamedFile_IsAboutTheVariable) {
  EXPECT_THAT(hint({{SearchTier::variable, Verdict::accepted}}),
              HasSubstr("correct ANYCUDA_TESTLIB or unset it"));
}

TEST(Hint, ForNvidiasStubForLinkingIsToInstallADriver) {
  const auto of = [](SearchTier tier) -> std::string {
    unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
    search.add(tier, "/cuda/stubs/libtest.so.13")->image.state = FileState::link_stub;
    return hint_for(search, &search.arena);
  };
  EXPECT_THAT(of(SearchTier::library_path), HasSubstr("install the test library"));
  EXPECT_THAT(of(SearchTier::library_path),
              HasSubstr(", and remove /cuda/stubs from LD_LIBRARY_PATH"));
  EXPECT_THAT(of(SearchTier::system),
              HasSubstr(", and remove /cuda/stubs from the dynamic linker's path"));
}

TEST(Hint, ForALinkStubWithoutAPathIsToInstallADriver) {
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  Candidate* candidate = search.add(SearchTier::system, "/cuda/stubs/libtest.so.13");
  candidate->image.state = FileState::link_stub;
  candidate->path = nullptr;  // no memory was left for it
  EXPECT_STREQ(hint_for(search, &search.arena), kLibrary.install_hint);
}

TEST(Hint, ForAnotherUnusableFileIsAboutNoFolder) {
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  search.add(SearchTier::system, "/cuda/libtest.so.13")->image.state =
      FileState::other_architecture;
  EXPECT_THAT(hint_for(search, &search.arena), Not(HasSubstr("and remove")));
}

TEST(Hint, ForALibraryThatStaysOpenIsToRemoveIt) {
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
  candidate->image.state = FileState::other_version;
  candidate->stays_open = true;
  EXPECT_STREQ(hint_for(search, &search.arena),
               "remove /opt/libtest.so.13 or replace it by a complete test library, and start the "
               "program again");
}

TEST(Hint, LoadedFileThatCannotBeUsed_IsToRemoveIt) {
  LibraryDescriptor library = kLibrary;
  library.rules.one_per_process = true;
  unit::TestSearch search(library, nullptr, unit::kNoDriver);
  search.add(SearchTier::loaded, "/app/libtest.so.12")->image.state =
      FileState::required_symbol_missing;
  Candidate* other = search.add(SearchTier::system, "/opt/libtest.so.13");
  other->image.state = FileState::usable;
  other->verdict = Verdict::other_loaded;
  EXPECT_THAT(hint_for(search, &search.arena), HasSubstr("remove /app/libtest.so.12 or replace"));
}

TEST(Hint, LibraryThatMayBeLoadedTwice_IsToInstallIt) {
  LibraryDescriptor library = kLibrary;
  library.rules.one_per_process = false;
  unit::TestSearch search(library, nullptr, unit::kNoDriver);
  search.add(SearchTier::loaded, "/app/libtest.so.12")->image.state =
      FileState::required_symbol_missing;
  EXPECT_THAT(hint_for(search, &search.arena), HasSubstr("install the test library"));
}

TEST(Hint, ForASecondMajorIsToUnsetTheVariable) {
  EXPECT_THAT(
      hint({{SearchTier::variable, Verdict::other_loaded}}),
      HasSubstr("unset ANYCUDA_TESTLIB: the process has already loaded another test library"));
}

TEST(Hint, OtherCudaThanALoadedLibrary_IsToInstallThatOne) {
  for (const auto& [bond, verdict] : {std::pair(Bond::group, Verdict::other_group),
                                      std::pair(Bond::runtime, Verdict::other_runtime)}) {
    const Relative relative{&kLibrary, bond};
    unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
    LoadedRelative& loaded = search.relatives[search.relative_count++];
    loaded.image.version = {12, -1};
    loaded.image.newest_major = 12;
    loaded.relative = &relative;
    Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->verdict = verdict;
    EXPECT_STREQ(hint_for(search, &search.arena),
                 "install a test library of CUDA 12, the major that the process has loaded");
  }
}

TEST(Hint, DriverTooOld_IsToUpdateIt) {
  EXPECT_THAT(hint({{SearchTier::system, Verdict::driver_too_old}}),
              HasSubstr("update the driver, or install a test library of CUDA 12 or older"));
}

// What it makes may be for another machine than this one.
TEST(Hint, CompilerWithOldDriver_NamesTheWayWithoutTheDriver) {
  for (const Output output : {Output::ptx, Output::cubin}) {
    EXPECT_THAT(hint({{SearchTier::system, Verdict::driver_too_old}}, nullptr, output),
                HasSubstr("for another machine, set ANYCUDA_STUB_COMPAT=off"));
  }
  EXPECT_THAT(hint({{SearchTier::system, Verdict::driver_too_old}}), Not(HasSubstr("COMPAT")));
}

// What a program adds to sys.path after its start is not known.
TEST(Hint, InPython_NamesFoldersThatAreNotSearched) {
  EXPECT_THAT(hint({}), Not(HasSubstr("sys.path")));
  unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
  search.in_python = true;
  EXPECT_THAT(hint_for(search, &search.arena), HasSubstr("sys.path are not searched"));
  search.add(SearchTier::python, "/opt/libtest.so.13")->image.state = FileState::open_failed;
  EXPECT_THAT(hint_for(search, &search.arena), Not(HasSubstr("sys.path")));
}

// It helps whichever variable is set, and leaves the guard rails as they are.
TEST(Hint, NamesTheSpecificVariable) {
  for (const char* const variable : {kModeVariable, kStubModeVariable}) {
    EXPECT_THAT(
        hint({{SearchTier::system, Verdict::driver_too_old}}, nullptr, Output::ptx, variable),
        HasSubstr("for another machine, set ANYCUDA_STUB_COMPAT=off"));
    EXPECT_THAT(hint({{SearchTier::system, Verdict::no_metadata}}, nullptr, Output::none, variable),
                HasSubstr("set ANYCUDA_STUB_COMPAT=best_effort"));
  }
}

TEST(Hint, StrictMode_NamesBestEffortAndAServedVersion) {
  EXPECT_THAT(
      hint({{SearchTier::system, Verdict::no_metadata}}),
      AllOf(HasSubstr("set ANYCUDA_STUB_COMPAT=best_effort"),
            HasSubstr("a test library of CUDA 12.2 or older by pip, conda or NVIDIA's installer")));
}

TEST(Hint, ForADriverThatFailsIsToRepairIt) {
  EXPECT_THAT(hint({{SearchTier::system, Verdict::driver_failed}}),
              HasSubstr("repair the driver (does nvidia-smi work?), or set "
                        "ANYCUDA_STUB_COMPAT=best_effort"));
}

TEST(Hint, UnderRejectIsToInstallTheCallersMajor) {
  EXPECT_THAT(hint({{SearchTier::system, Verdict::other_major}}),
              HasSubstr("install a test library of CUDA 12, or unset ANYCUDA_CROSS_MAJOR"));
}

TEST(Hint, HasTheArticleOfTheProduct) {
  LibraryDescriptor library = kLibrary;
  library.product = "NVRTC (runtime compiler)";
  unit::TestSearch search(library, nullptr, unit::kNoDriver);
  search.request.caller_major = 12;
  Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
  candidate->image.state = FileState::usable;
  candidate->verdict = Verdict::other_major;
  EXPECT_THAT(hint_for(search, &search.arena),
              HasSubstr("install an NVRTC (runtime compiler) of CUDA 12"));
  EXPECT_STREQ(article_of("nvJitLink (device-code linker)"), "an");
  EXPECT_STREQ(article_of("CUDA runtime"), "a");
}

TEST(Hint, InvalidSetting_IsOnlyAboutIt) {
  EXPECT_THAT(hint({{SearchTier::system, Verdict::driver_too_old}}, "ANYCUDA_CROSS_MAJOR"),
              HasSubstr("set ANYCUDA_CROSS_MAJOR to adapt or reject, or unset it"));
  EXPECT_THAT(hint({}, "ANYCUDA_COMPAT"),
              HasSubstr("set ANYCUDA_COMPAT to strict, best_effort or off, or unset it"));
  EXPECT_THAT(hint({}, "ANYCUDA_STUB_COMPAT"),
              HasSubstr("set ANYCUDA_STUB_COMPAT to strict, best_effort or off, or unset it"));
  EXPECT_THAT(hint({}, "ANYCUDA_DRIVER_COMPAT"),
              HasSubstr("set ANYCUDA_DRIVER_COMPAT to assume_forward_compat, or unset it"));
}

}  // namespace
}  // namespace anycuda
