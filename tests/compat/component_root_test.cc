// SPDX-License-Identifier: Apache-2.0

// The root that a component was found in, and the components below it.
#include "compat/library/component_root.h"

#include <sys/stat.h>

#include "find_machine.h"
#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Kind kLibrary = Kind::dynamic_library;

std::string root(Kind kind, const char* name, const std::string& path) {
  const auto found = root_of(component_named(kind, name), path);
  if (!found) return "none";
  const char* const of = found->folders == &Component::wheel_folders  ? "wheels "
                         : found->folders == &Component::root_folders ? "toolkit "
                                                                      : "system ";
  return of + found->path;
}

TEST(ComponentRoot, OfAToolkitIsItsPrefix) {
  EXPECT_EQ(root(kLibrary, "nvrtc", "/opt/cuda-12.4/lib64/libnvrtc.so.12"),
            "toolkit /opt/cuda-12.4");
  EXPECT_EQ(root(kLibrary, "nvvm", "/opt/cuda-12.4/nvvm/lib64/libnvvm.so.4"),
            "toolkit /opt/cuda-12.4");
  EXPECT_EQ(root(kLibrary, "cupti", "/opt/c/extras/CUPTI/lib64/libcupti.so.12"), "toolkit /opt/c");
  EXPECT_EQ(root(Kind::headers, "cudart", "/opt/cuda-12.4/include"), "toolkit /opt/cuda-12.4");
  EXPECT_EQ(root(Kind::headers, "cccl", "/opt/cuda-13.0/include/cccl"), "toolkit /opt/cuda-13.0");
  EXPECT_EQ(root(Kind::program, "nvcc", "//opt/./cuda-12.4//bin/nvcc"), "toolkit /opt/cuda-12.4");
  EXPECT_EQ(root(Kind::program, "nsys", "/opt/c/nsight-systems-2024.1/bin/nsys"), "toolkit /opt/c");
  EXPECT_EQ(root(Kind::bitcode_library, "libdevice", "/c/nvvm/libdevice/libdevice.10.bc"),
            "toolkit /c");
}

TEST(ComponentRoot, OfALibraryForOneTargetIsAboveTheTargets) {
  for (const std::string_view folder : component_named(kLibrary, "nvrtc").root_folders) {
    const std::string path = "/opt/conda/" + std::string(folder) + "/libnvrtc.so.12";
    EXPECT_EQ(root(kLibrary, "nvrtc", path), "toolkit /opt/conda") << path;
  }
}

