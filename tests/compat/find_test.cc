// SPDX-License-Identifier: Apache-2.0

// Where components are found, and the order of the search tiers.
#include "anycuda/compat/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/compat/find_machine.h"
#include "tests/support/unit/ld_cache_image.h"

extern "C" unsigned long __getauxval(unsigned long type);

namespace {
bool privileged = false;
}

// Stands before libc's in the order of look-up: a test can be a set-user-ID program.
extern "C" unsigned long getauxval(unsigned long type) {
  return type == AT_SECURE && privileged ? 1 : __getauxval(type);
}

namespace anycuda::compat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Find = FinderTest;

TEST_F(Find, OrderIsWheelsCondaCudaPathCudaHomeSystem) {
  lead("PYTHONPATH", "site");
  lead("CONDA_PREFIX", "conda");
  lead("CUDA_PATH", "path");
  lead("CUDA_HOME", "home");
  const std::vector<std::pair<std::string, Found>> places = {
      {"site/nvidia/cuda_runtime/include", Found::wheel},
      {"conda/targets/x86_64-linux/include", Found::conda},
      {"path/include", Found::toolkit_variable},
      {"home/include", Found::toolkit_variable},
      {"system/usr/local/cuda/include", Found::system}};
  std::vector<std::string> in_order;
  for (const auto& [folder, where] : places) {
    file(folder + "/cuda_runtime.h", folder);
    in_order.push_back(path(folder));
  }
  EXPECT_EQ(all_found(headers("cudart")), in_order);
  std::vector<std::string> names;
  for (const auto& [folder, where] : places) {
    const Located located = Finder().find(headers("cudart"));
    EXPECT_EQ(located.path, path(folder));
    EXPECT_EQ(located.where, where);
    names.emplace_back(name_of(located.where));
    EXPECT_EQ(located.file, "");
    std::filesystem::remove_all(path(folder));
  }
  EXPECT_THAT(names, ElementsAre("wheel", "conda", "a variable such as CUDA_PATH",
                                 "a variable such as CUDA_PATH", "system"));
  EXPECT_THAT(Finder::find_all(headers("cudart")), IsEmpty());
}

TEST_F(Find, LibraryPathHasLibrariesOnly) {
  lead("LD_LIBRARY_PATH", "module");
  library("module/libcudart.so.12");
  file("module/cuda_runtime.h");
  const Located located = Finder().find(dynamic("cudart"));
  EXPECT_EQ(located.path, path("module/libcudart.so.12"));
  EXPECT_EQ(located.where, Found::library_path);
  EXPECT_STREQ(name_of(located.where), "LD_LIBRARY_PATH");
  EXPECT_THAT(Finder::find_all(headers("cudart")), IsEmpty());
}

TEST_F(Find, OwnVariableComesBeforeThoseOfToolkits) {
  lead("CUDNN_PATH", "cudnn");
  lead("CUDA_PATH", "toolkit");
  lead("NCCL_HOME", "nccl");
  library("cudnn/lib/libcudnn.so.9");
  library("toolkit/lib64/libcudnn.so.9");
  library("nccl/build/lib/libnccl.so.2");
  file("nccl/build/include/nccl.h");
  EXPECT_EQ(all_found(dynamic("cudnn")),
            (std::vector<std::string>{path("cudnn/lib/libcudnn.so.9"),
                                      path("toolkit/lib64/libcudnn.so.9")}));
  EXPECT_EQ(found(dynamic("nccl")), path("nccl/build/lib/libnccl.so.2"));
  EXPECT_EQ(found(headers("nccl")), path("nccl/build/include"));
}

TEST_F(Find, VariablesOfDifferentToolkitsAreReportedOnce) {
  lead("CUDA_PATH", "path");
  lead("CUDA_HOME", "home");
  file("path/include/cuda_runtime.h");
  file("home/include/cuda_runtime.h");
  const unit::ScopedVariable level("ANYCUDA_LOG", "warn");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(found(headers("cudart")), path("path/include"));
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, HasSubstr("name different toolkits: CUDA_PATH goes first"));
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1) << written;
}

TEST_F(Find, OfSeveralSonamesInOneFolderTheNewestIsTaken) {
  lead("CUDA_PATH", "toolkit");
  library("toolkit/lib64/libcudart.so.11.0");
  library("toolkit/lib64/libcudart.so.13");
  library("toolkit/lib64/libcudart.so.12");
  const Located located = Finder().find(dynamic("cudart"));
  EXPECT_EQ(located.path, path("toolkit/lib64/libcudart.so.13"));
  EXPECT_EQ(located.file, "libcudart.so.13");
}

