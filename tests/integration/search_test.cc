// SPDX-License-Identifier: Apache-2.0

// Which runtime a program gets, by the machine and what is installed on it.
#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Search : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
    REQUIRE_PROGRAM(patched("call_cudart-12"));
    machine_.env("ANYCUDA_LOG", "debug");
  }

  ProcessResult call(std::vector<std::string> steps) {
    steps.insert(steps.begin(), patched("call_cudart-12"));
    return machine_.run(steps);
  }
  // The runtime that the first call has loaded, below the machine's root.
  std::string chosen() {
    const ProcessResult result = call({"peek", "loaded:libcudart"});
    const std::string path = answer(result, "loaded");
    const std::string root = machine_.root().string() + "/";
    return path.rfind(root, 0) == 0 ? path.substr(root.size()) : path;
  }

  Machine machine_;
};

TEST_F(Search, LibraryPathWinsOverPythonPackages) {
  machine_.on_library_path(cudart, "11.8").wheel(cudart, "13.5");
  EXPECT_EQ(chosen(), "opt/cudart-11.8/libcudart.so.11.0");
}

TEST_F(Search, PythonPackagesWinOverCudaHome) {
  machine_.wheel(cudart, "11.8").toolkit(cudart, "13.5");
  machine_.env("CUDA_HOME", machine_.root() / "usr/local/cuda-13.5");
  EXPECT_THAT(chosen(), HasSubstr("site-packages/nvidia/cuda_runtime/lib/libcudart.so.11.0"));
}

TEST_F(Search, CondaWinsOverCudaHome) {
  machine_.conda(cudart, "11.8").toolkit(cudart, "13.5");
  machine_.env("CUDA_HOME", machine_.root() / "usr/local/cuda-13.5");
  EXPECT_THAT(chosen(), HasSubstr("conda/lib/libcudart.so"));
}

TEST_F(Search, CudaHomeWinsOverTheSystem) {
  machine_.toolkit(cudart, "13.5");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    Machine machine;
    machine.toolkit(cudart, "13.5").toolkit(cudart, "11.8");
    std::filesystem::rename(machine.root() / "usr/local/cuda-11.8", machine.root() / "opt");
    machine.env(variable, machine.root() / "opt");
    const ProcessResult result =
        machine.run({patched("call_cudart-12"), "peek", "loaded:libcudart.so"});
    EXPECT_THAT(answer(result, "loaded"), HasSubstr("/opt/")) << variable << result.describe();
  }
}

TEST_F(Search, CudaPathBeforeANewerCudaHome_WarnsOnce) {
  machine_.toolkit(cudart, "13.5").toolkit(cudart, "11.8").env("ANYCUDA_LOG", "warn");
  machine_.env("CUDA_PATH", machine_.root() / "usr/local/cuda-11.8");
  machine_.env("CUDA_HOME", machine_.root() / "usr/local/cuda-13.5");
  const ProcessResult result = call({"peek", "count", "loaded:libcudart.so"});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("/usr/local/cuda-11.8/"));
  const std::string warning = "name different toolkits: CUDA_PATH goes first";
  const std::size_t at = result.err.find(warning);
  ASSERT_NE(at, std::string::npos) << result.describe();
  EXPECT_EQ(result.err.find(warning, at + 1), std::string::npos) << result.describe();
}

TEST_F(Search, ToolkitsOfTheSystemAreFound) {
  machine_.toolkit(cudart, "12.9");
  EXPECT_THAT(chosen(), HasSubstr("usr/local/cuda"));
}

TEST_F(Search, TheDistributionsRuntimeIsFound) {
  machine_.distribution(cudart, "11.8");
  EXPECT_THAT(chosen(), HasSubstr("usr/lib/x86_64-linux-gnu/libcudart.so"));
}

TEST_F(Search, TheNewestOfThePythonPackagesWins) {
  machine_.wheel(cudart, "11.8").wheel(cudart, "13.5").wheel(cudart, "12.9");
  EXPECT_THAT(chosen(), HasSubstr("nvidia/cu13/lib/libcudart.so.13"));
}

TEST_F(Search, TheNewestOfTheLibraryPathWinsWhateverItsOrder) {
  machine_.on_library_path(cudart, "12.9").on_library_path(cudart, "13.5");
  machine_.on_library_path(cudart, "11.8");
  EXPECT_THAT(chosen(), HasSubstr("opt/cudart-13.5/"));
}

