// SPDX-License-Identifier: Apache-2.0

// The packages of a Python process, in the order of its sys.path, and of no other Python.
#include "compat/search/machine/python_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<std::string, std::string> variables;
std::vector<std::string> asked;

class PythonPath : public testing::Test {
 protected:
  PythonPath() {
    variables.clear();
    asked.clear();
    variables["HOME"] = tree_.path("home");
    machine_.variable = [](const char* name) {
      asked.emplace_back(name);
      const auto found = variables.find(name);
      return found != variables.end() ? found->second.c_str() : nullptr;
    };
    prefix_ = tree_.path("venv");
    base_ = tree_.path("base");
    python_.version = "python3.11";
    python_.prefix = prefix_.c_str();
    python_.base_prefix = base_.c_str();
    for (const char* prefix : {"venv", "home/.local", "base"}) {
      for (const char* version : {"python3.11", "python3.9", "python3.11t"}) {
        tree_.folder(std::string(prefix) + "/lib/" + version + "/site-packages");
      }
    }
  }
  // '+': it begins an entry of sys.path.
  std::vector<std::string> folders(int most = 1000) {
    Visits visits{tree_.root(), {}, most};
    each_python_folder(machine_, python_, &arena_, visit, &visits);
    return visits.paths;
  }
  std::string path(const std::string& name) const { return tree_.path(name); }

  unit::TempTree tree_;
  std::string prefix_;
  std::string base_;
  Interpreter python_;
  Machine machine_;

 private:
  struct Visits {
    std::string top;
    std::vector<std::string> paths;
    int most;
  };
  static bool visit(const char* path, bool begins, void* argument) {
    auto* visits = static_cast<Visits*>(argument);
    std::string name = path;
    if (name.rfind(visits->top, 0) == 0) name.erase(0, visits->top.size() + 1);
    visits->paths.push_back((begins ? "+" : "") + name);
    return --visits->most != 0;
  }
  Arena arena_;
};

constexpr char kVenv[] = "+venv/lib/python3.11/site-packages";
constexpr char kUser[] = "+home/.local/lib/python3.11/site-packages";
constexpr char kBase[] = "+base/lib/python3.11/site-packages";