TEST_F(Find, EarlierTierComesBeforeANewerSoname) {
  lead("PYTHONPATH", "site");
  lead("CUDA_PATH", "toolkit");
  library("toolkit/lib64/libcudart.so.13");
  library("site/nvidia/cuda_runtime/lib/libcudart.so.11.0");
  EXPECT_EQ(found(dynamic("cudart")), path("site/nvidia/cuda_runtime/lib/libcudart.so.11.0"));
}

TEST_F(Find, EveryLayoutOfWheelsIsKnown) {
  lead("PYTHONPATH", "site");
  library("site/nvidia/cu13/lib/libcudart.so.13");
  file("site/nvidia/cu13/include/cccl/thrust/version.h");
  file("site/nvidia/cu13/nvvm/libdevice/libdevice.10.bc");
  library("site/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so");
  EXPECT_EQ(found(dynamic("cudart")), path("site/nvidia/cu13/lib/libcudart.so.13"));
  EXPECT_EQ(found(headers("cccl")), path("site/nvidia/cu13/include/cccl"));
  EXPECT_EQ(found(component_named(Kind::bitcode_library, "libdevice")),
            path("site/nvidia/cu13/nvvm/libdevice/libdevice.10.bc"));
  EXPECT_EQ(found(dynamic("nvvm")), path("site/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so"));
}

TEST_F(Find, CondaHasLibrariesBesideAndBelowItsTargets) {
  lead("CONDA_PREFIX", "conda");
  library("conda/lib/libcublas.so.12");
  EXPECT_EQ(found(dynamic("cublas")), path("conda/lib/libcublas.so.12"));
  library("conda/targets/x86_64-linux/lib/libcublas.so.12");
  EXPECT_EQ(found(dynamic("cublas")), path("conda/targets/x86_64-linux/lib/libcublas.so.12"));
  std::filesystem::permissions(file("conda/nvvm/bin/cicc"), std::filesystem::perms::owner_all);
  EXPECT_EQ(found(program("cicc")), path("conda/nvvm/bin/cicc"));
}

TEST_F(Find, CondaTargetsOfAnotherCpuAreIgnored) {
  lead("CONDA_PREFIX", "conda");
  file("conda/targets/sbsa-linux/lib/libcudart_static.a");
  EXPECT_THAT(all_found(component_named(Kind::static_library, "cudart_static")), IsEmpty());
}

TEST_F(Find, SystemToolkits_OrderIsChosenNewestOthers) {
  for (const char* toolkit : {"usr/local/cuda-12.9", "usr/local/cuda-12.10", "usr/local/cuda-13.0",
                              "usr/local/cuda", "opt/cuda"}) {
    file("system/" + std::string(toolkit) + "/include/cublas_v2.h", toolkit);
  }
  file("system/usr/include/cublas_v2.h", "distribution");
  EXPECT_THAT(
      all_found(headers("cublas")),
      ElementsAre(path("system/usr/local/cuda/include"), path("system/usr/local/cuda-13.0/include"),
                  path("system/usr/local/cuda-12.10/include"),
                  path("system/usr/local/cuda-12.9/include"), path("system/opt/cuda/include"),
                  path("system/usr/include")));
}

TEST_F(Find, DynamicLibraries_LdSoCacheComesBeforeSystemToolkits) {
  library("system/opt/somewhere/libcudart.so.12");
  library("system/opt/somewhere/libcudart.so.13");
  library("system/usr/lib/x86_64-linux-gnu/libcudart.so.11.0");
  library("system/usr/local/cuda/lib64/libcudart.so.13");
  file("system/etc/ld.so.cache",
       unit::new_format({{"libcudart.so.12", "/opt/somewhere/libcudart.so.12"},
                         {"libcudart.so.13", "/opt/somewhere/libcudart.so.13"},
                         {"libcudart.so", "/opt/somewhere/libcudart.so"}}));
  EXPECT_THAT(all_found(dynamic("cudart")),
              ElementsAre(path("system/opt/somewhere/libcudart.so.13"),
                          path("system/opt/somewhere/libcudart.so.12"),
                          path("system/usr/lib/x86_64-linux-gnu/libcudart.so.11.0"),
                          path("system/usr/local/cuda/lib64/libcudart.so.13")));
}

