// SPDX-License-Identifier: Apache-2.0

// The finder with damaged or misleading files, and its message when it finds nothing.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/compat/find_machine.h"

namespace anycuda::compat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

// The system has a good library; the file in the preferred place is broken.
class FindFaults : public FinderTest {
 protected:
  FindFaults() {
    lead("CUDA_PATH", "toolkit");
    machine.tree.folder("toolkit/lib64");
  }
  const std::string name = "toolkit/lib64/libcudart.so.13";

  // The next library is found instead; without a next one, the error reports `problem`.
  void expect_passed_over(const std::string& problem) {
    const NotFoundError error = refusal(dynamic("cudart"));
    EXPECT_THAT(error.what(), HasSubstr(path(name) + " " + problem));
    library("system/usr/lib64/libcudart.so.12");
    EXPECT_EQ(found(dynamic("cudart")), path("system/usr/lib64/libcudart.so.12"));
  }
};

TEST_F(FindFaults, AFolderNamedLikeTheFile) {
  machine.tree.folder(name);
  expect_passed_over("is a folder");
}

TEST_F(FindFaults, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path(name).c_str(), 0600), 0);
  expect_passed_over("is a pipe");
}

TEST_F(FindFaults, ASocket) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path(name).size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, path(name).c_str());
  ASSERT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  expect_passed_over("is a socket");
  close(descriptor);
}

TEST_F(FindFaults, ADevice) {
  machine.tree.link(name, "/dev/zero");
  expect_passed_over("is a device");
}

TEST_F(FindFaults, ALinkThatLeadsNowhere) {
  machine.tree.link(name, "gone");
  expect_passed_over("is a link that leads nowhere");
}

TEST_F(FindFaults, ALoopOfLinks) {
  machine.tree.link(name, "other");
  machine.tree.link("toolkit/lib64/other", "libcudart.so.13");
  expect_passed_over("cannot be examined (Too many levels of symbolic links)");
}

TEST_F(FindFaults, AnEmptyFile) {
  file(name, "");
  expect_passed_over("is empty");
}

TEST_F(FindFaults, AText) {
  file(name, "INPUT(libcudart.so.13.0)");
  expect_passed_over("is not an ELF file");
}

TEST_F(FindFaults, ALibraryOfAnotherCpu) {
  unit::ElfImage image;
  image.lies.machine = EM_AARCH64;
  file(name, image.bytes());
  expect_passed_over("is for another CPU");
}

TEST_F(FindFaults, ALibraryThatIsCutShort) {
  const std::string whole = library_image("libcudart.so.13");
  file(name, whole.substr(0, whole.size() / 2));
  expect_passed_over("is cut short");
}

TEST_F(FindFaults, AnotherLibraryUnderThisName) {
  file(name, library_image("libother.so.1"));
  expect_passed_over("is another library: its SONAME is libother.so.1");
}

TEST_F(FindFaults, AnycudaStub) {
  unit::ElfImage image;
  image.soname = "libcudart.so.13";
  image.symbol_versions = {"ANYCUDA_NATIVE", "libcudart.so.13"};
  file(name, image.bytes());
  expect_passed_over("is an anycuda stub");
}

// NVIDIA's stub of the driver for linking: in a toolkit's folder "stubs", by a link that leads
// there, or copied elsewhere.
TEST_F(FindFaults, AStubOfTheDriverForLinking) {
  const std::string problem = " is NVIDIA's stub for linking, not a driver";
  library("toolkit/lib64/stubs/libcuda.so.1");
  const unit::ScopedVariable folder("LD_LIBRARY_PATH", path("toolkit/lib64/stubs").c_str());
  EXPECT_THAT(refusal(dynamic("cuda")).what(),
              HasSubstr(path("toolkit/lib64/stubs/libcuda.so.1") + problem));
  machine.tree.link("linked/libcuda.so.1", path("toolkit/lib64/stubs/libcuda.so.1"));
  const unit::ScopedVariable linked("LD_LIBRARY_PATH", path("linked").c_str());
  EXPECT_THAT(refusal(dynamic("cuda")).what(), HasSubstr(path("linked/libcuda.so.1") + problem));
  unit::ElfImage image;
  for (const char* name : {"cuda", "nvml"}) {
    image.soname = *dynamic(name).files.begin();
    file("copied/" + image.soname, image.bytes());
    const unit::ScopedVariable copied("LD_LIBRARY_PATH", path("copied").c_str());
    EXPECT_THAT(refusal(dynamic(name)).what(), HasSubstr(path("copied/" + image.soname) + problem));
    library("system/usr/lib64/" + image.soname);
    EXPECT_EQ(found(dynamic(name)), path("system/usr/lib64/" + image.soname));
  }
}

