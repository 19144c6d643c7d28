// SPDX-License-Identifier: Apache-2.0

// Whose packages a program gets: those of its Python's version, and in a virtual environment only
// that one's, unless it includes the system's packages. The Python is programs/host.cc by another
// name, so that it has the version that a test needs; the last tests run a real one.
#include "real.h"
#include "support/install.h"

namespace anycuda::test {
namespace {

using ::testing::HasSubstr;

const char kOwn[] = "venv/lib/python3.11/site-packages";

class Interpreter : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
    REQUIRE_PROGRAM(native("host"));
    machine_.put_copy("base/bin/python3.11", native("host"));
    virtual_environment("include-system-site-packages = false\n");
  }
  void virtual_environment(const std::string& setting) {
    std::filesystem::remove(path("venv/bin/python3"));
    machine_.put_link("venv/bin/python3", path("base/bin/python3.11"));
    machine_.put_file("venv/pyvenv.cfg", "home = " + path("base/bin").string() + "\n" + setting +
                                             "version = 3.11.4\n");
  }
  void wheel(const std::string& site, const std::string& release) {
    install_wheel(Artifacts::of_this_build().folder("cudart-" + release), path(site));
  }
  // Newer runtimes of the user and of the base, for this version of Python and for another.
  void install_in_other_environments() {
    wheel("home/.local/lib/python3.9/site-packages", "13.5");
    wheel("home/.local/lib/python3.11/site-packages", "13.5");
    wheel("base/lib/python3.9/site-packages", "13.5");
    wheel("base/lib/python3.11/site-packages", "13.5");
  }
  // The runtime that a process gets, below the machine's root.
  std::string chosen(std::vector<std::string> command) {
    for (const std::string& step :
         {"import:" + stub("cudart").string(), std::string("call:cudaPeekAtLastError"),
          std::string("loaded:libcudart.so")}) {
      command.push_back(step);
    }
    const std::string found = answer(machine_.run(command), "loaded");
    const std::string root = machine_.root().string() + "/";
    return found.rfind(root, 0) == 0 ? found.substr(root.size()) : found;
  }
  // The same, called as a shell calls it. The shell's PATH is then the program's too.
  std::string chosen_by_shell(const std::string& script) {
    return chosen({"/bin/sh", "-c", script, "sh"});
  }
  Path path(const std::string& name) const { return machine_.root() / name; }

  Machine machine_;
};

TEST_F(Interpreter, VirtualEnvironment_UsesOnlyItsWheels) {
  wheel(kOwn, "12.9");
  install_in_other_environments();
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr(kOwn));
  machine_.env("VIRTUAL_ENV", path("venv"));
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr(kOwn));
  EXPECT_THAT(chosen({native("host")}), HasSubstr(kOwn)) << "a program that is not a Python";
}

// VIRTUAL_ENV is what the user's shell has activated; a Python knows its own prefix.
TEST_F(Interpreter, IgnoresTheActiveEnvironmentsWheels) {
  wheel(kOwn, "13.5");
  wheel("base/lib/python3.11/site-packages", "12.9");
  machine_.env("VIRTUAL_ENV", path("venv"));
  EXPECT_THAT(chosen({path("base/bin/python3.11")}), HasSubstr("base/lib/python3.11/"));
  machine_.put_link("other/bin/python", path("base/bin/python3.11"));
  machine_.put_file("other/pyvenv.cfg", "home = " + path("base/bin").string() + "\n");
  wheel("other/lib/python3.11/site-packages", "11.8");
  EXPECT_THAT(chosen({path("other/bin/python")}), HasSubstr("other/lib/python3.11/"));
}

// Only the name that it was called by distinguishes a venv's Python from the base's.
TEST_F(Interpreter, OfAVirtualEnvironmentIsKnownHoweverItIsStarted) {
  wheel(kOwn, "12.9");
  install_in_other_environments();
  machine_.put_link("linked", path("venv"));
  machine_.put_folder("bin");
  machine_.put_link("bin/python-app", path("venv/bin/python3"));
  const std::string root = "cd '" + machine_.root().string() + "' && ";
  for (const char* how :
       {"PATH=\"$PWD/venv/bin/:/usr/bin\" exec python3 \"$@\"",
        "exec \"$PWD/venv/bin//python3\" \"$@\"", "cd venv/bin && exec ./python3 \"$@\"",
        "exec venv/./bin/./python3 \"$@\"", "exec \"$PWD/linked/bin/python3\" \"$@\"",
        "cd home && exec ../venv/bin/python3 \"$@\"", "PATH=venv/bin exec python3 \"$@\"",
        "exec venv/bin/../bin/python3 \"$@\""}) {
    EXPECT_THAT(chosen_by_shell(root + how),
                HasSubstr("/lib/python3.11/site-packages/nvidia/cuda_runtime/"))
        << how;
  }
  // As for Python itself, a link outside every environment is the base's Python.
  EXPECT_THAT(chosen_by_shell(root + "exec bin/python-app \"$@\""), HasSubstr("home/.local/"));
}

