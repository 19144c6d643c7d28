// SPDX-License-Identifier: Apache-2.0

// The test environment itself, on which every other test depends.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "support/case_names.h"
#include "support/elf_file.h"
#include "support/machine.h"

namespace anycuda::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

ProcessResult shell(const std::string& script, seconds timeout = seconds(30)) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.timeout = timeout;
  return run_process(spec);
}

fs::path cached_cudart(const std::string& version) {
  const fs::path artifact = Artifacts::of_this_build().folder("cudart-" + version);
  for (const auto& entry : fs::recursive_directory_iterator(artifact)) {
    if (entry.path().filename().string().rfind("libcudart.so.", 0) == 0) return entry.path();
  }
  return {};
}

TEST(Process, KeepsBothOutputsAndTheExitStatus) {
  const ProcessResult result = shell("echo one; echo two >&2; exit 7");
  EXPECT_EQ(result.out, "one\n");
  EXPECT_EQ(result.err, "two\n");
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.signal, 0);
}

TEST(Process, KeepsLongOutputsOfBothKindsWithoutBlocking) {
  const ProcessResult result =
      shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; head -c 9 /dev/zero");
  EXPECT_EQ(result.out.size(), 300009u);
  EXPECT_EQ(result.err.size(), 300000u);
}

TEST(Process, ReportsTheSignal) {
  const ProcessResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.status, -1);
}

TEST(Process, EndsAtItsTimeLimitWithItsChildren) {
  const ProcessResult result = shell("sleep 1000 & sleep 1000; wait", seconds(1));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(Process, ThatCannotStartIsAnError) {
  ProcessSpec spec;
  spec.argv = {"/nonexistent/program"};
  EXPECT_THROW(run_process(spec), std::runtime_error);
}

TEST(Artifacts, SayWhyOneIsMissing) {
  const Artifacts artifacts(
      {{"driver-535", {"", "no Debian here"}}, {"gone", {"/nonexistent", ""}}});
  EXPECT_NE(artifacts.why_missing("driver-535").find("no Debian here"), std::string::npos);
  EXPECT_NE(artifacts.why_missing("gone").find("configure again"), std::string::npos);
  EXPECT_NE(artifacts.why_missing("other").find("not in this build"), std::string::npos);
  EXPECT_THROW(artifacts.folder("driver-535"), MissingArtifact);
  EXPECT_TRUE(artifacts.names("").empty());
}

// For such a program the dynamic linker takes LD_AUDIT and its like out of the environment
// (ld.so(8)).
TEST(Process, SecureSetsAtSecure) {
  for (const bool secure : {false, true}) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", "printenv LD_AUDIT; printenv KEPT"};
    spec.env = {{"PATH", "/usr/bin:/bin"}, {"LD_AUDIT", ""}, {"KEPT", "yes"}};
    spec.secure = secure;
    EXPECT_EQ(run_process(spec).out, secure ? "yes\n" : "\nyes\n");
  }
  ProcessSpec missing;
  missing.argv = {"/nowhere"};
  missing.secure = true;
  EXPECT_THROW(run_process(missing), std::runtime_error);
}

// ---- the tests' world: README.md

std::string in_world(const std::string& script, const Environment& caller,
                     const std::string& hidden = "/nowhere") {
  ProcessSpec spec;
  spec.argv = {WORLD_LAUNCHER, WORLD_FOLDER, "--hide", hidden, "GIVEN=a b",
               "--",           "/bin/sh",    "-c",     script};
  spec.env = caller;
  const ProcessResult result = run_process(spec);
  EXPECT_EQ(result.status, 0) << result.describe();
  return result.out;
}