TEST_F(PythonPath, EndedByItsVisitor_AsksForNothingMore) {
  const std::string entry = path("base");
  python_.search_path = entry.c_str();
  EXPECT_THAT(folders(1), ElementsAre("+base"));
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(PythonPath, VirtualEnvironment_OrderIsOwnUserBase) {
  EXPECT_THAT(folders(), ElementsAre(kVenv, kUser, kBase));
  EXPECT_THAT(folders(1), ElementsAre(kVenv));
  python_.closed = true;
  EXPECT_THAT(folders(), ElementsAre(kVenv));
}

TEST_F(PythonPath, OfAnInstallationIsTheUsersThenItsOwn) {
  python_.prefix = python_.base_prefix;
  EXPECT_THAT(folders(), ElementsAre(kUser, kBase));
}

TEST_F(PythonPath, HasTheUsersFolderUnlessItIsDeclined) {
  python_.options.no_user_site = true;
  EXPECT_THAT(folders(), ElementsAre(kVenv, kBase));
}

TEST_F(PythonPath, TakesTheUsersFolderFromItsVariable) {
  tree_.folder("mine/lib/python3.11/site-packages");
  variables["PYTHONUSERBASE"] = path("mine");
  EXPECT_THAT(folders(), ElementsAre(kVenv, "+mine/lib/python3.11/site-packages", kBase));
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(tree_.root());
  variables["PYTHONUSERBASE"] = "./mine";
  EXPECT_THAT(folders(), ElementsAre(kVenv, "+mine/lib/python3.11/site-packages", kBase));
  std::filesystem::current_path(before);
}

// What a program puts into its environment is for its children.
TEST_F(PythonPath, IsPythonsOwnListIfAvailable) {
  tree_.folder("a");
  tree_.folder("b");
  const std::string told = path("a") + ":" + tree_.file("base/lib/python311.zip", "");
  python_.search_path = told.c_str();
  variables["PYTHONPATH"] = path("b");
  variables["PYTHONNOUSERSITE"] = "1";
  EXPECT_THAT(folders(), ElementsAre("+a", kVenv, kUser, kBase));
}

// Both may be in /usr/local: Debian's Python has the one, a Python that was built there the other.
TEST_F(PythonPath, OfDebiansHasItsFoldersAndOfOthersTheOthers) {
  const std::string dist = "lib/python3.11/dist-packages";
  for (const char* prefix : {"base/", "base/local/"}) tree_.folder(prefix + dist);
  tree_.folder("base/local/lib/python3.11/site-packages");
  python_.prefix = python_.base_prefix;
  EXPECT_THAT(folders(), ElementsAre(kUser, kBase));
  tree_.folder("base/lib/python3/dist-packages");
  EXPECT_THAT(folders(), testing::IsSupersetOf({std::string(kUser), "base/local/" + dist}))
      << "which of them counts is unknown";
  std::filesystem::remove(path("base/lib/python3.11/site-packages"));
  EXPECT_THAT(folders(), ElementsAre(kUser, "+base/local/" + dist, "+base/" + dist));
}

TEST_F(PythonPath, HasNoSitePackagesWithoutSite) {
  const std::string told = path("venv");
  python_.search_path = told.c_str();
  python_.options.no_site = true;
  EXPECT_THAT(folders(), ElementsAre("+venv"));
}

TEST_F(PythonPath, BeginsWithPythonpath) {
  tree_.folder("a");
  tree_.folder("b/c");
  const std::string told = path("a") + "/:a::" + path("gone") + ":" + path("b/./c");
  python_.search_path = told.c_str();
  EXPECT_THAT(folders(), ElementsAre("+a", "+b/c", kVenv, kUser, kBase));
}

TEST_F(PythonPath, OfAnUnknownVersionHasAll) {
  python_.version = "";
  python_.closed = true;
  EXPECT_EQ(folders().size(), 3U);
}

TEST_F(PythonPath, SeveralFoldersOfAPrefixAreOneEntry) {
  tree_.folder("venv/lib/python3.11/dist-packages");
  python_.closed = true;
  EXPECT_THAT(folders(), ElementsAre(kVenv, "venv/lib/python3.11/dist-packages"));
}

TEST_F(PythonPath, HasTheFoldersOfPthFiles) {
  const std::string site = "venv/lib/python3.11/site-packages/";
  tree_.folder("editable/src");
  tree_.folder(site + "below");
  tree_.folder(site + "  indented");
  tree_.file(site + "a.pth",
             "# a comment\nimport os; os.getcwd()\n\nbelow  \r\n  below\n  indented\n" +
                 path("editable/src") + "\n" + path("gone") + "\n\n");
  tree_.file(site + "a.pth.bak", path("base") + "\n");
  python_.closed = true;
  EXPECT_THAT(folders(),
              ElementsAre(kVenv, "+venv/lib/python3.11/site-packages/below",
                          "+venv/lib/python3.11/site-packages/  indented", "+editable/src"));
}

// As uv writes it, and as older ones of it did.
TEST_F(PythonPath, HasTheOverlayOfUvRun) {
  const std::string site = "venv/lib/python3.11/site-packages/";
  for (const char* folder : {"with/site", "project/site", "older", "other"}) tree_.folder(folder);
  const auto decoded = [&](const char* folder) {
    return "site.addsitedir(__import__(\"os\").fsdecode(b\"" + path(folder) + "\"))";
  };
  tree_.file(site + "_uv_ephemeral_overlay.pth", "import site; " + decoded("with/site") + "; " +
                                                     decoded("gone") + "; " +
                                                     decoded("project/site"));
  tree_.file(site + "a.pth", "import site; site.addsitedir(\"" + path("older") + "\")\n");
  tree_.file(site + "b.pth", "import os; site.addsitedir(\"" + path("other") + "\")\n" +
                                 "import site; site.addsitedir(\"" + path("other") + "\n" +
                                 "import site; site.addsitedir(folder)\n" +
                                 "import site; site.addsitedir(\"" + path("other") + "\\x41\")\n" +
                                 "import site; site.addsitedir(");
  python_.closed = true;
  EXPECT_THAT(folders(),
              testing::UnorderedElementsAre(kVenv, "+with/site", "+project/site", "+older"));
}

TEST_F(PythonPath, AbsurdPthFilesDoNoHarm) {
  const std::string site = "venv/lib/python3.11/site-packages/";
  tree_.file(site + "long.pth", std::string(10000, 'x') + "\n");
  tree_.file(site + "huge.pth", std::string(1 << 20, '\n'));
  tree_.file(site + "binary.pth", std::string(100, '\0') + "/" + std::string(3, '\xff'));
  tree_.link(site + "loop.pth", "loop.pth");
  tree_.folder(site + "folder.pth");
  for (int i = 0; i < 1000; ++i) tree_.file(site + "n" + std::to_string(i) + ".pth", "/gone\n");
  python_.closed = true;
  EXPECT_THAT(folders(), ElementsAre(kVenv));
}

TEST_F(PythonPath, NoPrefix_IsEmpty) {
  python_.prefix = "";
  python_.base_prefix = "relative";
  variables.clear();
  EXPECT_THAT(folders(), IsEmpty());
}

}  // namespace
}  // namespace anycuda
