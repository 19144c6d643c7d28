// SPDX-License-Identifier: Apache-2.0

// Which facts of a search reach the rules, on candidates that the test adds itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compat/search/evaluation.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using unit::kNoDriver;
using unit::of_two_majors;
using unit::TestSearch;

Candidate* add(TestSearch* search, const char* path, Version version,
               FileState state = FileState::usable) {
  Candidate* candidate = search->add(SearchTier::system, path);
  candidate->image.state = state;
  candidate->image.version = version;
  candidate->file_version = "";
  return candidate;
}

TEST(EvaluationFacts, TheDriverAndTheModeOrderCompilers) {
  LibraryDescriptor compiler = kLibrary;
  compiler.rules.output = Output::ptx;
  TestSearch search(compiler, nullptr, kNoDriver);
  search.driver = {true, {12, 2}, 535};
  add(&search, "/12.9", {12, 9});
  add(&search, "/12.1", {12, 1});
  EXPECT_EQ(search.order(), (std::vector<std::string>{"/12.1", "/12.9"}));
  search.request.policy.mode = Mode::off;
  EXPECT_EQ(search.order(), (std::vector<std::string>{"/12.9", "/12.1"}));
}

TEST(EvaluationFacts, OlderReleaseWithANewerFile_StaysOlder) {
  for (const bool older_first : {true, false}) {
    TestSearch search(kLibrary, nullptr, kNoDriver);
    if (older_first) add(&search, "/12.4", {12, 4})->file_version = "12.9.9";
    add(&search, "/12.9", {12, 9})->file_version = "12.0.0";
    if (!older_first) add(&search, "/12.4", {12, 4})->file_version = "12.9.9";
    EXPECT_EQ(search.order(), (std::vector<std::string>{"/12.9", "/12.4"})) << older_first;
  }
}

TEST(EvaluationFacts, ARefusedCandidateLeavesTheOrder) {
  TestSearch search(kLibrary, nullptr, kNoDriver);
  Candidate* older = add(&search, "/12.4", {12, 4});
  add(&search, "/12.9", {12, 9});
  EXPECT_EQ(search.order(), (std::vector<std::string>{"/12.9", "/12.4"}));
  older->verdict = Verdict::driver_too_old;
  EXPECT_EQ(search.order(), (std::vector<std::string>{"/12.9"}));
}

TEST(EvaluationFacts, OnlyUsableFilesShareAMajor) {
  TestSearch search(kLibrary, nullptr, kNoDriver);
  Candidate* usable = add(&search, "/a", {12, -1});
  add(&search, "/b", {12, -1}, FileState::truncated);
  search.evaluate();
  EXPECT_FALSE(usable->toolkit_read);
  Candidate* second = add(&search, "/c", {12, -1});
  search.evaluate();
  EXPECT_TRUE(usable->toolkit_read);
  EXPECT_TRUE(second->toolkit_read);
}

// The process may have deleted or replaced the file since it was loaded.
TEST(EvaluationFacts, ALoadedCandidateIsAcceptedWithoutItsFile) {
  TestSearch search(kLibrary, nullptr, kNoDriver);
  search.loaded_major = 12;
  Candidate* loaded = search.add(SearchTier::loaded, "/deleted/libtest.so.12");
  loaded->image.state = FileState::usable;
  loaded->image.version = {12, -1};
  Candidate* other = add(&search, "/other/libtest.so.12", {12, -1});
  search.evaluate();
  EXPECT_EQ(loaded->verdict, Verdict::accepted);
  EXPECT_EQ(other->verdict, Verdict::other_loaded);
}

