// SPDX-License-Identifier: Apache-2.0

// The facts that an evaluation queries (driver, exact versions), its verdicts and its
// order. The driver supports CUDA 12.2.
#include "compat/search/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compat/search/reason.h"
#include "compat/search/search.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;
using unit::TestSearch;

class Evaluation : public testing::Test {
 protected:
  void driver() { machine.tree.fake("libtestdriver.so.1", "system/usr/lib/libtestdriver.so.1"); }
  // A toolkit with the header that states its version; the library's path.
  std::string toolkit(const std::string& version, const std::string& number,
                      const std::string& library) {
    const std::string root = "system/usr/local/cuda-" + version;
    machine.tree.file(root + "/include/cuda.h", "#define CUDA_VERSION " + number + "\n");
    return machine.tree.fake(library, root + "/lib64/" + library);
  }
  static Candidate* candidate(TestSearch* search, const std::string& part) {
    for (Candidate* c = search->first; c != nullptr; c = c->next) {
      if (std::string(c->path).find(part) != std::string::npos) return c;
    }
    return nullptr;
  }
  // Path of what a search finds.
  static std::string find(TestSearch* search) {
    search->run();
    return search->handle != nullptr ? search->chosen->path : "";
  }

  EmptyMachine machine;
};

// ---- exact versions

TEST_F(Evaluation, StrictMode_ReadsVersionsOfTheDriversMajor) {
  driver();
  toolkit("12.9", "12090", "libtest.so.12");
  toolkit("11.8", "11080", "libtest.so.11.2");
  in_child([] {
    TestSearch search;
    EXPECT_THAT(find(&search), HasSubstr("cuda-12.9/"));
    EXPECT_FALSE(candidate(&search, "cuda-12.9/")->toolkit_read) << "no minor would be refused";
  });
  in_child([] {
    TestSearch search;
    search.request.policy.mode = Mode::strict;
    EXPECT_THAT(find(&search), HasSubstr("cuda-12.9/"));
    const Candidate* of_12 = candidate(&search, "cuda-12.9/");
    EXPECT_EQ(of_12->toolkit.version.minor, 9);
    EXPECT_THAT(of_12->toolkit.source, HasSubstr("the name of its folder /"));
    EXPECT_STREQ(of_12->toolkit.problem, "");
    EXPECT_THAT(describe_version(kLibrary, *of_12, &search.arena),
                StartsWith("CUDA 12.9, says the name of its folder /"));
    EXPECT_FALSE(candidate(&search, "cuda-11.8/")->toolkit_read) << "its major decides";
  });
}

TEST_F(Evaluation, AllVersionsAreReadOnRequest) {
  toolkit("12.9", "12090", "libtest.so.12");
  toolkit("11.8", "11080", "libtest.so.11.2");
  for (const bool all : {false, true}) {
    in_child([&] {
      TestSearch search;
      search.request.all_versions = all;
      find(&search);
      EXPECT_EQ(candidate(&search, "cuda-12.9/")->toolkit_read, all);
      EXPECT_EQ(candidate(&search, "cuda-11.8/")->toolkit_read, all);
    });
  }
}

TEST_F(Evaluation, AVersionIsReadOnce) {
  const std::string path = toolkit("x", "12040", "libtest.so.12");
  TestSearch search;
  Candidate* c = search.add(SearchTier::system, path.c_str());
  c->image.version = {12, -1};
  read_toolkit_version(kLibrary, c, &search.arena);
  toolkit("x", "12090", "libtest.so.12");
  read_toolkit_version(kLibrary, c, &search.arena);
  EXPECT_EQ(c->toolkit.version.minor, 4);
}

TEST_F(Evaluation, OfTwoOfOneMajorTheVersionsDecide) {
  toolkit("a", "12040", "libtest.so.12");
  toolkit("b", "12090", "libtest.so.12");
  toolkit("c", "12060", "libtest.so.12");
  in_child([] {
    TestSearch search;
    EXPECT_THAT(find(&search), HasSubstr("cuda-b/"));
  });
}

TEST_F(Evaluation, HeaderOfAnotherMajorThanTheSymbols_IsIgnored) {
  driver();
  for (const std::string lie : {"11080", "13000"}) {
    toolkit("x", lie, "libtest.so.12");
    in_child([&] {
      TestSearch search;
      search.request.all_versions = true;
      EXPECT_THAT(find(&search), HasSubstr("cuda-x/")) << "by its symbols";
      const Candidate* c = candidate(&search, "cuda-x/");
      EXPECT_FALSE(c->toolkit.version.known());
      EXPECT_THAT(c->toolkit.problem, HasSubstr("no name"));
      EXPECT_STREQ(describe_version(kLibrary, *c, &search.arena), "CUDA 12");
    });
  }
}

