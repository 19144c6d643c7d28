// Which Python a process is, and where its packages are.
#include "compat/search/machine/interpreter.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace anycuda {
namespace {

namespace fs = std::filesystem;

// A Python in base/bin, and a virtual environment whose interpreter is a link to it.
class AnInterpreter : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/anycuda-python-XXXXXX";
    root_ = fs::canonical(mkdtemp(folder));
    fs::create_directories(root_ / "base/bin");
    fs::create_directories(root_ / "venv/bin");
    std::ofstream(base()) << "not run";
    fs::create_symlink(base(), venv());
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path base() const { return root_ / "base/bin/python3.12"; }
  fs::path venv() const { return root_ / "venv/bin/python3"; }
  Interpreter called(const std::string& name) {
    return interpreter_of(base().c_str(), name.c_str(), &arena_);
  }
  bool isolated(const std::string& configuration) {
    std::ofstream(root_ / "venv/pyvenv.cfg") << configuration;
    return is_isolated((root_ / "venv").c_str(), &arena_);
  }

  fs::path root_;
  Arena arena_;
};

TEST_F(AnInterpreter, OfAVirtualEnvironmentHasTwoPrefixes) {
  const Interpreter python = called(venv());
  ASSERT_NE(python.prefix, nullptr);
  EXPECT_EQ(python.prefix, root_ / "venv");
  EXPECT_EQ(python.base_prefix, root_ / "base");
  EXPECT_STREQ(python.version, "python3.12");
}

TEST_F(AnInterpreter, IsFoundInPathWhenItWasCalledByNameAlone) {
  const char* const kept = getenv("PATH");
  const std::string before = kept != nullptr ? kept : "";
  setenv("PATH", ("relative:/nowhere:" + (root_ / "venv/bin").string()).c_str(), 1);
  const Interpreter python = called("python3");
  setenv("PATH", before.c_str(), 1);
  ASSERT_NE(python.prefix, nullptr);
  EXPECT_EQ(python.prefix, root_ / "venv");
}

TEST_F(AnInterpreter, IsFoundByARelativeName) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  const Interpreter python = called("venv/bin/python3");
  fs::current_path(before);
  ASSERT_NE(python.prefix, nullptr);
  EXPECT_EQ(python.prefix, root_ / "venv");
}

TEST_F(AnInterpreter, HasNoPrefixByANameThatLeadsElsewhere) {
  std::ofstream(root_ / "venv/bin/other") << "another program";
  EXPECT_EQ(called((root_ / "venv/bin/other").string()).prefix, nullptr);
  EXPECT_EQ(called("/nowhere/python3").prefix, nullptr);
}

TEST_F(AnInterpreter, IsNoProgramOfAnotherName) {
  const Interpreter program =
      interpreter_of("/opt/pythonic/bin/tool", "/opt/pythonic/bin/tool", &arena_);
  EXPECT_EQ(program.base_prefix, nullptr);
  EXPECT_STREQ(program.version, "");
  EXPECT_STREQ(program.executable, "/opt/pythonic/bin/tool");
}

TEST_F(AnInterpreter, IsIsolatedUnlessItsConfigurationSaysOtherwise) {
  EXPECT_FALSE(is_isolated((root_ / "venv").c_str(), &arena_));  // no configuration: no venv
  EXPECT_FALSE(is_isolated(nullptr, &arena_));
  EXPECT_TRUE(isolated("home = /usr/bin\n"));
  EXPECT_TRUE(isolated("include-system-site-packages = false\nprompt = true\n"));
  EXPECT_FALSE(isolated("home = /usr/bin\ninclude-system-site-packages = true\n"));
  EXPECT_FALSE(isolated("include-system-site-packages = True\n"));
}

}  // namespace
}  // namespace anycuda