TEST_F(Search, TheNewestMinorOfTheSystemWins) {
  REQUIRE_ARTIFACT("cudart-12.1");
  machine_.toolkit(cudart, "12.9").toolkit(cudart, "12.1");  // usr/local/cuda is 12.1
  EXPECT_THAT(chosen(), HasSubstr("usr/local/cuda-12.9/"));
}

TEST_F(Search, UnnumberedLibcudartSoIsUsedByItsKnownVersion) {
  machine_.put_copy("opt/libcudart.so", library_of(cudart, "12.9")).library_path("opt");
  EXPECT_EQ(chosen(), "opt/libcudart.so");
}

TEST_F(Search, TheVariableWinsOverEverything) {
  machine_.on_library_path(cudart, "13.5").toolkit(cudart, "11.8");
  const Path file = machine_.root() / "usr/local/cuda/lib64/libcudart.so.11.0";
  machine_.env("ANYCUDA_CUDART", file);
  EXPECT_EQ(chosen(), "usr/local/cuda/lib64/libcudart.so.11.0");
}

TEST_F(Search, AFileOfTheVariableIsRefusedAndNeverReplaced) {
  machine_.on_library_path(cudart, "13.5");
  machine_.put_file("opt/libcudart.so.12", "not a library");
  struct Row {
    const char* file;
    const char* reason;
  };
  for (const Row& row : {Row{"opt/libcudart.so.12", "not an ELF shared library"},
                         Row{"opt/missing.so", "no such file"}, Row{"opt", "not a regular file"}}) {
    machine_.env("ANYCUDA_CUDART", machine_.root() / row.file);
    const ProcessResult result = call({"count", "loaded:libcudart"});
    EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "loaded: none"));
    EXPECT_THAT(result.err, HasSubstr((machine_.root() / row.file).string() + ": " + row.reason));
  }
}

TEST_F(Search, NamedFileIsNotSearchedInTheCurrentFolder) {
  machine_.put_copy("home/libcudart.so.12", library_of(cudart, "12.9"));
  for (const char* file : {"libcudart.so.12", "./libcudart.so.12"}) {
    machine_.env("ANYCUDA_CUDART", file);
    const ProcessResult result = call({"count", "loaded:libcudart"});
    EXPECT_THAT(answers(result), ElementsAre("count: 35 0", "loaded: none"));
    EXPECT_THAT(result.err, HasSubstr(std::string(file) + ": not a full path"));
  }
}

TEST_F(Search, AnotherLibraryInTheVariableIsRefused) {
  REQUIRE_ARTIFACT("nvrtc-12.9");
  machine_.env("ANYCUDA_CUDART", library_of(nvrtc, "12.9"));
  const ProcessResult result = call({"count"});
  EXPECT_EQ(answer(result, "count"), "35 0");
  EXPECT_THAT(result.err, HasSubstr("its SONAME is 'libnvrtc.so.12'"));
}

TEST_F(Search, TheCurrentFolderIsNeverSearched) {
  machine_.put_copy("home/libcudart.so.12", library_of(cudart, "12.9"));
  machine_.put_copy("home/sub/libcudart.so.12", library_of(cudart, "12.9"));
  for (const char* path : {"", ":", "::", ".", "./", "sub", ".:sub:", "sub:/nonexistent:"}) {
    machine_.env("LD_LIBRARY_PATH", path);
    EXPECT_EQ(chosen(), "none") << "LD_LIBRARY_PATH=" << path;
  }
  machine_.env("LD_LIBRARY_PATH", "").env("PYTHONPATH", ".").env("VIRTUAL_ENV", ".");
  machine_.env("CUDA_HOME", ".").env("CUDA_PATH", "sub").env("CONDA_PREFIX", ".");
  machine_.put_copy("home/lib/libcudart.so.12", library_of(cudart, "12.9"));
  machine_.put_copy("home/nvidia/cuda_runtime/lib/libcudart.so.12", library_of(cudart, "12.9"));
  EXPECT_EQ(chosen(), "none");
}

