// SPDX-License-Identifier: Apache-2.0

// Only an examined file is opened, and kept only if its content fits; and the files on a program's
// own run paths.
#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real.h"
#include "support/install.h"

namespace anycuda::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Opened : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
    REQUIRE_PROGRAM(patched("call_cudart-12"));
  }
  ProcessResult call(std::vector<std::string> steps) {
    steps.insert(steps.begin(), program_);
    return machine_.run(steps);
  }
  // The runtime that the program gets, below the machine's root.
  std::string chosen() {
    const ProcessResult result = call({"peek", "loaded:libcudart"});
    error_ = result.err;
    const std::string found = answer(result, "loaded");
    const std::string root = machine_.root().string() + "/";
    return found.rfind(root, 0) == 0 ? found.substr(root.size()) : found;
  }
  Path path(const std::string& name) const { return machine_.root() / name; }
  // A runtime of `release` whose SONAME and symbol versions are those of another major.
  void put_liar(const std::string& name, const std::string& release, const std::string& from,
                const std::string& to) {
    std::string bytes = content(library_of(cudart, release));
    for (std::size_t at = bytes.find(from); at != std::string::npos;
         at = bytes.find(from, at + 1)) {
      bytes.replace(at, to.size(), to);
    }
    machine_.put_file(name, bytes);
  }
  // Puts the program into the folder app/bin, with a run path.
  void with_run_path(const std::string& run_path, bool rpath) {
    program_ = path("app/bin/call");
    machine_.put_copy(program_, patched("call_cudart-12"));
    const std::string whole = stub("cudart").parent_path().string() + ":" + run_path;
    patch_elf(program_, {"--remove-rpath"});
    std::vector<std::string> options = {"--set-rpath", whole};
    if (rpath) options.insert(options.begin(), "--force-rpath");
    patch_elf(program_, options);
  }

  Machine machine_;
  std::string program_ = patched("call_cudart-12");
  std::string error_;
};

#if defined(__x86_64__)
constexpr char kLib[] = "lib/x86_64-linux-gnu";
#else
constexpr char kLib[] = "lib/aarch64-linux-gnu";
#endif

// Which functions the dynamic linker bound while it opened a runtime of this release.
class Bound : public Opened, public ::testing::WithParamInterface<const char*> {};

// Of the functions that a runtime calls, hardly one is called by the first call. All are in libc,
// except those of a runtime of 13, which needs libstdc++ and others.
TEST_P(Bound, LazilyWhereLibcHasAllFunctions) {
  if (std::string(gnu_get_libc_version()) < "2.34") GTEST_SKIP() << "libc is older than 2.34";
  const std::string release = GetParam();
  machine_.env("ANYCUDA_CUDART", library_of(cudart, release)).env("LD_DEBUG", "bindings");
  const ProcessResult result = call({"peek"});
  ASSERT_TRUE(result.ok()) << result.describe();
  const bool at_once = release == "13.5";
  for (const char* function : {"shmat", "nftw"}) {
    const std::string bound = "normal symbol `" + std::string(function) + "'";
    EXPECT_EQ(result.err.find(bound) != std::string::npos, at_once) << function;
  }
}

INSTANTIATE_TEST_SUITE_P(Opened, Bound, ::testing::Values("11.8", "12.9", "13.5"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name.replace(name.find('.'), 1, "_");
                           return "Cuda" + name;
                         });

// Bound lazily, it would end the program when it first calls that function.
TEST_F(Opened, FunctionThatNoLibraryHas_IsRefusedAndTheNextIsOpened) {
  std::string bytes = content(library_of(cudart, "12.9"));
  const std::string name = std::string("\0shmat\0", 7);
  ASSERT_NE(bytes.find(name), std::string::npos);
  bytes.replace(bytes.find(name), name.size(), std::string("\0shmbt\0", 7));
  machine_.put_file("broken/libcudart.so.12", bytes);
  machine_.library_path(path("broken")).toolkit(cudart, "12.4");
  EXPECT_THAT(chosen(), HasSubstr("usr/local/cuda"));
  machine_.env("ANYCUDA_CUDART", path("broken/libcudart.so.12"));
  EXPECT_EQ(chosen(), "none");
  EXPECT_THAT(error_, HasSubstr("undefined symbol: shmbt"));
}