TEST(ComponentRoot, OfAWheelIsTheSitePackages) {
  const std::string site = "/home/me/venv/lib/python3.12/site-packages";
  EXPECT_EQ(root(kLibrary, "nvrtc", site + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
            "wheels " + site);
  EXPECT_EQ(root(kLibrary, "nvrtc", site + "/nvidia/cu13/lib/libnvrtc.so.13"), "wheels " + site);
  EXPECT_EQ(root(Kind::headers, "cudart", site + "/nvidia/cu13/include"), "wheels " + site);
}

TEST(ComponentRoot, OfADistributionsPackageIsTheSystem) {
  EXPECT_EQ(root(Kind::headers, "cudart", "/usr/include"), "system ");
  EXPECT_EQ(root(kLibrary, "nvrtc", "/image/usr/lib64/libnvrtc.so.12"), "system /image");
}

TEST(ComponentRoot, OfAFileInAnotherFolderIsUnknown) {
  EXPECT_EQ(root(kLibrary, "nvrtc", "/opt/mine/libnvrtc.so.12"), "none");
  EXPECT_EQ(root(kLibrary, "nvrtc", "/libnvrtc.so.12"), "none");
  EXPECT_EQ(root(kLibrary, "nvrtc", "lib64/libnvrtc.so.12"), "none");
  EXPECT_EQ(root(kLibrary, "nvrtc", ""), "none");
  EXPECT_EQ(root(Kind::headers, "cudart", "/"), "none");
}

// ---- the files below a root

class BelowARoot : public FinderTest {
 protected:
  std::vector<std::string> below(const std::string& root, Texts Component::*folders,
                                 const Component& component) {
    std::vector<std::string> paths;
    for (const Located& one :
         files_in(component, locations_below({path(root), folders}, component)).usable) {
      EXPECT_EQ(one.where, Found::beside);
      paths.push_back(one.path);
    }
    return paths;
  }
};

TEST_F(BelowARoot, AreTheFilesOfItsKindOfFolder) {
  library("mine/lib64/libnvrtc.so.12");
  file("mine/include/cuda_runtime.h");
  library("site/nvidia/cu13/lib/libnvrtc.so.13");
  library("site/lib64/libnvrtc.so.13");
  EXPECT_THAT(below("mine", &Component::root_folders, dynamic("nvrtc")),
              ElementsAre(path("mine/lib64/libnvrtc.so.12")));
  EXPECT_THAT(below("mine", &Component::root_folders, headers("cudart")),
              ElementsAre(path("mine/include")));
  EXPECT_THAT(below("site", &Component::wheel_folders, dynamic("nvrtc")),
              ElementsAre(path("site/nvidia/cu13/lib/libnvrtc.so.13")));
  EXPECT_THAT(below("nowhere", &Component::root_folders, dynamic("nvrtc")), ElementsAre());
}

TEST_F(BelowARoot, UnusableFilesArePassedOver) {
  file("mine/lib64/libnvrtc.so.13", "no library");
  library("mine/lib/libnvrtc.so.12");
  EXPECT_THAT(below("mine", &Component::root_folders, dynamic("nvrtc")),
              ElementsAre(path("mine/lib/libnvrtc.so.12")));
}

TEST_F(BelowARoot, FolderOfAnotherUser_IsPassedOver) {
  library("mine/lib64/libnvrtc.so.12");
  const std::string folder = path("mine/lib64");
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  const SearchLocations locations =
      locations_below({path("mine"), &Component::root_folders}, dynamic("nvrtc"));
  EXPECT_THAT(locations.remarks,
              ElementsAre(folder + ": another user can change it; correct its permissions"));
}

// Nobody but root writes in this computer's.
TEST_F(BelowARoot, SystemIsSearchedToo) {
  const SearchLocations locations =
      locations_below({"", &Component::system_folders}, headers("cudart"));
  EXPECT_THAT(locations.remarks, ElementsAre());
  ASSERT_FALSE(locations.locations.empty());
  EXPECT_EQ(locations.locations.front().path, "/usr/include");
}

TEST_F(BelowARoot, PassedOverFilesAreNamedUpToALimit) {
  FoundFiles there = files_in(program("nvcc"), {"", {}, {}});
  EXPECT_THAT(there.passed, ElementsAre());
  SearchLocations locations;
  for (int i = 0; i < 50; ++i) {
    const std::string folder = "tools" + std::to_string(i);
    file(folder + "/nvcc");
    locations.locations.push_back({Found::system, path(folder), path(folder), false});
  }
  there = files_in(program("nvcc"), locations);
  EXPECT_THAT(there.usable, ElementsAre());
  ASSERT_EQ(there.passed.size(), FoundFiles::kMostPassed);
  EXPECT_THAT(there.passed.front(),
              HasSubstr(path("tools0/nvcc") + " is not executable for this user"));
}

// ---- the guard rails

// A compiler in a toolkit; the headers beside it are in no search tier.
class RootOfACompanion : public testing::Test {
 protected:
  RootOfACompanion() {
    machine.driver("13.5").library("cublas", "13.5").headers("cudart", "13.5");
    machine.install(Kind::program, "nvcc", "12.4")
        .move(Kind::program, "nvcc", "/hpc/cuda/bin/nvcc");
    machine.below("/hpc/cuda", Kind::headers, "cudart", "12.4", "/hpc/cuda/include");
  }
  RailsMachine machine;
};

TEST_F(RootOfACompanion, IsSearchedFirst) {
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  const Located located = rails.locate(Kind::headers, "cudart");
  EXPECT_EQ(located.path, "/hpc/cuda/include");
  EXPECT_EQ(located.where, Found::beside);
  EXPECT_EQ(machine.times_asked("find cudart"), 0);
  EXPECT_EQ(rails.locate(Kind::headers, "cudart").path, "/hpc/cuda/include");
}

TEST_F(RootOfACompanion, OfTheLibrary_IsSearchedFirstForHeadersAlone) {
  machine.library("cudart", "12.4")
      .move(Kind::dynamic_library, "cudart", "/hpc/cuda/lib64/libcudart.so.12");
  GuardRailsImpl rails = machine.rails();
  const Located located = rails.locate(Kind::headers, "cudart");
  EXPECT_EQ(located.path, "/hpc/cuda/include");
  EXPECT_EQ(located.where, Found::beside);
}

TEST_F(RootOfACompanion, IsNotSearchedForAnIndependentComponent) {
  machine.library("cufft", "12.9");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  rails.load("cufft");
  EXPECT_EQ(machine.times_asked("find below"), 0);
}

TEST_F(RootOfACompanion, WithoutTheComponent_TiersAreSearched) {
  machine.install(Kind::static_library, "cudadevrt", "12.4");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  EXPECT_EQ(rails.locate(Kind::static_library, "cudadevrt").where, Found::wheel);
  EXPECT_EQ(machine.times_asked("find below /hpc/cuda cudadevrt"), 1);
}

TEST_F(RootOfACompanion, IsPassedOverIfItsComponentIsRefused) {
  machine.headers("cccl", "12.4");
  machine.below("/hpc/cuda", Kind::headers, "cccl", "12.9", "/hpc/cuda/include/cccl");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  EXPECT_EQ(rails.locate(Kind::headers, "cccl").path,
            RailsMachine::path(Kind::headers, "cccl", "12.4"));
}

TEST_F(RootOfACompanion, NotInAnyTier_IsNamedInTheError) {
  machine.below("/hpc/cuda", Kind::headers, "cccl", "12.9", "/hpc/cuda/include/cccl");
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  EXPECT_THAT(message([&] { rails.locate(Kind::headers, "cccl"); }),
              HasSubstr("found: cccl (headers) of CUDA 12.9: /hpc/cuda/include/cccl"));
}

TEST_F(RootOfACompanion, NothingFound_IsAmongTheSearchedFolders) {
  GuardRailsImpl rails = machine.rails();
  rails.locate(Kind::program, "nvcc");
  try {
    rails.locate(Kind::headers, "cccl");
    ADD_FAILURE() << "found";
  } catch (const NotFoundError& error) {
    EXPECT_STREQ(error.what(),
                 "nowhere: no usable file is in\n  /home/me/venv\na companion was found below "
                 "/hpc/cuda, but no usable file is there");
    EXPECT_THAT(error.searched(), ElementsAre("/hpc/cuda", "/home/me/venv"));
  }
}

// LD_LIBRARY_PATH and the dynamic linker's cache name folders of libraries only.
TEST(RootOfTheRuntime, IsSearchedLastForTheRestOfItsToolkit) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "12.4");
  machine.move(Kind::dynamic_library, "cudart", "/hpc/cuda/lib64/libcudart.so.12");
  machine.below("/hpc/cuda", Kind::program, "nvcc", "12.4", "/hpc/cuda/bin/nvcc");
  machine.below("/hpc/cuda", Kind::dynamic_library, "nvvm", "12.4",
                "/hpc/cuda/nvvm/lib64/libnvvm.so.4");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(rails.locate(Kind::program, "nvcc").path, "/hpc/cuda/bin/nvcc");
  EXPECT_EQ(rails.locate(Kind::dynamic_library, "nvvm").path, "/hpc/cuda/nvvm/lib64/libnvvm.so.4");
  machine.install(Kind::program, "ptxas", "12.4");
  rails.locate(Kind::program, "ptxas");
  EXPECT_EQ(machine.times_asked("find below /hpc/cuda ptxas"), 0) << "a tier has it";
  EXPECT_THAT(message([&] { rails.locate(Kind::program, "nvdisasm"); }),
              HasSubstr("a companion was found below /hpc/cuda, but no usable file is there"));
}