TEST(World, HidesCallersEnvironment) {
  const Environment caller = {{"CUDA_HOME", "/x"},      {"LD_LIBRARY_PATH", "/x"},
                              {"PYTHONPATH", "/x"},     {"ANYCUDA_CUDART", "/x"},
                              {"CONDA_PREFIX", "/x"},   {"VIRTUAL_ENV", "/x"},
                              {"XDG_CACHE_HOME", "/x"}, {"HOME", "/x"},
                              {"PATH", "/x"},           {"ANYCUDA_KEEP_MACHINES", "1"}};
  const std::string seen =
      in_world("export -p | sed 's/^export //; s/=.*//' | sort | tr '\\n' ' '", caller);
  EXPECT_EQ(seen.find("CUDA_HOME"), std::string::npos) << seen;
  for (const char* name : {"LD_LIBRARY_PATH", "PYTHONPATH", "ANYCUDA_CUDART", "CONDA_PREFIX",
                           "VIRTUAL_ENV", "XDG_CACHE_HOME"}) {
    EXPECT_EQ(seen.find(name), std::string::npos) << seen;
  }
  EXPECT_NE(seen.find("ANYCUDA_KEEP_MACHINES"), std::string::npos) << seen;
  EXPECT_EQ(in_world("echo \"$GIVEN|$HOME\"", caller), "a b|" WORLD_FOLDER "/home\n");
}

// Of this test, too, which ctest has started as it starts all of GoogleTest's.
TEST(World, IsEveryTests) {
  EXPECT_STREQ(getenv("HOME"), WORLD_FOLDER "/home");
  for (const char* name :
       {"CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CONDA_PREFIX", "PYTHONPATH"}) {
    EXPECT_EQ(getenv(name), nullptr) << name;
  }
}

// As it does the folders with CUDA of this computer. A container's root may lack the right.
TEST(World, RootHidesFolders) {
  Machine machine;
  machine.put_file("opt/cuda/there", "");
  const bool may_hide = geteuid() == 0 && shell("/usr/bin/unshare --mount true").status == 0;
  EXPECT_EQ(in_world("ls '" + machine.resolve("opt/cuda").string() + "'", {},
                     machine.resolve("opt/*").string()),
            may_hide ? "" : "there\n");
}

// Root builds where the sources are, and that may be the private folder of another user.
TEST(WithoutRights, ReachesANeededFolderAndNoClosedFile) {
  Machine machine;
  machine.put_file("private/needed/open", "seen").put_file("private/needed/closed", "");
  machine.put_file("private/other", "").chmod("private/needed/closed", 0);
  const fs::path home = machine.resolve("private"), needed = home / "needed";
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(chown(home.c_str(), 1000, 1000), 0) << strerror(errno);
    machine.chmod("private", 0700);
  }
  ProcessSpec spec;
  spec.argv = {WORLD_FOLDER "/anycuda_without_rights",   needed, "--", "/bin/sh", "-c",
               "cd \"$0\"; cat open; cat closed; ls ..", needed};
  const ProcessResult result = run_process(spec);
  const bool may_mount = root && shell("/usr/bin/unshare --mount true").status == 0;
  if (!root || may_mount) {
    EXPECT_EQ(result.out, root ? "seenneeded\n" : "seenneeded\nother\n") << result.describe();
  }
  EXPECT_NE(result.err.find("Permission denied"), std::string::npos) << result.describe();
}