// dlopen() replaces $LIB: what it would open is what must be examined.
TEST_F(Opened, TokenInAVariable_ExpandedFileIsExamined) {
  machine_.put_copy("opt/$LIB/libcudart.so.12", library_of(cudart, "12.9"));
  machine_.put_copy(Path("opt") / kLib / "libcudart.so.12", library_of(cudart, "13.5"));
  machine_.env("ANYCUDA_CUDART", path("opt/$LIB/libcudart.so.12"));
  EXPECT_EQ(chosen(), std::string("opt/") + kLib + "/libcudart.so.12");
  machine_.env("ANYCUDA_CROSS_MAJOR", "reject");
  EXPECT_EQ(chosen(), "none");
  EXPECT_THAT(error_, HasSubstr("of CUDA 13"));
}

TEST_F(Opened, ATokenInLibraryPathIsReplacedToo) {
  machine_.put_copy("opt/$LIB/libcudart.so.12", library_of(cudart, "12.9"));
  machine_.put_copy(Path("opt") / kLib / "libcudart.so.11.0", library_of(cudart, "11.8"));
  machine_.env("LD_LIBRARY_PATH", path("opt/${LIB}"));
  EXPECT_EQ(chosen(), std::string("opt/") + kLib + "/libcudart.so.11.0");
}

// In every kind of path, and nothing that only begins like a token.
TEST_F(Opened, EveryTokenIsReplacedAsTheDynamicLinkerDoes) {
  const std::string platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  for (const std::string& folder : {"opt/" + platform, std::string("opt/") + kLib + "x",
                                    std::string("opt/$LIBx"), std::string("app/lib")}) {
    machine_.put_copy(folder + "/libcudart.so.12", library_of(cudart, "12.9"));
  }
  with_run_path("/nowhere", false);
  const std::string opt = path("opt").string() + "/";
  const std::vector<std::pair<std::string, std::string>> entries = {
      {opt + "$PLATFORM", "opt/" + platform},
      {opt + "${LIB}x", std::string("opt/") + kLib + "x"},
      {opt + "$LIBx", "opt/$LIBx"},
      {"$ORIGIN/../lib", "app/bin/../lib"},
      {"${ORIGIN}/../lib", "app/bin/../lib"}};
  for (const auto& [entry, folder] : entries) {
    machine_.env("LD_LIBRARY_PATH", entry);
    EXPECT_EQ(chosen(), folder + "/libcudart.so.12") << entry;
  }
  machine_.env("LD_LIBRARY_PATH", "");
  for (const auto& [entry, folder] : entries) {
    with_run_path(entry, true);
    EXPECT_EQ(chosen(), folder + "/libcudart.so.12") << entry;
  }
  with_run_path("/nowhere", false);
  for (std::size_t i = 0; i < 3; ++i) {
    machine_.env("ANYCUDA_CUDART", entries[i].first + "/libcudart.so.12");
    EXPECT_EQ(chosen(), entries[i].second + "/libcudart.so.12") << entries[i].first;
  }
}

// The next environment is used, and not what dlopen() would make of the name.
TEST_F(Opened, EnvironmentNamedLikeATokenIsPassedOver) {
  for (const char* lib : {"$LIB", kLib}) {
    const Path folder = Path("opt") / lib;
    install_wheel(Artifacts::of_this_build().folder("cudart-13.5"), path(folder));
    install_wheel(Artifacts::of_this_build().folder("cudart-13.5"),
                  path(folder / "lib/python3.11/site-packages"));
    machine_.put_copy(folder / "lib/libcudart.so.13", library_of(cudart, "13.5"));
  }
  machine_.toolkit(cudart, "11.8");
  for (const char* variable : {"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH"}) {
    machine_.env(variable, path("opt/$LIB"));
    EXPECT_EQ(chosen(), "usr/local/cuda/lib64/libcudart.so.11.0") << variable;
    machine_.env(variable, path("opt") / kLib);
    EXPECT_THAT(chosen(), HasSubstr("libcudart.so.13")) << variable;
    machine_.env(variable, "");
  }
}