TEST_F(Interpreter, ThatHasLeftItsFirstFolderIsStillKnown) {
  wheel(kOwn, "12.9");
  install_in_other_environments();
  EXPECT_THAT(
      chosen({"/bin/sh", "-c",
              "cd '" + path("venv/bin").string() + "' && exec ./python3 chdir:/ \"$@\"", "sh"}),
      HasSubstr(kOwn));
}

// A conda that the user's shell has activated is another environment than a venv's Python.
TEST_F(Interpreter, OfAVirtualEnvironmentComesBeforeAnActivatedConda) {
  wheel(kOwn, "12.9");
  machine_.conda(cudart, "13.5").put_folder("conda/conda-meta");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr(kOwn));
  std::filesystem::remove_all(path("venv/lib"));
  EXPECT_EQ(chosen({path("venv/bin/python3")}), "none") << "another environment's";
}

// A Jupyter kernel, cron, a container's entry point: nothing is activated.
TEST_F(Interpreter, OfCondaFindsItsPrefixWithoutActivation) {
  machine_.conda(cudart, "12.9").put_folder("conda/conda-meta").env("CONDA_PREFIX", "");
  machine_.put_copy("conda/bin/python3.11", native("host"));
  EXPECT_THAT(chosen({path("conda/bin/python3.11")}), HasSubstr("conda/lib/libcudart.so"));
  wheel("conda/lib/python3.11/site-packages", "11.8");
  EXPECT_THAT(chosen({path("conda/bin/python3.11")}), HasSubstr("conda/lib/python3.11/"));
}

// A real Python tells whether it has them (tests/setups).
TEST_F(Interpreter, HasTheUsersPackages) {
  wheel("base/lib/python3.11/site-packages", "11.8");
  wheel("home/.local/lib/python3.11/site-packages", "12.9");
  const std::string python = path("base/bin/python3.11");
  EXPECT_THAT(chosen({python}), HasSubstr("home/.local/"));
  machine_.env("PYTHONUSERBASE", path("mine"));
  EXPECT_THAT(chosen({python}), HasSubstr("base/lib/"));
  wheel("mine/lib/python3.11/site-packages", "13.5");
  EXPECT_THAT(chosen({python}), HasSubstr("mine/lib/"));
}

TEST_F(Interpreter, HasTheFoldersThatPthFilesAndPythonpathName) {
  wheel("src", "12.9");
  machine_.put_file(Path(kOwn) / "editable.pth", path("src").string() + "\n");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("src/nvidia/"));
  wheel("home/packages", "11.8");
  machine_.env("PYTHONPATH", path("home/packages"));
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("home/packages/nvidia/"));
}

TEST_F(Interpreter, ClosedEnvironment_HasOnlyItsPackages) {
  install_in_other_environments();
  EXPECT_EQ(chosen({path("venv/bin/python3")}), "none");
  virtual_environment("");  // Python's default
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("home/.local/"));
}

// In the order of its sys.path, whatever is newer: import takes the first, too.
TEST_F(Interpreter, EnvironmentWithSystemPackages_HasUserAndBaseToo) {
  virtual_environment("include-system-site-packages = true\n");
  wheel("base/lib/python3.11/site-packages", "13.5");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("base/lib/python3.11/"));
  wheel("home/.local/lib/python3.11/site-packages", "12.9");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("home/.local/lib/python3.11/"));
  wheel(kOwn, "11.8");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr(kOwn));
}

TEST_F(Interpreter, HasOnlyThePackagesOfItsVersion) {
  wheel("base/lib/python3.9/site-packages", "13.5");
  wheel("base/lib/python3.12/site-packages", "13.5");
  wheel("home/.local/lib/python3.9/site-packages", "13.5");
  EXPECT_EQ(chosen({path("base/bin/python3.11")}), "none");
  wheel("home/.local/lib/python3.11/site-packages", "12.9");
  EXPECT_THAT(chosen({path("base/bin/python3.11")}), HasSubstr("home/.local/lib/python3.11/"));
}

// Whatever is imported later brings the packages' own.
TEST_F(Interpreter, HasItsPackagesBeforeLibraryPath) {
  machine_.on_library_path(cudart, "13.5");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr("opt/cudart-13.5"));
  wheel(kOwn, "12.9");
  EXPECT_THAT(chosen({path("venv/bin/python3")}), HasSubstr(kOwn));
  machine_.env("VIRTUAL_ENV", path("venv"));
  EXPECT_THAT(chosen({native("host")}), HasSubstr("opt/cudart-13.5"))
      << "a program that is not a Python";
}