TEST_F(FindFaults, LinkToAnotherMajor_MajorIsTheFiles) {
  library("toolkit/lib64/libcudart.so.12");
  machine.tree.link(name, "libcudart.so.12");
  EXPECT_EQ(found(dynamic("cudart")), path(name));
}

// As an ordinary user, since this test's user may be root.
void as_nobody(const std::function<void()>& body) {
  unit::in_child([&] {
    if (geteuid() == 0) {
      ASSERT_EQ(setresgid(65534, 65534, 65534), 0);
      ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
    }
    body();
  });
}

TEST_F(FindFaults, AFileThatMayNotBeRead) {
  library(name);
  chmod(machine.tree.root().c_str(), 0755);
  chmod(path(name).c_str(), 0);
  as_nobody([&] {
    EXPECT_THAT(refusal(dynamic("cudart")).what(),
                HasSubstr(path(name) + " cannot be read (Permission denied)"));
  });
}

TEST_F(FindFaults, AFolderThatMayNotBeEntered) {
  library(name);
  chmod(machine.tree.root().c_str(), 0755);
  chmod(path("toolkit").c_str(), 0);
  as_nobody([&] {
    EXPECT_THAT(refusal(dynamic("cudart")).what(),
                HasSubstr(path(name) + " cannot be examined (Permission denied)"));
    EXPECT_THAT(refusal(program("nsys")).what(),
                HasSubstr("not searched:\n    " + path("toolkit") + ": Permission denied"));
  });
  chmod(path("toolkit").c_str(), 0755);
}

TEST_F(FindFaults, NamesThatAreTooLong) {
  set("CUDA_PATH", "/" + std::string(5000, 'a'));
  set("CONDA_PREFIX", "/" + std::string(100000, 'b'));
  set("PYTHONPATH", "/" + std::string(100000, 'c'));
  EXPECT_THAT(refusal(dynamic("cudart")).what(), HasSubstr("File name too long"));
}

TEST_F(FindFaults, CudaPathIsAFile) {
  set("CUDA_PATH", file("nvcc"));
  EXPECT_THAT(refusal(program("nvcc")).searched(), testing::Contains(path("nvcc/bin")));
}

// ---- programs

class FindProgram : public FinderTest {
 protected:
  FindProgram() { lead("CUDA_PATH", "toolkit"); }
  std::string with_mode(const std::string& name, mode_t mode) {
    const std::string path = file(name, "#!/bin/sh\n" + name);
    chmod(path.c_str(), mode);
    return path;
  }
};

TEST_F(FindProgram, WithoutARunBitIsPassedOver) {
  const std::string silent = with_mode("toolkit/bin/nvcc", 0644);
  const std::string good = with_mode("system/usr/bin/nvcc", 0755);
  EXPECT_EQ(found(program("nvcc")), good);
  EXPECT_THAT(all_found(program("nvcc")), ElementsAre(good));
  chmod(silent.c_str(), 0755);
  EXPECT_EQ(found(program("nvcc")), silent);
}

TEST_F(FindProgram, NotExecutable_IsReportedIfNoOtherIsFound) {
  const std::string silent = with_mode("toolkit/bin/nvcc", 0644);
  const std::string other = with_mode("system/usr/bin/nvcc", 0644);
  const NotFoundError error = refusal(program("nvcc"));
  EXPECT_THAT(error.what(), HasSubstr("\nfound, but not usable:\n    " + silent +
                                      " is not executable for this user (no execute permission, or "
                                      "a noexec mount)\n    " +
                                      other + " is not executable"));
  EXPECT_THAT(error.what(), HasSubstr("what to do: chmod +x " + silent + "; or "));
  EXPECT_THAT(error.searched(), testing::Contains(path("system/usr/bin")));
}

