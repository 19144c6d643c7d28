// SPDX-License-Identifier: Apache-2.0

// A stub's messages, how often, and where to. A process reports once, so each test has its own
// process.
#include "loader/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compat/search/search.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;
using unit::TestSearch;

constexpr FailedCall kCoreCall = {"testCore", kUnversionedCaller, false};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

void report_two_candidates(const char* function) {
  TestSearch search;
  search.request.caller_major = 12;
  search.tiers[static_cast<int>(SearchTier::system)].folders = 3;
  search.add(SearchTier::system, "/opt/libtest.so.12");
  Candidate* other = search.add(SearchTier::library_path, "/home/libtest.so.13");
  other->image.state = FileState::truncated;
  report_no_library(&search, &search.arena, {function, 12, false});
}

TEST(Report, NamesSearchedAndFoundFiles) {
  const EmptyMachine machine;
  const ScopedVariable whole("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] { report_two_candidates("testCore"); });
  EXPECT_THAT(text, StartsWith("anycuda: testCore failed: no usable test library was found."));
  EXPECT_THAT(text, HasSubstr("built for CUDA 12"));
  EXPECT_THAT(text, HasSubstr("libtest.so.13, libtest.so.12, libtest.so.11.2"));
  EXPECT_THAT(text, HasSubstr("/opt/libtest.so.12: no such file"));
  EXPECT_THAT(text, HasSubstr("/home/libtest.so.13: truncated"));
  EXPECT_THAT(text, HasSubstr("install the test library"));
  EXPECT_THAT(text, HasSubstr("set ANYCUDA_TESTLIB"));
}

// A file may be called anything: one line stays one line.
TEST(Report, APathWithANewlineIsOneLine) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    TestSearch search;
    search.add(SearchTier::system, "/a\nanycuda: all is well\x1b[2J/libtest.so.12");
    report_no_library(&search, &search.arena, kCoreCall);
    log_line(LogLevel::error, "using %s", "/b\nanycuda: all is well");
    log_line(LogLevel::error, "using %s",
             "/\xc2\x9b"
             "2J/\xc3\x9b/\xe2\x82\x9b/\xc2\xa0/\xc2");
  });
  EXPECT_THAT(text, HasSubstr("anycuda: using /\?\?2J/\xc3\x9b/\xe2\x82\x9b/\xc2\xa0/\xc2\n"))
      << "of UTF-8, only U+0080 to U+009F are control characters";
  EXPECT_THAT(text, HasSubstr("  /a?anycuda: all is well?[2J/libtest.so.12: no such file\n"));
  EXPECT_THAT(text, HasSubstr("anycuda: using /b?anycuda: all is well\n"));
  EXPECT_EQ(count(text, "\nanycuda: all"), 0) << text;
}

TEST(Report, ToolkitVariablesThatDifferAreNamedOnce) {
  EmptyMachine machine;
  machine.tree.fake("libtest.so.12", "path/lib64/libtest.so.12");
  const ScopedVariable path("CUDA_PATH", machine.tree.path("path").c_str());
  const ScopedVariable home("CUDA_HOME", machine.tree.path("home").c_str());
  const ScopedVariable log("ANYCUDA_LOG", "warn");
  const std::string warning = "name different toolkits: CUDA_PATH goes first";
  const auto run = [] {
    TestSearch search;
    search.run();
    ASSERT_NE(search.chosen, nullptr);
    report_choice(search, &search.arena);
  };
  EXPECT_EQ(count(in_child(run), warning), 1);
  const ScopedVariable same("CUDA_HOME", (machine.tree.path("path") + "/.").c_str());
  EXPECT_EQ(count(in_child(run), warning), 0);
}

TEST(Report, IsWrittenOnce) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    for (int i = 0; i < 3; ++i) report_two_candidates("testCore");
    report_no_function({"testNew", "not yet in 12", 302, 13, 12, "/opt/libtest.so.12"}, kLibrary);
  });
  EXPECT_EQ(count(text, "anycuda:"), 1) << text;
}

