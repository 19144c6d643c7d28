// SPDX-License-Identifier: Apache-2.0

// Reasons in words. A reason has the fault and, if known, a hint.
#include "compat/search/reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "compat/search/candidate.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using unit::TestSearch;

class Reason : public testing::Test {
 protected:
  Reason() {
    search.driver_path = "/lib/libtestdriver.so.1";
    search.driver = {true, {12, 2}, 520};
    search.request.caller_major = 11;
    search.loaded_major = 12;
    static constexpr Relative kGroup{&kLibrary, Bond::group};
    static constexpr Relative kRuntime{&kLibrary, Bond::runtime};
    for (const Relative* relative : {&kGroup, &kRuntime}) {
      LoadedRelative& loaded = search.relatives[search.relative_count++];
      loaded.image.version = {12, -1};
      loaded.image.newest_major = 12;
      loaded.path = "/opt/libtest.so.12";
      loaded.relative = relative;
    }
    candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->image.version = {13, -1};
  }
  std::string of(FileState state, const char* detail = nullptr, int error = 0) {
    candidate->image.state = state;
    candidate->image.detail = detail;
    candidate->image.error = error;
    return reason_of(*candidate, search, &search.arena);
  }
  std::string of(Verdict verdict) {
    candidate->verdict = verdict;
    return reason_of(*candidate, search, &search.arena);
  }

  TestSearch search;
  Candidate* candidate;
};

TEST_F(Reason, EveryFileStateHasDifferentWords) {
  std::set<std::string> texts;
  for (int state = 0; state < kStateCount; ++state) {
    const std::string text = of(static_cast<FileState>(state), "detail", EACCES);
    EXPECT_NE(text, "");
    EXPECT_THAT(text, Not(HasSubstr("unknown, since")));
    EXPECT_TRUE(texts.insert(text).second) << "twice: " << text;
  }
}

TEST_F(Reason, EveryVerdictHasDifferentWords) {
  std::set<std::string> texts;
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    const std::string text = of(static_cast<Verdict>(verdict));
    EXPECT_NE(text, "");
    EXPECT_THAT(text, Not(HasSubstr("unknown, since")));
    EXPECT_TRUE(texts.insert(text).second) << "twice: " << text;
  }
}

TEST_F(Reason, File_NamesTheFinding) {
  EXPECT_THAT(of(FileState::unreadable, nullptr, EACCES), HasSubstr("Permission denied"));
  EXPECT_THAT(of(FileState::other_library, "libother.so.3"), HasSubstr("libother.so.3"));
  EXPECT_THAT(of(FileState::other_library), HasSubstr("not a test library: it has no SONAME"));
  EXPECT_THAT(of(FileState::required_symbol_missing, "testCore"), HasSubstr("testCore"));
  EXPECT_THAT(of(FileState::open_failed, "libdep.so: not found"),
              HasSubstr("libdep.so: not found"));
}

TEST_F(Reason, File_HasAHint) {
  EXPECT_THAT(of(FileState::truncated), HasSubstr("install it again"));
  EXPECT_THAT(of(FileState::not_absolute), HasSubstr("full path"));
  EXPECT_THAT(of(FileState::has_tokens), HasSubstr("use another path"));
  EXPECT_THAT(of(FileState::not_trusted), HasSubstr("name its folder in LD_LIBRARY_PATH"));
}

// A refused library that stays loaded ends the search, whatever it was refused for.
TEST_F(Reason, LibraryThatStaysOpen_IsReportedWithEveryReason) {
  candidate->stays_open = true;
  EXPECT_THAT(of(Verdict::driver_too_old), AllOf(HasSubstr("needs a driver for CUDA 13"),
                                                 HasSubstr("; it cannot be closed again")));
  EXPECT_THAT(of(FileState::link_stub), HasSubstr("; it cannot be closed again"));
}

TEST_F(Reason, Verdict_HasNumbersAndHint) {
  EXPECT_THAT(of(Verdict::driver_too_old),
              AllOf(HasSubstr("CUDA 13"), HasSubstr("/lib/libtestdriver.so.1"), HasSubstr("12.2"),
                    HasSubstr("update the driver")));
  EXPECT_THAT(of(Verdict::other_major),
              AllOf(HasSubstr("ANYCUDA_CROSS_MAJOR=reject"), HasSubstr("CUDA 11")));
  EXPECT_THAT(of(Verdict::other_loaded), AllOf(HasSubstr("CUDA 13"), HasSubstr("CUDA 12")));
  EXPECT_THAT(of(Verdict::other_group),
              AllOf(StartsWith("of CUDA 13"), HasSubstr("of CUDA 12, /opt/libtest.so.12"),
                    HasSubstr("they exchange handles")));
  EXPECT_THAT(of(Verdict::other_runtime), AllOf(StartsWith("of CUDA 13"), HasSubstr("of CUDA 12")));
  candidate->image.needs_runtime = 13;
  EXPECT_THAT(of(Verdict::other_runtime), StartsWith("it needs the runtime of CUDA 13"));
  candidate->image.version = {14, -1};
  EXPECT_THAT(of(Verdict::newer_than_known),
              AllOf(HasSubstr("CUDA 14"), HasSubstr("update anycuda"), HasSubstr("CUDA 13")));
}