TEST_F(Opened, AFolderThatIsCalledLikeATokenIsRefused) {
  machine_.put_copy("$LIB/lib64/libcudart.so.12", library_of(cudart, "12.9"));
  machine_.put_copy(Path(kLib) / "lib64/libcudart.so.12", library_of(cudart, "13.5"));
  machine_.env("CUDA_HOME", path("$LIB"));
  EXPECT_EQ(chosen(), "none");
  EXPECT_THAT(error_, HasSubstr("dlopen() replaces the $ in its path"));
}

TEST_F(Opened, ARuntimeThatReportsAnotherMajorIsClosedAgain) {
  put_liar("opt/libcudart.so.13", "12.9", "libcudart.so.12", "libcudart.so.13");
  machine_.library_path("opt").toolkit(cudart, "11.8");
  EXPECT_EQ(chosen(), "usr/local/cuda/lib64/libcudart.so.11.0");
  machine_.remove("usr/local/cuda").remove("usr/local/cuda-11.8");
  EXPECT_EQ(chosen(), "none");
  EXPECT_THAT(error_, HasSubstr("its SONAME says CUDA 13, but the library reports CUDA 12.9"));
}

// NVRTC, of which a process may have several.
TEST_F(Opened, ARefusedFileThatTheUserNamesIsNotReplacedByALoadedOne) {
  REQUIRE_ARTIFACT("nvrtc-12.9");
  REQUIRE_PROGRAM(patched("call_nvrtc-12"));
  program_ = patched("call_nvrtc-12");
  const std::string loaded = library_of(nvrtc, "12.9");
  EXPECT_EQ(answer(call({"open:" + loaded, "version"}), "version"), "0 12.9");
  std::string bytes = content(loaded);
  const std::string name = "libnvrtc.so.12";
  for (std::size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + 1)) {
    bytes.replace(at, name.size(), "libnvrtc.so.13");
  }
  machine_.put_file("opt/libnvrtc.so.13", bytes);
  machine_.env("ANYCUDA_NVRTC", path("opt/libnvrtc.so.13"));
  const ProcessResult result = call({"open:" + loaded, "version"});
  EXPECT_EQ(answer(result, "version"), "11 0.0") << result.describe();
  EXPECT_THAT(result.err, HasSubstr("its SONAME says CUDA 13, but the library reports CUDA 12.9"));
}

TEST_F(Opened, WhereOneCannotBeClosedNoOtherIsOpened) {
  put_liar("opt/libcudart.so.13", "12.9", "libcudart.so.12", "libcudart.so.13");
  std::string bytes = content(path("opt/libcudart.so.13"));
  // DT_RELACOUNT, which only saves time, becomes a DT_FLAGS_1 with DF_1_NODELETE.
  const std::size_t at = bytes.find(std::string("\xf9\xff\xff\x6f\0\0\0\0", 8));
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 16, std::string("\xfb\xff\xff\x6f\0\0\0\0\x08\0\0\0\0\0\0\0", 16));
  machine_.put_file("opt/libcudart.so.13", bytes);
  machine_.library_path("opt").toolkit(cudart, "11.8");
  EXPECT_EQ(chosen(), "opt/libcudart.so.13") << "loaded, and not used";
  EXPECT_THAT(error_, HasSubstr("reports CUDA 12.9; it cannot be closed again"));
}