TEST_F(Search, ARuntimeThatTheProcessHasLoadedIsAdopted) {
  machine_.on_library_path(cudart, "13.5");
  const std::string loaded = library_of(cudart, "11.8");
  for (const char* open : {"open:", "open-globally:"}) {
    EXPECT_THAT(answers(call({open + loaded, "driver", "channel", "loaded:libcudart"})),
                ElementsAre(HasSubstr(": yes"), "driver: 0 0", "channel: 8 16 24 32 2 ",
                            "loaded: " + loaded));
  }
}

// auditwheel renames the libraries that it puts into a wheel, and gives them another SONAME.
TEST_F(Search, ARuntimeThatAuditwheelRenamedIsAdopted) {
  REQUIRE_ARTIFACT("cudart-12.0.107");
  machine_.on_library_path(cudart, "13.5");
  const std::string name = "libcudart-5a077122.so.12.0.107";
  const Path copy = machine_.root() / "extension.libs" / name;
  copy_with_soname(library_of(cudart, "12.0.107"), copy, name);
  const ProcessResult result = call({"open:" + copy.string(), "channel", "loaded:libcudart"});
  EXPECT_EQ(answer(result, "channel"), "8 16 24 32 2 ");
  EXPECT_EQ(answer(result, "loaded"), copy) << result.describe();
}

TEST_F(Search, ADropInIsPassedOverWithItsReason) {
  machine_.library_path(dropin_folder()).wheel(cudart, "11.8");
  const ProcessResult result = call({"peek", "channel", "loaded:libcudart.so"});
  EXPECT_THAT(answer(result, "loaded"), HasSubstr("nvidia/cuda_runtime/lib/libcudart.so.11.0"));
  for (const char* name : {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"}) {
    EXPECT_THAT(result.err, ::testing::ContainsRegex(std::string(name) +
                                                     " \\(.*an anycuda stub, not the library"));
  }
}

TEST_F(Search, ADropInThatIsLoadedIsNotAdopted) {
  machine_.wheel(cudart, "12.9");
  const std::string dropin = dropin_folder() / "libcudart.so.13";
  for (const char* open : {"open:", "open-globally:"}) {
    const ProcessResult result = call({open + dropin, "channel", "loaded:libcudart"});
    EXPECT_EQ(answer(result, "channel"), "8 16 24 32 2 ");
    EXPECT_THAT(answer(result, "loaded"), HasSubstr("site-packages")) << result.describe();
  }
}

// Every instance of the stub in a process takes the runtime that the first has opened.
TEST_F(Search, SeveralStubsShareOneRuntime) {
  machine_.wheel(cudart, "12.9").on_library_path(cudart, "11.8");
  machine_.put_copy("wheel/libcudart_stub-1234.so", stub("cudart"));
  const std::string second = machine_.root() / "wheel/libcudart_stub-1234.so";
  const ProcessResult result =
      machine_.run({native("host"), "import:" + stub("cudart").string(), "call:cudaPeekAtLastError",
                    "import:" + second, "call:cudaPeekAtLastError", "loaded:libcudart.so"});
  EXPECT_EQ(answer(result, "loaded"),
            (machine_.root() / "opt/cudart-11.8/libcudart.so.11.0").string())
      << result.describe();
}

TEST_F(Search, AFailureIsNotForEver) {
  const std::string runtime = library_of(cudart, "12.9");
  const ProcessResult result = call({"channel", "count", "open:" + runtime, "channel", "count"});
  EXPECT_THAT(answers(result), ElementsAre("channel: 0 0 0 0 0 ", "count: 35 0", "open: yes",
                                           "channel: 8 16 24 32 2 ", HasSubstr("count: 35")));
}

TEST_F(Search, InstalledAfterAFailure_IsNotSearched) {
  // The disk was searched; only what the process loads can change the answer.
  machine_.put_folder("opt");
  const std::string home = machine_.root() / "opt";
  machine_.library_path("opt");
  const ProcessResult result = call(
      {"channel", "link:" + library_of(cudart, "12.9").string() + "=" + home + "/libcudart.so.12",
       "channel"});
  EXPECT_THAT(answers(result),
              ElementsAre("channel: 0 0 0 0 0 ", "link: yes", "channel: 0 0 0 0 0 "));
}

}  // namespace
}  // namespace anycuda::test