TEST_F(Evaluation, DriverSonameNumberIsNotACudaMajor) {
  LibraryDescriptor driver = kLibrary;
  driver.is_driver = true;
  TestSearch search(driver);
  Candidate* c = search.add(SearchTier::system, "/lib/libcuda.so.1");
  for (const int number : {1, 2}) {
    c->image.version = {number, -1};
    c->reported.version = {};
    EXPECT_STREQ(describe_version(driver, *c, &search.arena), "a driver");
    c->reported.version = {13, 0};
    EXPECT_STREQ(describe_version(driver, *c, &search.arena),
                 "a driver that supports up to CUDA 13.0");
  }
}

TEST_F(Evaluation, UnreadableFile_VersionIsUnknown) {
  TestSearch search;
  const Candidate* c = search.add(SearchTier::system, "/lib/libtest.so.12");
  EXPECT_STREQ(describe_version(kLibrary, *c, &search.arena), "unknown CUDA");
}

TEST_F(Evaluation, ASonameWithTheNumber1IsNotADriver) {
  TestSearch search;
  Candidate* c = search.add(SearchTier::system, "/lib/libtest.so.1");
  c->image.version = {1, -1};
  EXPECT_STREQ(describe_version(kLibrary, *c, &search.arena), "CUDA 1");
}

TEST_F(Evaluation, HeaderOfAnOlderMinorThanTheSymbols_IsIgnored) {
  const std::string path = toolkit("x", "12040", "libtest.so.12");
  for (const int least : {-1, 0, 4, 5}) {
    TestSearch search;
    Candidate* c = search.add(SearchTier::system, path.c_str());
    c->image.version = {12, least};
    read_toolkit_version(kLibrary, c, &search.arena);
    EXPECT_EQ(c->toolkit.version.known(), least <= 4) << least;
    EXPECT_EQ(known_version(*c).minor, least <= 4 ? 4 : 5) << least;
    if (least == 5) {
      EXPECT_THAT(c->toolkit.problem, HasSubstr("no name"));
      EXPECT_STREQ(describe_version(kLibrary, *c, &search.arena), "CUDA 12.5 or later");
    }
  }
}

// 0 is a minor as any other.
TEST_F(Evaluation, TheFirstReleaseOfAMajorIsAVersion) {
  const std::string path = toolkit("x", "12000", "libtest.so.12");
  TestSearch search;
  Candidate* of_12 = search.add(SearchTier::system, path.c_str());
  of_12->image.version = {12, -1};
  read_toolkit_version(kLibrary, of_12, &search.arena);
  EXPECT_EQ(of_12->toolkit.version.major, 12);
  EXPECT_EQ(of_12->toolkit.version.minor, 0);
  Candidate* of_13 = search.add(SearchTier::system, path.c_str());
  of_13->image.version = {13, 0};
  read_toolkit_version(kLibrary, of_13, &search.arena);
  EXPECT_THAT(of_13->toolkit.problem, HasSubstr("no name"));
  EXPECT_STREQ(describe_version(kLibrary, *of_13, &search.arena), "CUDA 13.0 or later");
}

TEST_F(Evaluation, VersionsAreReadOnlyOfUsableNonDriverFiles) {
  for (const bool is_driver : {false, true}) {
    LibraryDescriptor library = kLibrary;
    library.is_driver = is_driver;
    TestSearch search(library);
    search.add(SearchTier::system, "/usable")->image.state = FileState::usable;
    search.add(SearchTier::system, "/truncated")->image.state = FileState::truncated;
    const Report* more = with_versions(search, &search.arena);
    EXPECT_EQ(more->candidates()->toolkit_read, !is_driver);
    EXPECT_FALSE(more->candidates()->next->toolkit_read);
  }
}

TEST_F(Evaluation, EnvironmentsAreEvaluatedSeparately) {
  toolkit("12.9", "12090", "libtest.so.12");
  machine.tree.fake("libtest.so.12", "system/usr/lib/libtest.so.12");
  const std::string other = machine.tree.fake("libtest.so.12", "other/libtest.so.12");
  const ScopedVariable variable("LD_LIBRARY_PATH", machine.tree.path("other").c_str());
  in_child([&] {
    TestSearch search;
    EXPECT_EQ(find(&search), other);
    EXPECT_FALSE(candidate(&search, "other/")->toolkit_read);
  });
}