TEST_F(Reason, OfADriverThatIsTooOldMentionsTheDeclaration) {
  EXPECT_THAT(of(Verdict::driver_too_old),
              AllOf(HasSubstr("ANYCUDA_DRIVER_COMPAT=assume_forward_compat"),
                    HasSubstr("cuda-compat"), HasSubstr("a test library of CUDA 12")));
}

// anycuda's own numbers below zero mean nothing to a reader.
TEST_F(Reason, FailedDriver_NamesTheErrorOrTheMissingFunction) {
  const auto text = [&](int error) {
    search.driver = {false, {}, 0, error};
    return of(Verdict::driver_failed);
  };
  EXPECT_THAT(text(803), HasSubstr("(cuDriverGetVersion: error 803), and"));
  EXPECT_THAT(text(Driver::kNoVersion), HasSubstr("(cuDriverGetVersion: no version returned)"));
  EXPECT_THAT(text(Driver::kNoFunction), HasSubstr("(cuDriverGetVersion: no such function)"));
}

TEST_F(Reason, Compiler_IsAboutItsOutput) {
  LibraryDescriptor compiler = kLibrary;
  compiler.rules.output = Output::cubin;
  TestSearch its(compiler);
  its.driver = search.driver;
  its.driver_path = search.driver_path;
  candidate->verdict = Verdict::driver_too_old;
  EXPECT_THAT(reason_of(*candidate, its, &its.arena),
              HasSubstr("its output needs a driver for CUDA 13"));
  EXPECT_THAT(of(Verdict::driver_too_old), StartsWith("needs a driver for CUDA 13"));
}

TEST_F(Reason, StrictMode_NamesTheMissingFactAndItsSource) {
  candidate->toolkit.problem = "no cuda.h";
  EXPECT_THAT(of(Verdict::no_metadata), AllOf(HasSubstr("CUDA 13"), HasSubstr("no cuda.h"),
                                              HasSubstr("12.2"), HasSubstr("ANYCUDA_COMPAT=strict"),
                                              HasSubstr("set ANYCUDA_STUB_COMPAT=best_effort")));
  search.request.policy.mode_variable = "ANYCUDA_STUB_COMPAT";
  EXPECT_THAT(of(Verdict::no_metadata), AllOf(HasSubstr(" ANYCUDA_STUB_COMPAT=strict"),
                                              HasSubstr("set ANYCUDA_STUB_COMPAT=best_effort")));
}

TEST_F(Reason, EarlierSoname_IsTheOneThatRejectAllows) {
  LibraryDescriptor library = kLibrary;
  library.earlier_soname = "libtest.so.8";
  TestSearch its(library);
  candidate->verdict = Verdict::other_major;
  EXPECT_STREQ(reason_of(*candidate, its, &its.arena),
               "ANYCUDA_CROSS_MAJOR=reject allows only libtest.so.8");
}

TEST_F(Reason, PassedOver_NamesTheGpu) {
  LibraryDescriptor library = kLibrary;
  library.rules.driver_bound = true;
  TestSearch its(library);
  its.oldest_gpu = 50;
  Candidate* chosen = its.add(SearchTier::system, "/opt/libtest.so.12");
  chosen->image.version = {12, 9};
  EXPECT_STREQ(reason_of_preference(*chosen, *candidate, its, &its.arena),
               "CUDA 13 has no code for GPUs older than compute capability 7.5, and this machine "
               "has one");
}

TEST_F(Reason, PassedOver_NamesTheCudaOfTheProcess) {
  search.process = {12, "/opt/libcudart.so.12"};
  Candidate* chosen = search.add(SearchTier::system, "/opt/libtest.so.12");
  chosen->image.version = {12, 9};
  EXPECT_STREQ(reason_of_preference(*chosen, *candidate, search, &search.arena),
               "this process uses CUDA 12: /opt/libcudart.so.12");
}

TEST(Majors, AreOneOrSeveral) {
  EXPECT_STREQ(format_majors(12, 12).text, "12");
  EXPECT_STREQ(format_majors(12, 13).text, "12 or 13");
  EXPECT_STREQ(format_majors(11, 13).text, "11, 12 or 13");
}

TEST_F(Reason, WithoutMemoryIsStillAReason) {
  while (search.arena.take(16) != nullptr) {
  }
  EXPECT_EQ(of(FileState::unreadable, nullptr, EACCES), "reason unknown, since memory ran out");
  EXPECT_EQ(of(FileState::out_of_memory), "not read: out of memory");
  EXPECT_STREQ(describe_version(kLibrary, *candidate, &search.arena),
               "unknown CUDA: out of memory");
  candidate->image.state = FileState::usable;
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    EXPECT_NE(of(static_cast<Verdict>(verdict)), "");
  }
}

}  // namespace
}  // namespace anycuda