TEST_F(Find, DriverComponents_AreNotSearchedInPackagesAndToolkits) {
  lead("PYTHONPATH", "site");
  lead("CONDA_PREFIX", "conda");
  lead("CUDA_PATH", "toolkit");
  for (const char* elsewhere : {"conda/lib", "toolkit/lib64", "toolkit/lib64/stubs",
                                "site/nvidia/cu13/lib", "system/usr/local/cuda/lib64"}) {
    library(std::string(elsewhere) + "/libcuda.so.1");
  }
  const NotFoundError error = refusal(dynamic("cuda"));
  EXPECT_THAT(error.what(), HasSubstr("display driver"));
  std::vector<std::string> folders;
  for (const char* folder :
       {"lib/wsl/lib", "../.singularity.d/libs", "local/nvidia/lib64", "local/nvidia/lib",
        "../run/opengl-driver/lib", "lib/x86_64-linux-gnu", "lib64", "lib",
        "lib/x86_64-linux-gnu/nvidia/current", "lib/nvidia/current", "lib/x86_64-linux-gnu/tegra",
        "lib/x86_64-linux-gnu/nvidia", "../run/nvidia/driver/usr/lib/x86_64-linux-gnu",
        "../run/nvidia/driver/usr/lib64", "local/cuda/compat"}) {
    folders.push_back(std::filesystem::path(path("system/usr") + "/" + folder).lexically_normal());
  }
  EXPECT_EQ(error.searched(), folders);
  library("system/usr/lib64/libnvidia-ml.so.1");
  library("system/usr/lib/x86_64-linux-gnu/libcuda.so.1");
  EXPECT_EQ(found(dynamic("cuda")), path("system/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  EXPECT_EQ(found(dynamic("nvml")), path("system/usr/lib64/libnvidia-ml.so.1"));
  library("system/usr/lib/wsl/lib/libcuda.so.1");
  EXPECT_EQ(found(dynamic("cuda")), path("system/usr/lib/wsl/lib/libcuda.so.1"));
}

// NVIDIA's way for the package cuda-compat, and the stub's own variable.
TEST_F(Find, TheDriverIsTheOneThatTheStubsTake) {
  library("system/usr/lib/x86_64-linux-gnu/libcuda.so.1");
  library("compat/libcuda.so.1");
  library("named/libcuda.so.1");
  lead("LD_LIBRARY_PATH", "compat");
  EXPECT_EQ(found(dynamic("cuda")), path("compat/libcuda.so.1"));
  const unit::ScopedVariable named("ANYCUDA_CUDA", path("named/libcuda.so.1").c_str());
  EXPECT_EQ(found(dynamic("cuda")), path("named/libcuda.so.1"));
}

// As in the stubs: tokens are replaced, and a file that the user names is never replaced.
TEST_F(Find, ADriverThatIsNamedInVainIsNotReplaced) {
  library("system/usr/lib/x86_64-linux-gnu/libcuda.so.1");
  for (const char* name : {"libcuda.so.1", "./libcuda.so.1", "/nowhere/libcuda.so.1"}) {
    const unit::ScopedVariable named("ANYCUDA_CUDA", name);
    EXPECT_THAT(refusal(dynamic("cuda")).what(), HasSubstr(name));
  }
  const std::string file = std::filesystem::read_symlink("/proc/self/exe");
  std::string token = "$ORIGIN";
  for (auto i = std::count(file.begin(), file.end(), '/'); i > 1; --i) token += "/..";
  library("named/libcuda.so.1");
  const unit::ScopedVariable named("ANYCUDA_CUDA", (token + path("named/libcuda.so.1")).c_str());
  EXPECT_THAT(found(dynamic("cuda")), testing::EndsWith(path("named/libcuda.so.1")));
  EXPECT_THAT(found(dynamic("cuda")), testing::Not(HasSubstr("$")));
}

TEST_F(Find, TheNewestOfSeveralInstallationsOfATool) {
  const auto runnable = [&](const std::string& name) {
    std::filesystem::permissions(file(name, name), std::filesystem::perms::owner_all);
  };
  runnable("system/opt/nvidia/nsight-systems/2024.10.1/bin/nsys");
  runnable("system/opt/nvidia/nsight-systems/2024.9.1/bin/nsys");
  runnable("system/opt/nvidia/nsight-systems/.old/bin/nsys");
  lead("CUDA_PATH", "toolkit");
  runnable("toolkit/nsight-compute-2025.1/ncu");
  EXPECT_THAT(all_found(program("nsys")),
              ElementsAre(path("system/opt/nvidia/nsight-systems/2024.10.1/bin/nsys"),
                          path("system/opt/nvidia/nsight-systems/2024.9.1/bin/nsys")));
  EXPECT_EQ(found(program("ncu")), path("toolkit/nsight-compute-2025.1/ncu"));
}

TEST_F(Find, RelativeEntriesOfVariablesMeanNothing) {
  const std::string before = std::filesystem::current_path();
  file("here/include/cuda_runtime.h");
  file("here/nvidia/cuda_runtime/include/cuda_runtime.h");
  std::filesystem::permissions(file("here/bin/nvcc"), std::filesystem::perms::owner_all);
  std::filesystem::permissions(file("here/nvcc"), std::filesystem::perms::owner_all);
  ASSERT_EQ(chdir(path("here").c_str()), 0);
  set("PYTHONPATH", ".:");
  set("CONDA_PREFIX", ".");
  set("CUDA_PATH", ".");
  set("CUDA_HOME", "../here");
  set("PATH", ".:" + path("here") + ":" + path("here/bin"));
  const NotFoundError no_headers = refusal(headers("cudart"));
  const NotFoundError no_program = refusal(program("nvcc"));
  EXPECT_EQ(chdir(before.c_str()), 0);
  EXPECT_THAT(no_headers.what(), HasSubstr("'../here', which is not an absolute path"));
  for (const std::string& place : no_headers.searched()) EXPECT_EQ(place.front(), '/');
  for (const std::string& place : no_program.searched()) EXPECT_EQ(place.front(), '/');
}

TEST_F(Find, PathIsNormalizedWithoutFollowingLinks) {
  file("toolkit-13.0/include/cuda_runtime.h");
  machine.tree.link("toolkit", "toolkit-13.0");
  set("CUDA_PATH", path("") + "//other/.././toolkit///");
  machine.tree.folder("other");
  EXPECT_EQ(found(headers("cudart")), path("other/../toolkit/include"));
}

TEST_F(Find, AFileBehindTwoPathsIsListedOnce) {
  lead("CUDA_PATH", "toolkit");
  library("toolkit/lib64/libcudart.so.13");
  machine.tree.link("toolkit/lib", "lib64");
  EXPECT_THAT(all_found(dynamic("cudart")), ElementsAre(path("toolkit/lib64/libcudart.so.13")));
}

TEST_F(Find, PrivilegedProcessSearchesOnlyTheSystem) {
  lead("PYTHONPATH", "site");
  lead("CONDA_PREFIX", "conda");
  lead("CUDA_PATH", "toolkit");
  for (const char* folder : {"site/nvidia/cuda_runtime/include", "conda/include", "toolkit/include",
                             "system/usr/include"}) {
    file(folder + std::string("/cuda_runtime.h"), folder);
  }
  EXPECT_EQ(all_found(headers("cudart")).size(), 4);
  privileged = true;
  std::vector<std::string> searched;
  try {
    searched.push_back(Finder().find(headers("cudart")).path);
  } catch (const NotFoundError& error) {
    searched = error.searched();
  }
  privileged = false;
  for (const std::string& place : searched) {
    EXPECT_THAT(place, Not(HasSubstr(machine.tree.root())));
  }
}

// ---- what is remembered

TEST_F(Find, FoundPathIsKeptUntilItIsCleared) {
  lead("CUDA_PATH", "toolkit");
  const std::string header = file("toolkit/include/cufft.h");
  Finder finder;
  EXPECT_EQ(finder.find(headers("cufft")).path, path("toolkit/include"));
  std::filesystem::remove(header);
  EXPECT_EQ(finder.find(headers("cufft")).path, path("toolkit/include"));
  EXPECT_THAT(Finder::find_all(headers("cufft")), IsEmpty());
  finder.clear();
  EXPECT_THROW(finder.find(headers("cufft")), NotFoundError);
}

TEST_F(Find, NotFoundIsKeptToo) {
  lead("CUDA_PATH", "toolkit");
  Finder finder;
  std::string first;
  try {
    finder.find(headers("cufft"));
  } catch (const NotFoundError& error) {
    first = error.what();
  }
  file("toolkit/include/cufft.h");
  try {
    finder.find(headers("cufft"));
    ADD_FAILURE() << "it was looked for again";
  } catch (const NotFoundError& error) {
    EXPECT_EQ(error.what(), first);
    EXPECT_THAT(error.searched(), Not(IsEmpty()));
  }
  finder.clear();
  EXPECT_EQ(finder.find(headers("cufft")).path, path("toolkit/include"));
}

TEST_F(Find, ManyThreadsGetTheSameAnswers) {
  lead("CUDA_PATH", "toolkit");
  library("toolkit/lib64/libcudart.so.13");
  file("toolkit/include/cuda_runtime.h");
  Finder finder;
  std::vector<std::string> answers(8);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) {
    threads.emplace_back([&finder, &answer] {
      for (int i = 0; i < 20; ++i) {
        if (i % 7 == 0) finder.clear();
        answer = finder.find(dynamic("cudart")).path + finder.find(headers("cudart")).path;
        try {
          finder.find(dynamic("nvrtc"));
          answer += "nvrtc";
        } catch (const NotFoundError& error) {
          answer += std::to_string(error.searched().size());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(answers.front(), HasSubstr(path("toolkit/lib64/libcudart.so.13")));
  EXPECT_THAT(answers.front(), Not(HasSubstr("nvrtc")));
  EXPECT_THAT(answers, testing::Each(answers.front()));
}

}  // namespace
}  // namespace anycuda::compat