// ---- the order

class Order : public testing::Test {
 protected:
  Candidate* add(const std::string& path, Version version, const char* file_version = "") {
    Candidate* candidate = search_.add(SearchTier::system, path.c_str());
    candidate->image.state = FileState::usable;
    candidate->image.version = version;
    candidate->file_version = file_version;
    return candidate;
  }
  TestSearch search_{kLibrary, &kTables, unit::kNoDriver};
};

TEST_F(Order, NewestVersionThenNewestFileThenFirstFound) {
  add("a", {12, 4});
  add("b", {12, 9}, "12.9.37");
  add("c", {11, 8});
  add("d", {12, 9}, "12.9.79");
  add("e", {12, 9}, "12.9.37");
  add("f", {13, -1});
  EXPECT_EQ(search_.order(), (std::vector<std::string>{"f", "d", "b", "e", "a", "c"}));
}

TEST_F(Order, HasOnlyAcceptedFilesOfTheEnvironment) {
  add("of another environment", {13, 0});
  search_.gathered.begin_environment();
  add("taken", {12, 0});
  add("broken", {13, 0})->image.state = FileState::truncated;
  add("refused", {13, 0})->verdict = Verdict::driver_too_old;
  EXPECT_EQ(search_.order(), (std::vector<std::string>{"taken"}));
  EXPECT_EQ(search_.order(), (std::vector<std::string>{"taken"})) << "as often as it is asked for";
  search_.gathered.begin_environment();
  EXPECT_EQ(search_.order(), (std::vector<std::string>{}));
}

// ---- strict

TEST_F(Evaluation, StrictRefusesAnUnknownVersion) {
  driver();
  machine.tree.fake("libtest.so.12", "system/usr/lib/libtest.so.12");
  machine.tree.fake("libtest.so.11.2", "system/usr/lib/libtest.so.11.2");
  in_child([] {
    TestSearch search;
    search.request.policy.mode = Mode::strict;
    EXPECT_THAT(find(&search), HasSubstr("libtest.so.11.2"));
    const Candidate* refused = candidate(&search, "libtest.so.12");
    EXPECT_EQ(refused->verdict, Verdict::no_metadata);
    EXPECT_THAT(reason_of(*refused, search, &search.arena),
                AllOf(HasSubstr("its exact CUDA 12 version is unknown ("),
                      HasSubstr(refused->toolkit.problem), HasSubstr("ANYCUDA_COMPAT=strict"),
                      HasSubstr("12.2")));
  });
}

// A driver that is there and fails is not the absence of a driver.
TEST_F(Evaluation, Strict_FailingDriver_DependentLibraryIsRefused) {
  machine.tree.fake("libtestdriver_failing.so.1", "system/usr/lib/libtestdriver.so.1");
  toolkit("12.9", "12090", "libtest.so.12");
  in_child([] {
    TestSearch search;
    EXPECT_THAT(find(&search), HasSubstr("libtest.so.12"));
  });
  in_child([] {
    TestSearch search;
    search.request.policy.mode = Mode::strict;
    EXPECT_EQ(find(&search), "");
    const Candidate* refused = candidate(&search, "libtest.so.12");
    EXPECT_EQ(refused->verdict, Verdict::driver_failed);
    EXPECT_THAT(reason_of(*refused, search, &search.arena),
                AllOf(HasSubstr("libtestdriver.so.1"), HasSubstr("error 803"),
                      HasSubstr("=strict requires it")));
  });
}

TEST_F(Evaluation, WithoutADriver_NoRuleQueriesIt) {
  driver();
  toolkit("13.5", "13050", "libtest.so.13");
  in_child([] {
    TestSearch search(kLibrary, &kTables, unit::kNoDriver);
    EXPECT_THAT(find(&search), HasSubstr("cuda-13.5/"));
  });
}

TEST_F(Evaluation, DeclaredForwardCompatibility_NewerMajorIsAccepted) {
  driver();
  toolkit("13.5", "13050", "libtest.so.13");
  in_child([] {
    TestSearch search;
    EXPECT_EQ(find(&search), "");
  });
  in_child([] {
    TestSearch search;
    search.request.policy.forward_compatibility = true;
    EXPECT_THAT(find(&search), HasSubstr("cuda-13.5/"));
  });
}

}  // namespace
}  // namespace anycuda
