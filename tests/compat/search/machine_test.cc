// SPDX-License-Identifier: Apache-2.0

// A search on a machine made of functions: it uses nothing else.
#include "compat/search/machine/machine.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compat/search/reason.h"
#include "compat/search/search.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::map<std::string, std::string> variables;
std::vector<std::string> opened;
std::string refused;

const char* variable(const char* name) {
  const auto found = variables.find(name);
  return found != variables.end() ? found->second.c_str() : nullptr;
}

OpenResult open_unless_refused(const char* path, int flags) {
  opened.emplace_back(path);
  if (path == refused) return {nullptr, "this machine refuses it"};
  return open_shared_library(path, flags);
}

class FakeMachine : public testing::Test {
 protected:
  FakeMachine() {
    variables.clear();
    opened.clear();
    refused.clear();
    machine_.variable = variable;
    machine_.open = open_unless_refused;
    machine_.start_objects = [] { return StartObjects{}; };
    machine_.loaded_objects = [](int (*)(dl_phdr_info*, std::size_t, void*), void*) { return 0; };
    machine_.interpreter = [](Arena*) { return Interpreter{}; };
  }
  std::string install(const std::string& library, const std::string& name) {
    return empty_.tree.fake(library, name);
  }
  const Report& find(SearchTiers tiers = kAllTiers) {
    Request request{&kLibrary, &kTables, 12};
    request.tiers = tiers;
    const Report* report = search(request, machine_, &arena_);
    EXPECT_NE(report, nullptr);
    return *report;
  }
  std::string chosen(SearchTiers tiers = kAllTiers) {
    const Report& report = find(tiers);
    return report.chosen != nullptr ? report.chosen->path : "";
  }
  std::string folder(const std::string& name) const { return empty_.tree.path(name); }

  Machine machine_;
  unit::EmptyMachine empty_;
  Arena arena_;
};

TEST_F(FakeMachine, VariablesAreTheMachinesAndNotTheProcess) {
  const std::string its = install("libtest.so.12", "its/libtest.so.12");
  install("libtest.so.13", "of_process/libtest.so.13");
  const unit::ScopedVariable set("LD_LIBRARY_PATH", folder("of_process").c_str());
  variables["LD_LIBRARY_PATH"] = folder("its");
  unit::in_child([&] { EXPECT_EQ(chosen(), its); });
}

TEST_F(FakeMachine, OnlyItsOwnOpenIsUsed) {
  refused = install("libtest.so.13", "a/libtest.so.13");
  const std::string good = install("libtest.so.12", "a/libtest.so.12");
  variables["LD_LIBRARY_PATH"] = folder("a");
  unit::in_child([&] {
    const Report& report = find();
    ASSERT_NE(report.chosen, nullptr);
    EXPECT_EQ(report.chosen->path, good);
    EXPECT_THAT(opened, ElementsAre(refused, good, good)) << "the last to keep it for ever";
    for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
      if (c->path != refused) continue;
      EXPECT_THAT(reason_of(*c, report, &arena_), HasSubstr("this machine refuses it"));
    }
  });
}

// What another thread does between the search's look at the loaded libraries and its dlopen, or
// right after that: it opens a member of the same group, of another major.
std::string others;
bool other_was_first;

OpenResult open_while_another_does(const char* path, int flags) {
  const std::string file = std::exchange(others, "");
  if (!file.empty() && other_was_first) dlopen(file.c_str(), RTLD_NOW);
  const OpenResult opened = open_shared_library(path, flags);
  if (!file.empty() && !other_was_first) dlopen(file.c_str(), RTLD_NOW);
  return opened;
}

class Race : public FakeMachine {
 protected:
  Race() {
    variables["LD_LIBRARY_PATH"] = folder("path");
    machine_.loaded_objects = dl_iterate_phdr;
    machine_.open = open_while_another_does;
    library_.relatives = &itself_;
    library_.relative_count = 1;
  }
  const Report& find_while_other(const std::string& file, bool was_first) {
    others = file;
    other_was_first = was_first;
    const Report* report = search(Request{&library_, &kTables, 12}, machine_, &arena_);
    EXPECT_NE(report, nullptr);
    return *report;
  }
  LibraryDescriptor library_ = kLibrary;
  Relative itself_{&library_, Bond::group};
};