TEST(RootOfTheRuntime, IsNotSearchedAgainWhereATierHasLooked) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "12.4");
  machine.move(Kind::dynamic_library, "cudart", "/home/me/lib64/libcudart.so.12");
  GuardRailsImpl rails = machine.rails();
  EXPECT_EQ(outcome([&] { rails.locate(Kind::program, "nvcc"); }), "NotFoundError");
  EXPECT_EQ(machine.times_asked("find below /home/me nvcc"), 0);
}

TEST(RootOfTheRuntime, SaysNothingAboutSeparateReleasesAndTheDriver) {
  RailsMachine machine;
  machine.driver("13.5").library("cudart", "12.4");
  machine.move(Kind::dynamic_library, "cudart", "/hpc/cuda/lib64/libcudart.so.12");
  GuardRailsImpl rails = machine.rails(with_mode(Mode::off));
  for (const char* name : {"nccl", "cuda"}) {
    EXPECT_EQ(outcome([&] { rails.locate(Kind::dynamic_library, name); }), "NotFoundError");
  }
  EXPECT_EQ(machine.times_asked("find below"), 0);
}

TEST(RootOfTheRuntime, RefusedComponentIsNamed) {
  RailsMachine machine;
  machine.driver("11.8", 525).library("cudart", "12.4");
  machine.move(Kind::dynamic_library, "cudart", "/hpc/cuda/lib64/libcudart.so.12");
  machine.below("/hpc/cuda", Kind::program, "nvcc", "12.4", "/hpc/cuda/bin/nvcc");
  GuardRailsImpl rails = machine.rails();
  EXPECT_THAT(message([&] { rails.locate(Kind::program, "nvcc"); }),
              HasSubstr("found: nvcc (program) of CUDA 12.4: /hpc/cuda/bin/nvcc"));
}

TEST_F(RootOfACompanion, LibraryInAnotherFolder_IsUnknown) {
  machine.loaded("nvrtc", "12.4", "libnvrtc.so.12");  // in /opt/theirs
  GuardRailsImpl rails = machine.rails();
  rails.load("nvrtc");
  EXPECT_EQ(outcome([&] { rails.locate(Kind::headers, "cudart"); }), "ToolkitMismatchError");
  EXPECT_EQ(machine.times_asked("find below"), 0);
}

}  // namespace
}  // namespace anycuda::compat::test