TEST(Report, OfAFunctionIsWrittenOnceAsWell) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    report_no_function({"testNew", "not yet in 12", 302, 13, 12, "/opt/libtest.so.12"}, kLibrary);
    report_no_function({"testOld", "not in 12", 302, 11, 12, "/opt/libtest.so.12"}, kLibrary);
    report_two_candidates("testCore");
  });
  EXPECT_EQ(
      text,
      "anycuda: testNew failed (status 302): not yet in 12.\n"
      "  the test library of this process: /opt/libtest.so.12, of CUDA 12; the calling program "
      "was built for CUDA 13\n"
      "  what to do: install a test library of CUDA 13; if other CUDA versions stay installed, "
      "also set ANYCUDA_CROSS_MAJOR=reject.\n");
}

// libcudnn.so.9 is of CUDA 11, 12 or 13, and so are its callers.
TEST(Report, OneSonameOfSeveralMajors_NamesTheFileOnly) {
  const EmptyMachine machine;
  static constexpr MajorRow kRow[] = {{11, 13, "libtest.so.9", "libtest.so.9"}};
  LibraryDescriptor library = kLibrary;
  library.majors = kRow;
  library.major_count = 1;
  for (const int library_major : {11, 12, 13}) {
    const std::string text = in_child([&] {
      report_no_function({"testNew", "not yet in 9.1", 9, 11, library_major, "/opt/libtest.so.9"},
                         library);
    });
    EXPECT_EQ(text,
              "anycuda: testNew failed (status 9): not yet in 9.1.\n"
              "  the test library of this process: /opt/libtest.so.9\n"
              "  what to do: install a newer test library, or do without the function.\n");
  }
}

// testOld is in 11 and 12, testAdded in 12 and 13.
TEST(Report, FunctionThatALaterCudaRemoved_NamesTheLastCudaThatHasIt) {
  const auto hint_of = [](const char* function, int library_major) {
    return in_child([&] {
      report_no_function(
          {function, "it is not there", 302, kUnversionedCaller, library_major, "/opt/libtest.so"},
          kLibrary);
    });
  };
  EXPECT_THAT(hint_of("testOld", 13),
              HasSubstr("what to do: install a test library of CUDA 12 or older, which has it, and "
                        "set ANYCUDA_TESTLIB to its path; or do without the function.\n"));
  for (const char* function : {"testOld", "testNew", "testNobodyHasThis"}) {
    EXPECT_THAT(hint_of(function, 12), HasSubstr("what to do: install a newer test library"))
        << function;
  }
}

TEST(Report, OfEveryFunctionIsWrittenAtLevelWarn) {
  const EmptyMachine machine;
  const ScopedVariable set("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    report_no_function({"testNew", "not yet in 12", 302, 13, 12, "/opt/libtest.so.12"}, kLibrary);
    report_no_function({"testOld", "not in 12", 302, 11, 12, "/opt/libtest.so.12"}, kLibrary);
  });
  EXPECT_EQ(count(text, "anycuda:"), 2) << text;
}

TEST(Report, DriverTooOld_IsReported) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    TestSearch search;
    search.driver = {true, {12, 2}, 0};
    search.driver_path = "/lib/libtestdriver.so.1";
    Candidate* candidate = search.add(SearchTier::system, "/opt/libtest.so.13");
    candidate->image.state = FileState::usable;
    candidate->image.version = {13, -1};
    candidate->verdict = Verdict::driver_too_old;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_THAT(text, HasSubstr("/lib/libtestdriver.so.1 supports up to CUDA 12.2"));
  EXPECT_THAT(text,
              HasSubstr("what to do: update the driver, or install a test library of CUDA 12"));
}