TEST(Machine, ShowsProgramsOnlyItsOwnEnvironment) {
  setenv("CUDA_HOME", "/of/this/shell", 1);
  Machine machine;
  machine.env("ANYCUDA_LOG", "debug");
  const ProcessResult result = machine.run({"/usr/bin/env"});
  unsetenv("CUDA_HOME");
  EXPECT_EQ(result.out.find("CUDA_HOME"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("ANYCUDA_LOG=debug\n"), std::string::npos);
  EXPECT_NE(result.out.find("ANYCUDA_SYSTEM_ROOT=" + machine.root().string() + "\n"),
            std::string::npos);
}

TEST(Machine, IsDeletedEvenWithoutRights) {
  fs::path root;
  {
    Machine machine;
    root = machine.root();
    machine.put_file("a/b/file", "x").chmod("a/b", 0);
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST(Machine, HasWheelsWherePipPutsThem) {
  Machine machine;
  machine.wheel(cudart, "12.9").wheel(cudart, "13.5");
  EXPECT_TRUE(
      fs::is_regular_file(machine.site_packages() / "nvidia/cuda_runtime/lib/libcudart.so.12"));
  EXPECT_TRUE(fs::is_regular_file(machine.site_packages() / "nvidia/cu13/lib/libcudart.so.13"));
  int packages = 0;
  for (const auto& entry : fs::directory_iterator(machine.site_packages())) {
    if (entry.path().extension() != ".dist-info") continue;
    ++packages;
    EXPECT_NE(content(entry.path() / "RECORD").find("/lib/libcudart.so."), std::string::npos);
    EXPECT_NE(content(entry.path() / "METADATA").find("\nVersion: 1"), std::string::npos);
  }
  EXPECT_EQ(packages, 2);
  EXPECT_EQ(machine.environment().at("VIRTUAL_ENV"), (machine.root() / "venv").string());
  EXPECT_EQ(machine.environment().count("LD_LIBRARY_PATH"), 0u);
}

TEST(Machine, HasToolkitsWithNvidiasChainOfLinks) {
  Machine machine;
  machine.toolkit(cudart, "12.9");
  const fs::path libraries = machine.root() / "usr/local/cuda/lib64";
  EXPECT_EQ(fs::read_symlink(libraries / "libcudart.so"), "libcudart.so.12");
  const fs::path file = fs::read_symlink(libraries / "libcudart.so.12");
  EXPECT_EQ(file.string().rfind("libcudart.so.12.9.", 0), 0u) << file;
  EXPECT_EQ(ElfFile::read(libraries / "libcudart.so").soname, "libcudart.so.12");
}

TEST(Machine, BreakingAFile_LeavesTheCacheUnchanged) {
  const fs::path cached = cached_cudart("12.9");
  const auto size = fs::file_size(cached);
  const auto rights = fs::status(cached).permissions();
  Machine machine;
  machine.wheel(cudart, "12.9");
  const fs::path file = machine.site_packages() / "nvidia/cuda_runtime/lib/libcudart.so.12";
  machine.truncate(file, 100);
  EXPECT_EQ(fs::file_size(file), 100u);
  machine.wheel(cudart, "12.9").chmod(file, 0);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::none);
  machine.wheel(cudart, "12.9").put_file(file, "not a library");
  EXPECT_EQ(content(file), "not a library");
  EXPECT_EQ(fs::file_size(cached), size);
  EXPECT_EQ(fs::status(cached).permissions(), rights);
}

TEST(Machine, MissingArtifact_IsReported) {
  Machine machine;
  EXPECT_THROW(machine.wheel(cudart, "99.9"), MissingArtifact);
}

TEST(ElfFile, ReadsARealRuntime) {
  const ElfFile file = ElfFile::read(cached_cudart("12.9"));
  EXPECT_EQ(file.soname, "libcudart.so.12");
  EXPECT_EQ(file.version_definitions, std::vector<std::string>{"libcudart.so.12"});
  EXPECT_EQ(file.exported_versioned_names().count("cudaMalloc@libcudart.so.12"), 1u);
  EXPECT_EQ(file.exported_names().count("libcudart.so.12"), 0u);
  for (const ElfSymbol& symbol : file.exports) EXPECT_TRUE(symbol.is_default) << symbol.name;
}

TEST(ElfFile, RefusesOtherFiles) {
  Machine machine;
  machine.wheel(cudart, "12.9").put_file("text", "no library").put_file("empty", "");
  const fs::path cut = machine.site_packages() / "nvidia/cuda_runtime/lib/libcudart.so.12";
  machine.truncate(cut, 5000);
  EXPECT_THROW(ElfFile::read(machine.root() / "text"), std::runtime_error);
  EXPECT_THROW(ElfFile::read(machine.root() / "empty"), std::runtime_error);
  EXPECT_THROW(ElfFile::read(machine.root() / "missing"), std::runtime_error);
  EXPECT_THROW(ElfFile::read(cut), std::runtime_error);
}

TEST(CaseName, HasLettersDigitsAndSingleGaps) {
  EXPECT_EQ(case_name("driver 535, nvJitLink 12.9"), "driver_535_nvJitLink_12_9");
  EXPECT_EQ(case_name("\"LD_LIBRARY_PATH\""), "LD_LIBRARY_PATH");
  EXPECT_EQ(case_name("Exec::update"), "Exec_update");
  EXPECT_EQ(case_name("--"), "");
}

}  // namespace
}  // namespace anycuda::test
