// SPDX-License-Identifier: Apache-2.0

// Every system call, allocation and dlopen() of a first call fails once: README.md lists the
// promises. With ANYCUDA_FAULTS=long (ctest --preset long) each fails in all its ways, and 20,000
// pairs of system calls fail.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "support/case_names.h"
#include "support/machine.h"
#include "system_calls.h"
#include "tracer.h"

namespace anycuda::test {
namespace {

using Path = std::filesystem::path;

struct Situation {
  const char* name;
  const char* stub;
  const char* function;
  int no_library;  // what the function returns without a library
  std::vector<const char*> artifacts;
  void (*install)(Machine&);
};
void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const char* const kVersion = "cudaRuntimeGetVersion";

Path library_in(const Machine& machine, const char* below) {
  return machine.site_packages() / "nvidia" / below;
}

const Situation kSituations[] = {
    {"ANamedFile",
     "cudart",
     kVersion,
     35,
     {"cudart-12.9"},
     [](Machine& m) {
       m.wheel(cudart, "12.9");
       m.env("ANYCUDA_CUDART", library_in(m, "cuda_runtime/lib/libcudart.so.12"));
     }},
    {"TheNewestOfThree",
     "cudart",
     kVersion,
     35,
     {"cudart-11.8", "cudart-12.9", "cudart-13.5"},
     [](Machine& m) {
       for (const char* version : {"11.8", "12.9", "13.5"}) m.on_library_path(cudart, version);
     }},
    {"AToolkit",
     "cudart",
     kVersion,
     35,
     {"cudart-12.9"},
     [](Machine& m) { m.toolkit(cudart, "12.9"); }},
    {"ACondaPrefix",
     "cudart",
     kVersion,
     35,
     {"cudart-12.9"},
     [](Machine& m) { m.conda(cudart, "12.9"); }},
    {"ADriverBesideAToolkit",
     "cudart",
     kVersion,
     35,
     {"cudart-12.9", "driver-535"},
     [](Machine& m) { m.toolkit(cudart, "12.9").driver(535); }},
    {"StrictMode",
     "cudart",
     kVersion,
     35,
     {"cudart-12.0", "driver-535"},
     [](Machine& m) {
       m.wheel(cudart, "12.0").driver(535).env("ANYCUDA_STUB_COMPAT", "strict");
       m.env("ANYCUDA_CUDART", library_in(m, "cuda_runtime/lib/libcudart.so.12"));
     }},
    {"NothingAndAFailingCall", "cudart", "cudaGetDevice", 35, {}, [](Machine&) {}},
    {"ARefusedFile",
     "cudart",
     "cudaGetDevice",
     35,
     {},
     [](Machine& m) {
       m.put_file("opt/libcudart.so.12", "no library");
       m.env("ANYCUDA_CUDART", m.resolve("opt/libcudart.so.12"));
     }},
    {"TheCompiler",
     "nvrtc",
     "nvrtcVersion",
     11,
     {"nvrtc-12.9"},
     [](Machine& m) { m.toolkit(nvrtc, "12.9"); }},
    {"TheLinker",
     "nvjitlink",
     "nvJitLinkVersion",
     6,
     {"nvjitlink-12.9"},
     [](Machine& m) { m.toolkit(nvjitlink, "12.9"); }},
    {"TheDriver",
     "cuda",
     "cuDriverGetVersion",
     3,
     {"driver-535"},
     [](Machine& m) { m.driver(535); }},
};

bool is_long() {
  const char* kind = std::getenv("ANYCUDA_FAULTS");
  return kind != nullptr && std::strcmp(kind, "long") == 0;
}

// The victim's report on its two calls.
struct Outcome {
  struct Call {
    int status, value, second_value;
    bool operator==(const Call& other) const {
      return status == other.status && value == other.value && second_value == other.second_value;
    }
  };
  Call first, second;
  int files;
  long mapped;
  long anonymous;
  long seen;
  std::set<std::string> loaded;
};

std::optional<Outcome> outcome_of(const std::string& text) {
  Outcome outcome{};
  int end = 0;
  Outcome::Call& first = outcome.first;
  Outcome::Call& second = outcome.second;
  const int read = std::sscanf(
      text.c_str(),
      "first %d %d %d second %d %d %d files %d mapped %ld anonymous %ld seen %ld loaded %n",
      &first.status, &first.value, &first.second_value, &second.status, &second.value,
      &second.second_value, &outcome.files, &outcome.mapped, &outcome.anonymous, &outcome.seen,
      &end);
  if (read != 10 || end == 0) return std::nullopt;
  std::istringstream paths(text.substr(static_cast<std::size_t>(end)));
  for (std::string path; std::getline(paths, path, ';');) {
    if (path != "\n") outcome.loaded.insert(path);
  }
  return outcome;
}

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::optional<Answer> nothing(int, long) { return std::nullopt; }
constexpr Answer kNoMemory = {"ENOMEM", -ENOMEM, true, false};

class FirstCall : public ::testing::TestWithParam<Situation> {
 protected:
  void SetUp() override {
    for (const char* artifact : GetParam().artifacts) {
      const std::string missing = Artifacts::of_this_build().why_missing(artifact);
      if (!missing.empty()) GTEST_SKIP() << missing;
    }
    GetParam().install(machine_);
    spec_.argv = {ANYCUDA_BINARY_DIR "/victim",
                  std::string(ANYCUDA_STUBS "/lib") + GetParam().stub + "_stub.so",
                  GetParam().function};
    spec_.env = machine_.environment();
    spec_.folder = machine_.root() / "home";
    const TracedRun plain = run_traced(spec_, nothing);
    const std::optional<Outcome> outcome = outcome_of(plain.result.out);
    ASSERT_TRUE(plain.result.ok() && outcome) << plain.result.describe();
    plain_ = *outcome;
    calls_ = plain.calls;
    ASSERT_EQ(plain_.first, plain_.second) << plain.result.describe();
    ASSERT_EQ(plain_.first.status, GetParam().artifacts.empty() ? GetParam().no_library : 0)
        << plain.result.describe();
    ASSERT_EQ(plain_.files, 0) << plain.result.describe();
    ASSERT_EQ(plain_.loaded.empty(), GetParam().artifacts.empty()) << plain.result.describe();
    for (const std::string& path : plain_.loaded) {
      know_what_dlopen_leaves(path);
    }
  }

