// SPDX-License-Identifier: Apache-2.0

// Which Python a process is, and where its packages are.
#include "compat/search/machine/interpreter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

namespace fs = std::filesystem;

// A Python in base/bin, and a virtual environment whose interpreter is a link to it.
class AnInterpreter : public ::testing::Test {
 protected:
  AnInterpreter() {
    base_ = tree_.file("base/bin/python3.12", "not run");
    tree_.link("venv/bin/python", base_);
    tree_.file("venv/pyvenv.cfg",
               "home = " + path("base/bin") + "\ninclude-system-site-packages = false\n");
    names_.executable = base_.c_str();
  }

  std::string path(const std::string& name) const { return tree_.path(name); }
  const Interpreter& found() {
    python_ = interpreter_of(names_, &arena_);
    return python_;
  }
  // The prefix below this test's folder, of a program called so.
  std::string prefix(const std::string& called) {
    names_.started = called.c_str();
    const char* prefix = found().prefix;
    names_.started = nullptr;
    return prefix != nullptr ? std::string(prefix).substr(tree_.root().size() + 1) : "none";
  }

  unit::TempTree tree_;
  std::string base_;
  ProcessNames names_;
  Interpreter python_;
  Arena arena_;
};

TEST_F(AnInterpreter, OfAVirtualEnvironmentHasTwoPrefixes) {
  EXPECT_EQ(prefix(path("venv/bin/python")), "venv");
  EXPECT_EQ(python_.base_prefix, path("base"));
  EXPECT_STREQ(python_.version, "python3.12");
  EXPECT_TRUE(python_.closed);
  EXPECT_TRUE(python_.is_python());
}

TEST_F(AnInterpreter, WithoutAPyvenvCfgHasOnePrefix) {
  EXPECT_EQ(prefix(base_), "base");
  tree_.link("elsewhere/bin/python", base_);
  EXPECT_EQ(prefix(path("elsewhere/bin/python")), "base");
  EXPECT_EQ(prefix("no such name"), "base");
  EXPECT_FALSE(python_.closed);
}

TEST_F(AnInterpreter, IsOfTheEnvironmentHoweverItIsCalled) {
  const std::string bin = path("venv/bin");
  for (const std::string& name :
       {bin + "//python", bin + "/./python", path("venv/./bin/../bin/python")}) {
    EXPECT_EQ(prefix(name), "venv") << name;
  }
  names_.first_folder = bin.c_str();  // the program may have left it
  EXPECT_EQ(prefix("./python"), "venv");
  EXPECT_EQ(prefix("../bin/python"), "venv");
  names_.first_folder = nullptr;
  EXPECT_EQ(prefix("./python"), "base");
}

TEST_F(AnInterpreter, PythonsVariablesComeFirst) {
  const std::string by_python = path("venv/bin/python");
  names_.by_python = by_python.c_str();
  EXPECT_EQ(prefix(base_), "venv");
  names_.by_python = "python";
  EXPECT_EQ(prefix(base_), "base");
}

TEST_F(AnInterpreter, BaseIsThatOfPythonsVariables) {
  const std::string told = path("told");
  names_.python_prefix = told.c_str();
  EXPECT_EQ(prefix(path("venv/bin/python")), "venv");
  EXPECT_EQ(python_.base_prefix, told);
  EXPECT_EQ(prefix(base_), "told");
}

// Py_GetPrefix() of Python 3.14 is that of the environment.
TEST_F(AnInterpreter, DoesNotTakeItsEnvironmentForItsBase) {
  const std::string told = path("venv/");
  names_.python_prefix = told.c_str();
  EXPECT_EQ(prefix(path("venv/bin/python")), "venv");
  EXPECT_EQ(python_.base_prefix, path("base"));
  names_.python_prefix = "relative";
  EXPECT_EQ(found().base_prefix, path("base"));
}

TEST_F(AnInterpreter, OptionsAreThoseOfPythonsVariables) {
  names_.options.no_user_site = true;
  names_.python_path = "/a:/b";
  EXPECT_TRUE(found().options.no_user_site);
  EXPECT_STREQ(python_.search_path, "/a:/b");
}

TEST_F(AnInterpreter, IsOfTheFoldersNameThroughALink) {
  tree_.link("link", path("venv"));
  EXPECT_EQ(prefix(path("link/bin/python")), "link");
}

TEST_F(AnInterpreter, Copy_BaseIsThatOfPython) {
  const std::string copy = tree_.file("copied/bin/python", "not run");
  const std::string base = path("base");
  tree_.file("copied/pyvenv.cfg", "Include-System-Site-Packages = TRUE\n");
  names_.executable = copy.c_str();
  names_.python_prefix = base.c_str();
  EXPECT_EQ(prefix(copy), "copied");
  EXPECT_EQ(python_.base_prefix, base);
  EXPECT_FALSE(python_.closed);
  tree_.link("link", path("copied"));
  EXPECT_EQ(prefix(path("link/bin/python")), "link");
  EXPECT_EQ(python_.base_prefix, base);
}