TEST_F(Interpreter, OtherProgram_HasNoPackages) {
  install_in_other_environments();
  EXPECT_EQ(chosen({native("host")}), "none");
}

TEST_F(Interpreter, CalledByItsNameOnly_IsFoundInPath) {
  wheel(kOwn, "12.9");
  machine_.env("PATH", "relative::" + path("venv/bin").string() + ":/usr/bin:/bin");
  EXPECT_THAT(chosen_by_shell("exec python3 \"$@\""), HasSubstr(kOwn));
}

// Above the program's own file, wherever the call by a relative name came from.
TEST_F(Interpreter, CalledByARelativeName_HasTheWheelsBesideIt) {
  REQUIRE_PROGRAM(patched("call_cudart-12"));
  machine_.put_copy("app/bin/call", patched("call_cudart-12"));
  wheel("app", "12.9");
  own_files(path("app"));
  for (const char* how :
       {"cd ../app && exec ./bin/call \"$@\"", "cd ../app/bin && exec ./call \"$@\"",
        "PATH=../app/bin && export PATH && exec call \"$@\""}) {
    const ProcessResult result =
        machine_.run({"/bin/sh", "-c", how, "sh", "peek", "loaded:libcudart.so"});
    EXPECT_THAT(answer(result, "loaded"), HasSubstr("/app/nvidia/")) << how << result.describe();
  }
}

// ---- a real Python

// Its version ("3.11") and its file, by its own account.
std::vector<std::string> describe_python() {
  const ProcessResult result =
      Machine().run({python(), "-c",
                     "import os, sys; print('%d.%d' % sys.version_info[:2]);"
                     "print(os.path.realpath(sys.executable)); print(sys.base_prefix)"});
  return answers(result);
}

TEST_F(Interpreter, ThatIsARealPythonUsesItsEnvironmentsWheels) {
  const std::vector<std::string> about = describe_python();
  ASSERT_EQ(about.size(), 3u) << about[0];
  const std::string version = about[0], own = "real/lib/python" + version + "/site-packages";
  machine_.put_link("real/bin/python3", about[1]);
  machine_.put_file("real/pyvenv.cfg",
                    "home = " + Path(about[1]).parent_path().string() + "\nversion = " + version);
  wheel(own, "12.9");
  wheel("home/.local/lib/python3.9/site-packages", "13.5");
  wheel("home/.local/lib/python" + version + "/site-packages", "13.5");
  const std::string script =
      "import ctypes, sys\n"
      "ctypes.CDLL(sys.argv[1]).cudaPeekAtLastError()\n"
      "maps = {line.split()[-1] for line in open('/proc/self/maps') if '/libcudart.so' in line}\n"
      "print('loaded:', *maps)\n";
  const auto run = [&](std::vector<std::string> command) {
    for (const std::string& part : {std::string("-c"), script, stub("cudart").string()}) {
      command.push_back(part);
    }
    return machine_.run(command);
  };
  ProcessResult result = run({path("real/bin/python3")});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr(own)) << result.describe();
  machine_.env("PATH", path("real/bin").string() + ":/usr/bin:/bin");
  result = run({"/bin/sh", "-c", "exec python3 \"$@\"", "sh"});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr(own)) << result.describe();
}

// Debian keeps what its administrator installs for /usr/bin/python3 under /usr/local. No test
// writes there: that the folder is looked into is all that can be seen.
TEST_F(Interpreter, OfTheDistributionHasThePackagesOfUsrLocalToo) {
  const Path system_python = "/usr/bin/python3";
  if (strace().empty()) GTEST_SKIP() << "strace is neither installed nor fetched";
  if (!std::filesystem::exists(system_python)) GTEST_SKIP() << "/usr/bin/python3 does not exist";
  if (!std::filesystem::is_directory("/usr/local/lib")) GTEST_SKIP() << "no /usr/local/lib here";
  const ProcessResult result = machine_.run(
      {strace(), "-f", "-qq", "-e", "trace=%file", "-o", path("trace"), system_python, "-c",
       "import ctypes, sys; ctypes.CDLL(sys.argv[1]).cudaPeekAtLastError()", stub("cudart")});
  if (!result.ok()) GTEST_SKIP() << "strace does not work here: " << result.describe();
  EXPECT_THAT(content(path("trace")),
              ::testing::ContainsRegex("\"/usr/local/lib\", [A-Z_|]*O_DIRECTORY"));
}

}  // namespace
}  // namespace anycuda::test