// Which of two files is the callers' own: the one with their SONAME, in whatever order they are
// found.
TEST(EvaluationFacts, OfOneRelease_TheCallersOwnSonameIsFirst) {
  for (const bool own_first : {true, false}) {
    LibraryDescriptor library = kLibrary;
    library.earlier_soname = "libtest.so.8";
    TestSearch search(library, nullptr, kNoDriver);
    add(&search, own_first ? "/own" : "/later", {12, 9})->image.is_earlier = own_first;
    add(&search, own_first ? "/later" : "/own", {12, 9})->image.is_earlier = !own_first;
    EXPECT_EQ(search.order(), (std::vector<std::string>{"/own", "/later"})) << own_first;
  }
}

TEST(EvaluationFacts, CallersOfAnEarlierSoname_RejectTakesOnlyThat) {
  LibraryDescriptor library = kLibrary;
  TestSearch search(library, nullptr, kNoDriver);
  search.request.caller_major = 12;
  search.request.policy.cross_major = CrossMajor::reject;
  Candidate* candidate = add(&search, "/libtest.so.12", {12, 9});
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::accepted) << "the callers have no earlier SONAME";
  library.earlier_soname = "libtest.so.8";
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::other_major);
  candidate->image.is_earlier = true;
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::accepted);
}

TEST(EvaluationFacts, EveryMajorOfTheCallersSonameIsTheirOwn) {
  const LibraryDescriptor library = of_two_majors();
  TestSearch search(library, nullptr, kNoDriver);
  search.request.caller_major = 12;
  search.request.policy.cross_major = CrossMajor::reject;
  Candidate* candidate = add(&search, "/libtest.so.12", {13, 0});
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::accepted);
}

// ---- beside a loaded library

const Relative kGroup = {&kLibrary, Bond::group};
const Relative kRuntime = {&kLibrary, Bond::runtime};

void load(TestSearch* search, const Relative* relative, int major) {
  LoadedRelative& loaded = search->relatives[search->relative_count++];
  loaded.image.version = {major, -1};
  loaded.image.newest_major = major;
  loaded.path = "/loaded";
  loaded.relative = relative;
}

TEST(EvaluationFacts, AnyMajorThatTheFileMayBeOfFitsTheGroup) {
  const LibraryDescriptor library = of_two_majors();
  TestSearch search(library, nullptr, kNoDriver);
  load(&search, &kGroup, 13);
  Candidate* candidate = add(&search, "/libtest.so.12", {12, -1});
  candidate->image.newest_major = 13;
  candidate->toolkit_read = true;
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::accepted) << "nothing says which it is";
  candidate->toolkit.version = {12, 9};
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::other_group) << "its metadata say 12.9";
  candidate->toolkit.version = {13, 0};
  search.evaluate();
  EXPECT_EQ(candidate->verdict, Verdict::accepted);
}

TEST(EvaluationFacts, TheRuntimeThatTheFileNeedsMustBeTheLoadedOne) {
  const LibraryDescriptor library = of_two_majors();
  TestSearch search(library, nullptr, kNoDriver);
  load(&search, &kRuntime, 12);
  Candidate* candidate = add(&search, "/libtest.so.12", {12, 9});
  for (const auto& [needed, verdict] :
       {std::pair(0, Verdict::accepted), std::pair(12, Verdict::accepted),
        std::pair(13, Verdict::other_runtime)}) {
    candidate->image.needs_runtime = needed;
    search.evaluate();
    EXPECT_EQ(candidate->verdict, verdict) << needed;
  }
}

TEST(EvaluationFacts, AnExactVersionDecides) {
  TestSearch search(kLibrary, nullptr, kNoDriver);
  search.driver = {true, {12, 2}, 520};
  Candidate* candidate = add(&search, "/libtest.so.12", {12, -1});
  for (const auto& [version, verdict] : {std::pair(Version{12, 2}, Verdict::accepted),
                                         std::pair(Version{13, 0}, Verdict::driver_too_old),
                                         std::pair(Version{12, 9}, Verdict::accepted)}) {
    candidate->toolkit.version = version;
    EXPECT_EQ(evaluate(search, *candidate), verdict) << version.major << '.' << version.minor;
  }
}

}  // namespace
}  // namespace anycuda