// The two differ only in their names: both are of CUDA 13.5.
TEST_F(Opened, FileReplacedBeforeOpeningIsClosedAgain) {
  machine_.put_copy("opt/examined", library_of(cudart, "13.5"));
  machine_.put_copy("opt/opened", library_of(cudart, "13.5"));
  const std::string link = path("opt/libcudart.so.13");
  const auto chosen_after_exchange = [&](const std::string& target) {
    std::filesystem::remove(link);
    machine_.put_link("opt/libcudart.so.13", path("opt/examined"));
    machine_.env("SWAP_TARGET", path("opt/" + target));
    return chosen();
  };
  machine_.library_path("opt").toolkit(cudart, "12.9");
  machine_.preload(fake("swap")).env("SWAP_LINK", link);
  EXPECT_EQ(chosen_after_exchange("examined"), "opt/libcudart.so.13");
  EXPECT_EQ(chosen_after_exchange("opened"), "usr/local/cuda/lib64/libcudart.so.12");
  machine_.remove("usr/local/cuda").remove("usr/local/cuda-12.9");
  EXPECT_EQ(chosen_after_exchange("opened"), "none");
  EXPECT_THAT(error_, HasSubstr("the dynamic linker opened another file for it, " + link));
}

// ---- run paths

TEST_F(Opened, CallersRpathComesBeforeLibraryPath) {
  machine_.on_library_path(cudart, "13.5");
  machine_.put_copy("app/lib/libcudart.so.11.0", library_of(cudart, "11.8"));
  with_run_path("$ORIGIN/../lib", true);
  EXPECT_EQ(chosen(), "app/bin/../lib/libcudart.so.11.0");
}

TEST_F(Opened, TheCallersRunpathComesAfterLibraryPath) {
  machine_.on_library_path(cudart, "11.8").toolkit(cudart, "13.5");
  machine_.put_copy("app/lib/libcudart.so.12", library_of(cudart, "12.9"));
  with_run_path("/nowhere:${ORIGIN}/../lib", false);
  EXPECT_EQ(chosen(), "opt/cudart-11.8/libcudart.so.11.0");
  machine_.env("LD_LIBRARY_PATH", "");
  EXPECT_EQ(chosen(), "app/bin/../lib/libcudart.so.12");
}

// A Spack view, or /usr/local/bin: $ORIGIN is the folder of the file that runs.
TEST_F(Opened, ARunPathIsTheFilesAndNotTheLinks) {
  machine_.put_copy("app/lib/libcudart.so.12", library_of(cudart, "12.9"));
  with_run_path("$ORIGIN/../lib", false);
  machine_.put_link("bin/tool", program_);
  program_ = path("bin/tool");
  EXPECT_EQ(chosen(), "app/bin/../lib/libcudart.so.12");
}

// The user names the folder: its mode does not matter, although the program is below it.
TEST_F(Opened, AGuessedFolderCountsWhereAVariableNamesIt) {
  program_ = path("app/bin/call");
  machine_.put_copy(program_, patched("call_cudart-12"));
  install_wheel(Artifacts::of_this_build().folder("cudart-12.9"), path("app"));
  machine_.chmod("app/nvidia", 0777);
  EXPECT_EQ(chosen(), "none");
  machine_.env("PYTHONPATH", path("app"));
  EXPECT_THAT(chosen(), HasSubstr("app/nvidia/cuda_runtime"));
}

TEST_F(Opened, ARelativeRunPathIsNotSearched) {
  machine_.put_copy("home/libcudart.so.12", library_of(cudart, "12.9"));
  with_run_path(".::relative:$ORIGI/lib", true);
  EXPECT_EQ(chosen(), "none");
}

// ---- no code of other users

// /home is root's; nvidia is a user.
TEST_F(Opened, AnotherUsersFolderAboveTheProgramIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  machine_.put_copy("homes/me/bin/call", patched("call_cudart-12"));
  install_wheel(Artifacts::of_this_build().folder("cudart-12.9"), path("homes"));
  own_files(path("homes"));
  program_ = path("homes/me/bin/call");
  EXPECT_THAT(chosen(), HasSubstr("homes/nvidia/cuda_runtime"));
  ASSERT_EQ(chown(path("homes/nvidia").c_str(), 12345, 12345), 0);
  EXPECT_EQ(chosen(), "none");
  EXPECT_THAT(error_, AllOf(HasSubstr("homes/nvidia"), HasSubstr("another user can change it")));
}

}  // namespace
}  // namespace anycuda::test