TEST_F(FindProgram, TheRunBitOfAnotherUserDoesNotCount) {
  // The user for whom the missing bit counts: root becomes another user, an ordinary user
  // is the owner.
  const bool root = geteuid() == 0;
  const std::string others = with_mode("toolkit/bin/ptxas", root ? 0700 : 0011);
  chmod(machine.tree.root().c_str(), 0755);
  as_nobody([&] {
    EXPECT_THAT(refusal(program("ptxas")).what(),
                HasSubstr(others + " is not executable for this user"));
  });
  if (!root) chmod(others.c_str(), 0700);
  EXPECT_EQ(found(program("ptxas")), others);
}

TEST_F(FindProgram, MayBeRunWithoutBeingRead) {
  const std::string secret = with_mode("toolkit/bin/ptxas", 0711);
  chmod(machine.tree.root().c_str(), 0755);
  as_nobody([&] { EXPECT_EQ(found(program("ptxas")), secret); });
}

// ---- the message

TEST_F(FinderTest, NotFound_ErrorHasNamesFoldersAndHint) {
  lead("PYTHONPATH", "venv/lib/python3.12/site-packages");
  lead("CUDA_PATH", "toolkit");
  const NotFoundError error = refusal(dynamic("nvJitLink"));
  const std::string what = error.what();
  EXPECT_THAT(what, HasSubstr("the dynamic library nvJitLink was not found: no usable "
                              "libnvJitLink.so.13 or libnvJitLink.so.12 is in"));
  EXPECT_THAT(what, HasSubstr("wheels: nvidia/cu13/lib and nvidia/nvjitlink/lib below\n    " +
                              path("venv/lib/python3.12/site-packages")));
  EXPECT_THAT(what, HasSubstr("conda: no conda environment is in use"));
  EXPECT_THAT(what, HasSubstr("CUDA_PATH, CUDA_HOME, ...: \n    " + path("toolkit/lib64")));
  EXPECT_THAT(what, HasSubstr(path("system") + "/etc/ld.so.cache, and\n    " +
                              path("system/usr/lib/x86_64-linux-gnu")));
  EXPECT_THAT(what, HasSubstr("pip install nvidia-nvjitlink or nvidia-nvjitlink-cu12"));
  EXPECT_THAT(what, Not(HasSubstr("found, but not usable")));
  std::vector<std::string> mine;
  for (const std::string& place : error.searched()) {
    if (place.find(machine.tree.root()) == 0) mine.push_back(place);
  }
  EXPECT_THAT(
      mine,
      ElementsAre(path("venv/lib/python3.12/site-packages/nvidia/cu13/lib"),
                  path("venv/lib/python3.12/site-packages/nvidia/nvjitlink/lib"),
                  path("toolkit/lib64"), path("toolkit/targets/x86_64-linux/lib"),
                  path("toolkit/lib"), path("system/usr/lib/x86_64-linux-gnu"),
                  path("system/usr/lib64"), path("system/usr/lib"), path("system/opt/cuda/lib64"),
                  path("system/opt/cuda/targets/x86_64-linux/lib"), path("system/opt/cuda/lib")));
}

TEST_F(FinderTest, ComponentWithoutAWheel_HintHasNoPip) {
  EXPECT_THAT(refusal(program("nvprune")).what(), HasSubstr("no wheel has it"));
  EXPECT_THAT(refusal(program("nvprune")).what(), Not(HasSubstr("wheels:")));
}

TEST_F(FinderTest, BrokenSystemCacheIsIgnored) {
  file("system/etc/ld.so.cache", "glibc-ld.so.cache1.1" + std::string(4000, '\xff'));
  library("system/usr/lib/libcudart.so.13");
  EXPECT_EQ(found(dynamic("cudart")), path("system/usr/lib/libcudart.so.13"));
}

TEST_F(FinderTest, EveryComponentOfTheCatalogueCanBeSearched) {
  for (const Component& component : all_components()) {
    EXPECT_THAT(Finder::find_all(component), IsEmpty()) << component.name;
    EXPECT_THAT(refusal(component).searched(), Not(IsEmpty())) << component.name;
  }
}

}  // namespace
}  // namespace anycuda::compat