TEST_F(Race, AMemberThatWasLoadedFirstDecides) {
  const std::string newest = install("libtest.so.13", "path/libtest.so.13");
  const std::string older = install("libtest.so.12", "path/libtest.so.12");
  const std::string other = install("libtest.so.12", "other/libtest.so.12");
  unit::in_child([&] {
    const Report& report = find_while_other(other, true);
    ASSERT_NE(report.chosen, nullptr);
    EXPECT_EQ(report.chosen->path, older);
    for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
      if (c->path == newest) {
        EXPECT_EQ(c->verdict, Verdict::other_group);
      }
    }
    EXPECT_EQ(dlopen(newest.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << "closed again";
  });
}

TEST_F(Race, AMemberThatWasLoadedLaterDoesNot) {
  const std::string newest = install("libtest.so.13", "path/libtest.so.13");
  const std::string other = install("libtest.so.12", "other/libtest.so.12");
  unit::in_child([&] {
    const Report& report = find_while_other(other, false);
    ASSERT_NE(report.chosen, nullptr);
    EXPECT_EQ(report.chosen->path, newest);
  });
}

TEST_F(Race, WithoutAnotherFit_NothingIsTaken) {
  install("libtest.so.13", "path/libtest.so.13");
  const std::string other = install("libtest.so.12", "other/libtest.so.12");
  unit::in_child([&] {
    const Report& report = find_while_other(other, true);
    EXPECT_EQ(report.chosen, nullptr);
    EXPECT_THAT(reason_of(*report.candidates(), report, &arena_), HasSubstr("libtest.so.12"));
  });
}

TEST_F(FakeMachine, LoadedObjectsAreItsOwn) {
  const std::string file = install("libtest.so.12", "loaded/libtest.so.12");
  unit::in_child([&] {
    ASSERT_NE(dlopen(file.c_str(), RTLD_NOW), nullptr);
    EXPECT_EQ(chosen(only(SearchTier::loaded)), "");
    machine_.loaded_objects = dl_iterate_phdr;
    EXPECT_EQ(chosen(only(SearchTier::loaded)), file);
  });
}

TEST_F(FakeMachine, TheRootIsTheSystem) {
  static std::string root;
  root = folder("image");
  machine_.root = [] { return root.c_str(); };
  const std::string file = install("libtest.so.12", "image/usr/lib/libtest.so.12");
  install("libtest.so.13", "system/usr/lib/libtest.so.13");
  unit::in_child([&] { EXPECT_EQ(chosen(), file); });
}

Interpreter some_python(Arena*) {
  Interpreter python;
  python.prefix = python.base_prefix = "/nowhere";
  python.search_path = variable("PYTHONPATH");
  return python;
}

TEST_F(FakeMachine, APythonsPackagesComeBeforeTheLibraryPath) {
  const std::string packaged =
      install("libtest.so.11.2", "site/nvidia/test_runtime/lib/libtest.so.11.2");
  const std::string other = install("libtest.so.13", "path/libtest.so.13");
  variables["PYTHONPATH"] = folder("site");
  variables["LD_LIBRARY_PATH"] = folder("path");
  unit::in_child([&] { EXPECT_EQ(chosen(), other); });
  machine_.interpreter = some_python;
  unit::in_child([&] { EXPECT_EQ(chosen(), packaged); });
}

TEST_F(FakeMachine, APrivilegedProcessUsesNoPackages) {
  install("libtest.so.12", "site/nvidia/test_runtime/lib/libtest.so.12");
  variables["PYTHONPATH"] = folder("site");
  machine_.interpreter = some_python;
  machine_.privileged = [] { return true; };
  unit::in_child([&] { EXPECT_EQ(chosen(), ""); });
  machine_.privileged = [] { return false; };
  unit::in_child([&] { EXPECT_NE(chosen(), ""); });
}

// The nearest environment with a library that fits is used; the others are not even read.
TEST_F(FakeMachine, NearestEnvironmentComesBeforeANewerOne) {
  const std::string nearest =
      install("libtest.so.11.2", "near/nvidia/test_runtime/lib/libtest.so.11.2");
  const std::string newer = install("libtest.so.13", "far/nvidia/cu13/lib/libtest.so.13");
  variables["PYTHONPATH"] = folder("near") + ":" + folder("far");
  machine_.interpreter = some_python;
  unit::in_child([&] {
    const Report& report = find();
    EXPECT_EQ(report.chosen->path, nearest);
    EXPECT_EQ(report.candidates()->next, nullptr);
    const Report* whole = with_unreached_tiers(report, machine_, &arena_);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(unit::paths_of(*whole, empty_.tree.root()),
              (std::vector<std::string>{"far/nvidia/cu13/lib/libtest.so.13",
                                        "near/nvidia/test_runtime/lib/libtest.so.11.2"}));
  });
  refused = nearest;
  unit::in_child([&] { EXPECT_EQ(chosen(), newer); });
}

TEST_F(FakeMachine, TheDriverIsItsOwn) {
  install("libtest.so.13", "path/libtest.so.13");
  const std::string older = install("libtest.so.12", "path/libtest.so.12");
  variables["LD_LIBRARY_PATH"] = folder("path");
  machine_.driver = []() -> const Driver& {
    static const Driver driver{{true, {12, 2}, 0}, "/its/driver"};
    return driver;
  };
  unit::in_child([&] {
    const Report& report = find();
    ASSERT_NE(report.chosen, nullptr);
    EXPECT_EQ(report.chosen->path, older);
    EXPECT_STREQ(report.driver_path, "/its/driver");
  });
}

}  // namespace
}  // namespace anycuda