  int call_count() const { return static_cast<int>(calls_.size()); }
  long number_of(int occurrence) const { return calls_[static_cast<std::size_t>(occurrence)]; }

  // `choose` says what of a call's answers it gets, if any: after a fault another call than in a
  // run without one may come.
  using Choice = std::function<const Answer*(int occurrence, const std::vector<Answer>& answers)>;
  void try_faults(const Choice& choose) {
    std::string faults;
    bool transient = true;
    int count = 0;
    const TracedRun run = run_traced(spec_, [&](int occurrence, long number) {
      const std::vector<Answer>& answers = answers_of(number);
      const Answer* const answer = answers.empty() ? nullptr : choose(occurrence, answers);
      if (answer == nullptr) return std::optional<Answer>();
      faults += name_of(number) + " (" + std::to_string(occurrence) + ") gives " + answer->name;
      faults += "; ";
      transient = transient && answer->transient;
      ++count;
      return std::optional<Answer>(*answer);
    });
    take(faults, transient, count, run.result);
  }

  // Counts the run, and what is wrong with it.
  void take(const std::string& faults, bool transient, int count, const ProcessResult& result) {
    ++runs_;
    const std::string wrong = why_wrong(transient, count, result);
    if (wrong.empty()) return;
    ++wrong_[wrong];
    if (wrong_[wrong] <= 5) ADD_FAILURE() << faults << wrong << "\n" << result.describe();
  }

  void expect_nothing_wrong(const char* what) {
    std::printf("%s, %s: %ld runs, in %ld the first call did its work\n", GetParam().name, what,
                runs_, worked_);
    for (const auto& [wrong, times] : wrong_) {
      ADD_FAILURE() << times << " of " << runs_ << ": " << wrong;
    }
  }

  Machine machine_;
  ProcessSpec spec_;

 private:
  // A file that can never be read is not a candidate: then another library may serve.
  std::string why_wrong_in(const Outcome::Call& call, bool transient, bool is_first,
                           const Outcome& outcome) const {
    if (call == plain_.first) return "";
    if (!is_first && transient) return "what was missing for a moment is final";
    if (call.status == GetParam().no_library) return "";
    if (transient || outcome.loaded.empty()) return "an error or an answer that is not defined";
    return call.status == 0 ? "" : "an error that is not defined";
  }