TEST(Report, UsableFile_HasItsCudaAndTheSource) {
  EmptyMachine machine;
  machine.tree.file("cuda/include/cuda.h", "#define CUDA_VERSION 13050\n");
  const std::string path = machine.tree.fake("libtest.so.13", "cuda/lib64/libtest.so.13");
  const std::string text = in_child([&] {
    TestSearch search;
    search.driver = {true, {12, 2}, 0};
    search.driver_path = "/lib/libtestdriver.so.1";
    Candidate* candidate = search.add(SearchTier::system, path.c_str());
    candidate->image.state = FileState::usable;
    candidate->image.version = {13, -1};
    candidate->verdict = Verdict::driver_too_old;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_THAT(text, HasSubstr("libtest.so.13 (CUDA 13.5, says cuda.h): needs a driver"));
}

// What was taken, what was not, and what the program must know of it.
class Choice : public testing::Test {
 protected:
  Choice() { compiler_.rules = {13, true, false, Output::ptx, LtoIr::makes}; }
  Candidate* add(TestSearch* search, const char* path, Version version, Verdict verdict) {
    Candidate* candidate = search->add(SearchTier::system, path);
    candidate->image.state = FileState::usable;
    candidate->image.version = version;
    candidate->verdict = verdict;
    return candidate;
  }
  // One of 12.1, with one of each other kind beside it, under a driver of `driver`.
  std::string said(const char* level, Version driver, Version chosen = {12, 1}) {
    const ScopedVariable set("ANYCUDA_LOG", level);
    return in_child([&] {
      TestSearch search(compiler_);
      search.driver = {true, driver, 0};
      search.driver_path = "/lib/libtestdriver.so.1";
      add(&search, "/opt/older", {11, 8}, Verdict::accepted);
      add(&search, "/opt/refused", {13, 5}, Verdict::driver_too_old);
      add(&search, "/opt/newer", {12, 9}, Verdict::accepted);
      Candidate* failed = add(&search, "/opt/failed", {12, 8}, Verdict::accepted);
      failed->image.state = FileState::open_failed;
      failed->image.detail = "";
      search.chosen = add(&search, "/opt/chosen", chosen, Verdict::accepted);
      report_choice(search, &search.arena);
    });
  }
  EmptyMachine machine_;
  LibraryDescriptor compiler_ = kLibrary;
};

TEST_F(Choice, LevelInfo_ReportsTheNewerFilesPassedOver) {
  const std::string text = said("info", {12, 2});
  EXPECT_EQ(count(text, "\n"), 3) << text;
  EXPECT_THAT(text, StartsWith("anycuda: test: using /opt/chosen (CUDA 12.1 or later)\n"));
  EXPECT_THAT(text, HasSubstr("passed over /opt/refused (CUDA 13.5 or later): its output needs"));
  EXPECT_THAT(text,
              HasSubstr("passed over /opt/newer (CUDA 12.9 or later): /lib/libtestdriver.so.1 "
                        "supports up to CUDA 12.2 and cannot compile its PTX"));
}

TEST_F(Choice, LevelWarn_ReportsPtxTooNewForTheDriver) {
  EXPECT_THAT(said("warn", {12, 2}), IsEmpty());
  EXPECT_THAT(said("error", {12, 0}), IsEmpty());
  const std::string text = said("warn", {12, 0});
  EXPECT_EQ(count(text, "\n"), 1) << text;
  EXPECT_THAT(text, HasSubstr("/opt/chosen (CUDA 12.1 or later) is newer than "
                              "/lib/libtestdriver.so.1, of CUDA 12.0"));
  EXPECT_THAT(said("warn", {12, 2}, {13, -1}), HasSubstr("/opt/chosen (CUDA 13) is newer than"))
      << "forward compatibility, declared";
  compiler_.rules.output = Output::cubin;
  EXPECT_THAT(said("warn", {12, 0}), IsEmpty());
}

TEST(Report, MemoryShortage_IsReported) {
  const EmptyMachine machine;
  const ScopedVariable log("ANYCUDA_LOG", "warn");
  const auto said = [](bool full) {
    return in_child([full] {
      TestSearch search;
      search.chosen = search.add(SearchTier::system, "/opt/chosen");
      search.summary(SearchTier::system).left_out = 58000;
      search.summary(SearchTier::system).is_full = full;
      report_choice(search, &search.arena);
    });
  };
  EXPECT_THAT(said(true), HasSubstr("out of memory: 58000 files were left out"));
  EXPECT_THAT(said(false), IsEmpty());
}

TEST(Report, NamesAWrongSetting) {
  const EmptyMachine machine;
  const ScopedVariable whole("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    TestSearch search;
    search.request.policy.wrong[0] = {"ANYCUDA_CROSS_MAJOR", "never", "adapt"};
    search.request.policy.wrong[1] = {"ANYCUDA_COMPAT", "on", "best_effort"};
    search.request.policy.wrong_count = 2;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_THAT(text, HasSubstr("invalid ANYCUDA_CROSS_MAJOR=never: expected adapt or "
                              "reject; default: adapt"));
  EXPECT_THAT(text, HasSubstr("invalid ANYCUDA_COMPAT=on: expected strict, best_effort "
                              "or off; default: best_effort"));
}

// Names of files can have newlines and what steers a terminal.
TEST(Report, HasNoRawPathAnywhere) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    TestSearch search;
    Candidate* one = search.add(SearchTier::system, "/opt/a\nanycuda: forged\x1b[2J\tb");
    one->image.state = FileState::other_version;
    one->stays_open = true;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_THAT(text, HasSubstr("what to do: remove /opt/a?anycuda: forged?[2J?b or replace"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\t'), std::string::npos);
  EXPECT_EQ(text.find("\nanycuda: forged"), std::string::npos);
  for (const int caller_major : {12, 13, kUnversionedCaller, kOtherMajor}) {
    const std::string function = in_child([&] {
      report_no_function({"testNew", "it is not there", 302, caller_major, 12,
                          "/opt/a\nanycuda: forged\x1b[2J\tb"},
                         kLibrary);
    });
    EXPECT_THAT(function, HasSubstr("of this process: /opt/a?anycuda: forged?[2J?b"));
    EXPECT_EQ(count(function, "\n"), 3) << function;
  }
}

TEST(Report, OfVeryManyCandidatesIsCutAndEnds) {
  const EmptyMachine machine;
  const ScopedVariable whole("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    TestSearch search;
    const std::string path = "/" + std::string(900, 'p');
    for (int i = 0; i < 200; ++i) search.add(SearchTier::system, path.c_str());
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_GT(text.size(), 60000u);
  EXPECT_LT(text.size(), 70000u);
}

// What to do comes last, and is what the message is for.
TEST(Report, ManyCandidates_HasTheirNumberAndAHint) {
  const EmptyMachine machine;
  const ScopedVariable whole("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    TestSearch search;
    const std::string path = "/" + std::string(3000, 'p');
    for (int i = 0; i < 200; ++i) search.add(SearchTier::system, path.c_str());
    search.summary(SearchTier::system).left_out = 60000;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  const int shown = count(text, "  /ppp");
  EXPECT_GE(shown, 15);
  EXPECT_THAT(text, HasSubstr("\n  and " + std::to_string(60200 - shown) + " more files\n"));
  EXPECT_THAT(text, HasSubstr("60200 files in 0 folders\n"));
  EXPECT_THAT(text, HasSubstr("\n  what to do: "));
  EXPECT_EQ(text.back(), '\n');
}

TEST(Report, FullArena_HasTheReasons) {
  const EmptyMachine machine;
  const ScopedVariable whole("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    TestSearch search;
    {
      const ArenaReserve for_report(&search.arena, kReportBytes);
      Candidate* of_13 = search.add(SearchTier::system, "/opt/libtest.so.13");
      of_13->image.state = FileState::usable;
      of_13->image.version = {13, -1};
      of_13->verdict = Verdict::other_loaded;
      while (search.add(SearchTier::system, "/opt/libtest.so.12") != nullptr) {
      }
    }
    search.request.caller_major = 12;
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_THAT(text, HasSubstr("/opt/libtest.so.13 (CUDA 13): of CUDA 13, and the process has"));
  EXPECT_THAT(text, HasSubstr(" more files\n"));
  EXPECT_THAT(text, HasSubstr("what to do: install the test library"));
}

TEST(Report, WithoutMemoryForItIsOneLine) {
  const EmptyMachine machine;
  const std::string text = in_child([] {
    TestSearch search;
    while (search.arena.take(16) != nullptr) {
    }
    report_no_library(&search, &search.arena, kCoreCall);
  });
  EXPECT_EQ(
      text,
      "anycuda: test: out of memory during the search for the test library; called: testCore\n");
}

TEST(Log, LevelsAreOrdered) {
  const EmptyMachine machine;
  const char* const names[] = {"off", "error", "warn", "info", "debug"};
  for (int set = 0; set < 5; ++set) {
    const ScopedVariable variable("ANYCUDA_LOG", names[set]);
    for (int asked = 1; asked < 5; ++asked) {
      EXPECT_EQ(log_enabled(static_cast<LogLevel>(asked)), asked <= set) << set << " " << asked;
    }
  }
}

TEST(Log, DefaultLevelIsError) {
  const EmptyMachine machine;
  EXPECT_TRUE(log_enabled(LogLevel::error));
  EXPECT_FALSE(log_enabled(LogLevel::warn));
  const ScopedVariable wrong("ANYCUDA_LOG", "verbose");
  EXPECT_TRUE(log_enabled(LogLevel::error));
  EXPECT_FALSE(log_enabled(LogLevel::warn));
}

TEST(Log, InvalidSettingIsReportedOnceWithTheValidValues) {
  const EmptyMachine machine;
  const ScopedVariable wrong("ANYCUDA_LOG", "verbose");
  const std::string text = in_child([] {
    report_wrong_settings();
    report_wrong_settings();
  });
  EXPECT_EQ(count(text, "invalid ANYCUDA_LOG=verbose"), 1) << text;
  EXPECT_THAT(text, HasSubstr("; default: error\n"));
}

TEST(Log, RelativeSystemRootIsReportedOnce) {
  const EmptyMachine machine;
  const ScopedVariable wrong("ANYCUDA_SYSTEM_ROOT", "image");
  const std::string text = in_child([] {
    report_wrong_settings();
    report_wrong_settings();
  });
  EXPECT_EQ(text,
            "anycuda: invalid ANYCUDA_SYSTEM_ROOT=image: expected the full path of a folder; "
            "default: /\n");
}

TEST(Log, ARightSettingIsNotSpokenOf) {
  const EmptyMachine machine;
  for (const char* right : {"off", "debug", "/tmp/never-written"}) {
    const ScopedVariable set("ANYCUDA_LOG", right);
    EXPECT_THAT(in_child([] { report_wrong_settings(); }), IsEmpty()) << right;
  }
}

TEST(Log, OffIsSilence) {
  const EmptyMachine machine;
  const ScopedVariable set("ANYCUDA_LOG", "off");
  EXPECT_THAT(in_child([] {
                report_two_candidates("testCore");
                log_line(LogLevel::error, "never");
              }),
              IsEmpty());
}

TEST(Log, AFileGetsEveryStepInPlaceOfStderr) {
  EmptyMachine machine;
  const std::string file = machine.tree.path("log");
  const ScopedVariable set("ANYCUDA_LOG", file.c_str());
  EXPECT_THAT(in_child([] {
                log_step("first %d", 1);
                log_step("second");
              }),
              IsEmpty());
  EXPECT_EQ(unit::read_file(file), "anycuda: first 1\nanycuda: second\n");
}

TEST(Log, TooLongLineIsCutAndStaysALine) {
  const EmptyMachine machine;
  const std::string text =
      in_child([] { log_line(LogLevel::error, "%s", std::string(5000, 'x').c_str()); });
  EXPECT_LT(text.size(), 2100u);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_THAT(text, Not(HasSubstr("\n\n")));
}

}  // namespace
}  // namespace anycuda