TEST_F(AnInterpreter, NameOfAnotherProgram_IsIgnored) {
  tree_.file("venv/bin/other", "another program");
  EXPECT_EQ(prefix(path("venv/bin/other")), "base");
}

TEST_F(AnInterpreter, HasTheVersionOfItsFile) {
  const auto version = [&](const char* file) {
    names_.executable = file;
    return std::string(found().version);
  };
  EXPECT_EQ(version("/x/bin/python3.13t"), "python3.13t");
  EXPECT_EQ(version("/x/bin/python3.11-dbg"), "python3.11");
  for (const char* without : {"python", "python3", "python3.", "python.3", "python-three"}) {
    EXPECT_EQ(version((std::string("/x/bin/") + without).c_str()), "") << without;
  }
}

// An upgrade has replaced the file: the process still has the names that it began with.
TEST_F(AnInterpreter, ThatWasReplacedIsStillOfItsEnvironment) {
  const std::string by_python = path("venv/bin/python");
  const std::string gone = base_ + " (deleted)";
  names_.by_python = by_python.c_str();
  names_.executable = gone.c_str();
  EXPECT_EQ(prefix(base_), "venv");
}

TEST_F(AnInterpreter, MayBeCalledOtherwise) {
  names_.executable = "/usr/libexec/platform-python3.6";
  EXPECT_TRUE(found().is_python());
  EXPECT_STREQ(python_.version, "python3.6");
}

// As Python's site module has it.
TEST_F(AnInterpreter, IsOpenUnlessItsConfigurationCloses) {
  tree_.file("venv/pyvenv.cfg", "home = /usr/bin\n");
  EXPECT_EQ(prefix(path("venv/bin/python")), "venv");
  EXPECT_FALSE(python_.closed);
}

// From the folder where Python was started.
TEST_F(AnInterpreter, TakesARelativePythonHomeAsPythonDoes) {
  tree_.folder("first/py");
  const std::string folder = path("first");
  names_.python_prefix = "py";
  names_.first_folder = folder.c_str();
  EXPECT_EQ(prefix(base_), "first/py");
  names_.first_folder = nullptr;
  EXPECT_EQ(prefix(base_), "base");
}

// Blender, uWSGI, a server: what Python itself has stored is its environment.
TEST_F(AnInterpreter, Embedded_IsThatOfPythonsVariables) {
  const std::string program = tree_.file("editor/bin/editor", "not run");
  const std::string called = path("venv/bin/python");
  const std::string base = path("base");
  names_.executable = program.c_str();
  EXPECT_FALSE(found().is_python());
  names_.embeds_python = true;
  names_.by_python = called.c_str();
  names_.python_prefix = base.c_str();
  EXPECT_EQ(found().prefix, path("venv"));
  EXPECT_EQ(python_.base_prefix, base);
  EXPECT_STREQ(python_.version, "");
  EXPECT_TRUE(python_.is_python());
  EXPECT_FALSE(python_.is_interpreter());
}

// A pyvenv.cfg beside the program is not its Python's.
TEST_F(AnInterpreter, EmbeddedWithoutAName_HasNoEnvironment) {
  const std::string program = tree_.file("venv/bin/editor", "not run");
  const std::string base = path("base");
  names_.executable = program.c_str();
  names_.embeds_python = true;
  names_.python_prefix = base.c_str();
  for (const char* name : {static_cast<const char*>(nullptr), ""}) {
    names_.by_python = name;
    EXPECT_EQ(found().prefix, base);
  }
}

TEST_F(AnInterpreter, ProgramOfAnotherName_IsNotAPython) {
  names_.executable = "/opt/pythonic/bin/tool";
  EXPECT_FALSE(found().is_python());
  EXPECT_STREQ(python_.version, "");
  EXPECT_STREQ(python_.executable, "/opt/pythonic/bin/tool");
}

TEST_F(AnInterpreter, AbsurdNamesAreNotAnInterpreter) {
  for (const std::string& name :
       {std::string(""), std::string("python3"), std::string("/python3"), std::string("/")}) {
    names_.executable = name.c_str();
    EXPECT_EQ(prefix(name), "none") << name;
  }
  const std::string endless = "/" + std::string(10000, 'p') + "/bin/python3";
  names_.executable = endless.c_str();
  names_.started = endless.c_str();
  interpreter_of(names_, &arena_);
}

}  // namespace
}  // namespace anycuda