  std::string why_wrong(bool transient, int faults, const ProcessResult& result) {
    if (result.timed_out) return "it hangs";
    const std::optional<Outcome> outcome = outcome_of(result.out);
    if (!result.ok() || !outcome) return "it crashes";
    if (outcome->first == plain_.first) ++worked_;
    for (const bool is_first : {true, false}) {
      const Outcome::Call& call = is_first ? outcome->first : outcome->second;
      const std::string wrong = why_wrong_in(call, transient, is_first, *outcome);
      if (!wrong.empty()) return wrong;
    }
    if (transient && outcome->loaded != plain_.loaded) return "another library is loaded";
    if (outcome->files != 0) return "a file stays open";
    if (outcome->loaded == plain_.loaded &&
        outcome->mapped > plain_.mapped + faults * left_mapped_) {
      return "a file stays mapped";
    }
    if (outcome->anonymous > plain_.anonymous + 65536 + faults * left_anonymous_) {
      return "memory is left";
    }
    // One line for what was missing for a moment, five for a library that is not there.
    if (lines(result.err) > 6) return "it says too much";
    return "";
  }

  // A dlopen() that fails in the middle leaves mappings behind (glibc 2.36): so many at most, of
  // that library.
  void know_what_dlopen_leaves(const std::string& path) {
    ProcessSpec spec = spec_;
    spec.argv = {spec_.argv[0], "--open", path};
    const TracedRun plain = run_traced(spec, nothing);
    const std::optional<Outcome> whole = outcome_of(plain.result.out);
    for (std::size_t i = 0; whole && i < plain.calls.size(); ++i) {
      if (plain.calls[i] != SYS_mmap && plain.calls[i] != SYS_mprotect) continue;
      const TracedRun run = run_traced(spec, [&](int occurrence, long) {
        return occurrence == static_cast<int>(i) ? std::optional<Answer>(kNoMemory) : std::nullopt;
      });
      const std::optional<Outcome> outcome = outcome_of(run.result.out);
      if (!outcome) continue;
      left_mapped_ = std::max(left_mapped_, outcome->mapped - whole->mapped);
      left_anonymous_ = std::max(left_anonymous_, outcome->anonymous - whole->anonymous);
    }
  }

  Outcome plain_{};
  std::vector<long> calls_;
  long left_mapped_ = 0;
  long left_anonymous_ = 0;
  long runs_ = 0;
  long worked_ = 0;
  std::map<std::string, int> wrong_;
};

// Each call fails; in the long run in each way, else in one of them by turns.
TEST_P(FirstCall, BearsTheFaultOfEachSystemCall) {
  for (int i = 0; i < call_count(); ++i) {
    const std::size_t count = answers_of(number_of(i)).size();
    for (std::size_t k = 0; k < count; ++k) {
      if (!is_long() && static_cast<std::size_t>(i) % count != k) continue;
      try_faults([&](int occurrence, const std::vector<Answer>& answers) {
        return occurrence == i ? &answers[k] : nullptr;
      });
    }
  }
  expect_nothing_wrong("single faults of system calls");
}

// Of malloc or dlopen: as often as it is called.
TEST_P(FirstCall, BearsTheFaultOfEachAllocationAndEachDlopen) {
  for (const char* function : {"malloc", "dlopen"}) {
    ProcessSpec spec = spec_;
    spec.argv.insert(spec.argv.end(), {function, ""});
    for (long i = 1;; ++i) {
      spec.argv.back() = std::to_string(i);
      const ProcessResult result = run_process(spec);
      const std::optional<Outcome> outcome = outcome_of(result.out);
      if (outcome && outcome->seen < i) break;
      take(std::string(function) + " " + spec.argv.back() + ": ",
           std::strcmp(function, "malloc") == 0, 1, result);
      ASSERT_LT(i, 100000);
    }
  }
  expect_nothing_wrong("single faults of malloc and dlopen");
}

// All pairs for a named file, 2,000 for each other situation: 20,000 in all.
TEST_P(FirstCall, BearsTwoFaultsOfSystemCalls) {
  std::mt19937 random(18);  // NOLINT: the same pairs in each run
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const auto try_pair = [&](int first, int second) {
    try_faults([&](int occurrence, const std::vector<Answer>& answers) {
      const bool fails = occurrence == first || occurrence == second;
      return fails ? &answers[static_cast<std::size_t>(below(static_cast<int>(answers.size())))]
                   : nullptr;
    });
  };
  const bool all = is_long() && GetParam().name == std::string("ANamedFile");
  for (int first = 0; all && first < call_count(); ++first) {
    for (int second = first + 1; second < call_count(); ++second) try_pair(first, second);
  }
  for (int left = all ? 0 : is_long() ? 2000 : 50; left > 0; --left) {
    const int first = below(call_count() - 1);
    try_pair(first, first + 1 + below(call_count() - first - 1));
  }
  expect_nothing_wrong("pairs of faults of system calls");
}

INSTANTIATE_TEST_SUITE_P(Situations, FirstCall, ::testing::ValuesIn(kSituations), kPrintedName);

}  // namespace
}  // namespace anycuda::test
