// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file by the wheels that own it.
#include <sys/stat.h>

#include "metadata_machine.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class MetadataWheel : public MetadataMachine {};

TEST_F(MetadataWheel, Wheel_IsNeitherItsVersionNorItsNeighbours) {
  put_wheel(&machine_, {"nvidia-cublas-cu12", "12.9.1.4", {kCublas}});
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime, kHeader}});
  const ToolkitAnswer answer = ask(site(kCublas));
  EXPECT_FALSE(answer.version.known());
  EXPECT_THAT(answer.problem,
              AllOf(HasSubstr("wheel nvidia-cublas-cu12 12.9.1.4 owns it"),
                    HasSubstr("version is not a CUDA Toolkit version"),
                    HasSubstr("no cuda-toolkit in " + machine_.site_packages().string()),
                    HasSubstr("no include/cuda.h")));
}

TEST_F(MetadataWheel, OfAPinnedWheelIsTheMetapackages) {
  put_wheel(&machine_, {"nvidia-cublas", "13.1.0.3", {"nvidia/cu13/lib/libcublas.so.13"}});
  machine_.wheel(cuda_toolkit, "13.0");
  const ToolkitAnswer answer = ask(site("nvidia/cu13/lib/libcublas.so.13"));
  EXPECT_EQ(version_of(answer), "13.0");
  EXPECT_EQ(answer.source, "wheel nvidia-cublas 13.1.0.3, pinned by cuda-toolkit 13.0.2");
  EXPECT_EQ(answer.package, "wheel nvidia-cublas 13.1.0.3");
}

TEST_F(MetadataWheel, OfAWheelPinnedToAnotherVersionIsUnknown) {
  put_wheel(&machine_, {"nvidia-cublas", "13.1.0.3", {"nvidia/cu13/lib/libcublas.so.13"}});
  machine_.wheel(cuda_toolkit, "13.5");
  EXPECT_THAT(ask(site("nvidia/cu13/lib/libcublas.so.13")).problem,
              HasSubstr("cuda-toolkit 13.5.0 in " + machine_.site_packages().string() +
                        " pins the wheel to another version"));
}

TEST_F(MetadataWheel, PinToARangeOfOneRelease_IsTheMetapackages) {
  put_wheel(&machine_, {"nvidia-cufft", "12.0.0.61", {"nvidia/cu13/lib/libcufft.so.12"}});
  put_wheel(&machine_,
            {"cuda-toolkit", "13.0.0", {}, {"nvidia-cufft<12.1,>=12.0.0.15; extra == 'cufft'"}});
  EXPECT_EQ(version_of(ask(site("nvidia/cu13/lib/libcufft.so.12"))), "13.0");
}

TEST_F(MetadataWheel, PinToARangeOfSeveralReleases_IsTheWheels) {
  put_wheel(&machine_, {"nvidia-nvjitlink", "13.5.37", {"nvidia/cu13/lib/libnvJitLink.so.13"}});
  put_wheel(&machine_, {"nvidia-cublas", "13.5.0.1", {"nvidia/cu13/lib/libcublas.so.13"}});
  put_wheel(&machine_, {"cuda-toolkit",
                        "13.2.1",
                        {},
                        {"nvidia-nvjitlink<14,>=13.2.78; extra == 'nvjitlink'",
                         "nvidia-cublas<14,>=13.2.0.9; extra == 'cublas'"}});
  const ToolkitAnswer answer = ask(site("nvidia/cu13/lib/libnvJitLink.so.13"));
  EXPECT_EQ(version_of(answer), "13.5");
  EXPECT_EQ(answer.source, "wheel nvidia-nvjitlink 13.5.37");
  // Its own version is not a CUDA Toolkit version, and the range does not say which of the releases
  // it is of.
  EXPECT_THAT(ask(site("nvidia/cu13/lib/libcublas.so.13")).problem,
              HasSubstr("no cuda-toolkit in " + machine_.site_packages().string() +
                        " pins the wheel to one release"));
}

TEST_F(MetadataWheel, MoreDistributionsThanAreRead_IsTheProblem) {
  machine_.put_file(machine_.site_packages() / kRuntime, "");
  for (int i = 0; i <= 16384; ++i) {
    fs::create_symlink("none", site("package-" + std::to_string(i) + ".dist-info"));
  }
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("too many Python packages to read"));
}

// A rebuilt wheel has its own version (PEP 440) and the same toolkit.
TEST_F(MetadataWheel, OfAVersionWithASuffixIsTheReleases) {
  for (const char* version : {"12.9.79+site", "12.9.79.post1", "12.9.79.dev0", "12.9.79rc1"}) {
    Machine machine;
    const auto file = machine.site_packages() / kRuntime;
    put_wheel(&machine, {"nvidia-cuda-runtime-cu12", version, {kRuntime}});
    EXPECT_EQ(version_of(ask(file)), "12.9") << version;
  }
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79x1", {kRuntime}});
  EXPECT_FALSE(ask(site(kRuntime)).version.known());
}

TEST_F(MetadataWheel, Pin_ComesBeforeTheWheelsVersion) {
  put_wheel(&machine_, {"nvidia-nvtx", "13.0.85", {"nvidia/cu13/lib/libnvtx.so"}});
  put_wheel(&machine_, {"cuda-toolkit", "13.1.0", {}, {"nvidia-nvtx==13.0.85.*"}});
  EXPECT_EQ(version_of(ask(site("nvidia/cu13/lib/libnvtx.so"))), "13.1");
}

TEST_F(MetadataWheel, OfTwoMetapackagesThatBothPinIsUnknown) {
  put_wheel(&machine_, {"nvidia-cublas", "13.1.0.3", {"nvidia/cu13/lib/libcublas.so.13"}});
  put_wheel(&machine_, {"cuda-toolkit", "13.1.0", {}, {"nvidia-cublas==13.1.*"}});
  machine_.wheel(cuda_toolkit, "13.0");
  EXPECT_THAT(ask(site("nvidia/cu13/lib/libcublas.so.13")).problem,
              AllOf(HasSubstr("nvidia-cublas 13.1.0.3"), HasSubstr("cuda-toolkit 13.1.0"),
                    HasSubstr("cuda-toolkit 13.0.2")));
}

TEST_F(MetadataWheel, WheelWithAHeader_IsTheHeaders) {
  put_header(site("my_cuda/include/cuda.h"), 12060);
  put_wheel(&machine_, {"my-cuda", "0.1", {"my_cuda/lib/libx.so", "my_cuda/include/cuda.h"}});
  const ToolkitAnswer answer = ask(site("my_cuda/lib/libx.so"));
  EXPECT_EQ(version_of(answer), "12.6");
  EXPECT_EQ(answer.source, "cuda.h");
}

TEST_F(MetadataWheel, OfAHeaderThatDisagreesWithItsWheelIsUnknown) {
  put_header(site(kHeader), 12080);
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime, kHeader}});
  EXPECT_THAT(
      ask(site(kRuntime)).problem,
      AllOf(HasSubstr("wheel nvidia-cuda-runtime-cu12 12.9.79"), HasSubstr("is of CUDA 12.9"),
            HasSubstr(std::string(kHeader) + " says CUDA 12.8")));
}

TEST_F(MetadataWheel, OfANewHeaderInAWheelsFolderIsUnknown) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  put_header(site(kHeader), 12080);  // without an owner
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("says CUDA 12.8"));
}

TEST_F(MetadataWheel, HeaderOfAnotherWheel_IsIgnored) {
  put_header(site("nvidia/cu13/include/cuda.h"), 13050);
  put_wheel(&machine_, {"nvidia-cuda-runtime", "13.5.37", {"nvidia/cu13/include/cuda.h"}});
  put_wheel(&machine_, {"nvidia-cublas", "13.1.0.3", {"nvidia/cu13/lib/libcublas.so.13"}});
  machine_.put_file(site("nvidia/cu13/lib/libmine.so"), "");
  for (const char* file : {"nvidia/cu13/lib/libcublas.so.13", "nvidia/cu13/lib/libmine.so"}) {
    const ToolkitAnswer answer = ask(site(file));
    EXPECT_FALSE(answer.version.known()) << file;
    EXPECT_THAT(answer.problem, HasSubstr("says CUDA 13.5, but belongs to a wheel")) << file;
  }
}

TEST_F(MetadataWheel, OfTwoOwnersThatDisagreeNamesThemAll) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  put_wheel(&machine_, {"nvidia-cuda-nvcc-cu12", "12.8.93", {kRuntime}});
  put_wheel(&machine_, {"nvidia-cublas-cu12", "12.1", {kRuntime}});
  EXPECT_THAT(ask(site(kRuntime)).problem,
              AllOf(HasSubstr("3 wheels own it and do not agree"),
                    HasSubstr("nvidia-cuda-runtime-cu12 12.9.79 (CUDA 12.9)"),
                    HasSubstr("nvidia-cuda-nvcc-cu12 12.8.93 (CUDA 12.8)"),
                    HasSubstr("nvidia-cublas-cu12 12.1 (no CUDA version)")));
}

TEST_F(MetadataWheel, OfTwoOwnersThatAgreeIsTheirs) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  put_wheel(&machine_, {"nvidia-cuda-nvcc-cu12", "12.9.86", {kRuntime}});
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
}

TEST_F(MetadataWheel, OfASecondOwnerOfAnotherNameIsNoticed) {
  put_header(site(kHeader), 12080);
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  put_wheel(&machine_, {"repackaged", "1.0", {kRuntime, kHeader}});
  EXPECT_THAT(ask(site(kRuntime)).problem,
              AllOf(HasSubstr("nvidia-cuda-runtime-cu12 12.9.79 (CUDA 12.9)"),
                    HasSubstr("repackaged 1.0 (CUDA 12.8)")));
}

TEST_F(MetadataWheel, FileInTwoPackageFolders_NearestOwnerCounts) {
  const std::string inner = std::string("venv/lib/python3.12/site-packages/vendor");
  put_wheel(&machine_, {"setuptools", "1.0", {"vendor/nvidia/a.so"}});
  put_wheel(&machine_, {"nvidia-nvtx", "13.0.85", {"nvidia/a.so"}}, inner);
  EXPECT_EQ(version_of(ask(site("vendor/nvidia/a.so"))), "13.0");
  put_wheel(&machine_, {"nvidia-nvtx", "13.1.80", {"vendor/nvidia/b.so"}});
  EXPECT_EQ(version_of(ask(site("vendor/nvidia/b.so"))), "13.1");
}

TEST_F(MetadataWheel, WheelsProgramBesidePython_IsTheWheels) {
  put_wheel(&machine_, {"nvidia-cuda-nvcc", "13.0.88", {"../../../bin/ptxas"}});
  put_header("venv/include/cuda.h", 13000);
  EXPECT_THAT(ask(root("venv/bin/ptxas")).source, HasSubstr("wheel nvidia-cuda-nvcc 13.0.88"));
}

TEST_F(MetadataWheel, PathWithDots_IsNormalized) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  machine_.put_folder(site("torch/lib"));
  EXPECT_EQ(version_of(ask(site(std::string("torch/lib/../..//./") + kRuntime))), "12.9");
}

TEST_F(MetadataWheel, OfALinkIsThatOfThePathAsGiven) {
  // Installers that link the packages from a cache: RECORD lists the link.
  machine_.put_file("cache/libcudart.so.12", "");
  machine_.put_link(site(kRuntime), root("cache/libcudart.so.12"));
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
  // A link to a wheel's file is not the wheel's, and neither is its header's word.
  put_wheel(&machine_, {"nvidia-cuda-runtime", "13.0.96", {"nvidia/cu13/lib/libcudart.so.13"}});
  machine_.put_link("lib/libcudart.so.13", site("nvidia/cu13/lib/libcudart.so.13"));
  EXPECT_THAT(ask(root("lib/libcudart.so.13")).problem,
              HasSubstr("not in a folder of Python packages"));
}

TEST_F(MetadataWheel, EditableInstall_HasNoOwner) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {"__editable__.pth"}});
  machine_.put_file(site("nvidia_cuda_runtime_cu12-12.9.79.dist-info/direct_url.json"),
                    R"({"url": "file:///src", "dir_info": {"editable": true}})");
  machine_.put_file("src/nvidia/cuda_runtime/lib/libcudart.so.12", "").put_file(site(kRuntime), "");
  EXPECT_THAT(ask(root("src/nvidia/cuda_runtime/lib/libcudart.so.12")).problem,
              HasSubstr("it is not in a folder of Python packages"));
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("no wheel in"));
  put_header("src/nvidia/cuda_runtime/include/cuda.h", 12060);
  EXPECT_EQ(version_of(ask(root("src/nvidia/cuda_runtime/lib/libcudart.so.12"))), "12.6");
}

TEST_F(MetadataWheel, WithoutARecordIsTheHeaders) {
  machine_.wheel(cudart, "12.9").remove(site("nvidia_cuda_runtime_cu12-12.9.79.dist-info/RECORD"));
  const ToolkitAnswer answer = ask(site(kRuntime));
  EXPECT_EQ(version_of(answer), "12.9");
  EXPECT_EQ(answer.source, "cuda.h");
}

TEST_F(MetadataWheel, Egg_HasNoOwner) {
  machine_.put_file(site("nvidia_cuda_runtime_cu12-12.9.79.egg-info/RECORD"), kRuntime);
  machine_.put_file(site(kRuntime), "");
  EXPECT_FALSE(ask(site(kRuntime)).version.known());
}

TEST_F(MetadataWheel, ThatContradictThemselvesAreNotTrusted) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  const fs::path metadata = site("nvidia_cuda_runtime_cu12-12.9.79.dist-info/METADATA");
  machine_.put_file(metadata, "Name: nvidia-cuda-runtime-cu12\nVersion: 12.8.90\n");
  EXPECT_THAT(ask(site(kRuntime)).problem,
              AllOf(HasSubstr("contradict"), HasSubstr(metadata.string()),
                    HasSubstr("nvidia-cuda-runtime-cu12 12.8.90")));
  machine_.put_file(metadata, "Name: nvidia-cuda-nvcc-cu12\nVersion: 12.9.79\n");
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("nvidia-cuda-nvcc-cu12 12.9.79"));
  machine_.put_file(metadata, "Name: NVIDIA.cuda_runtime-cu12\nVersion: 12.9.79.0\n");
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
}

TEST_F(MetadataWheel, Unreadable_IsReported) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  const std::string folder = site("nvidia_cuda_runtime_cu12-12.9.79.dist-info").string();
  machine_.remove(folder + "/METADATA");
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr(folder + "/METADATA is not there"));
  machine_.put_file(folder + "/METADATA", "no fields");
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("METADATA lacks Name or Version"));
  machine_.remove(folder + "/RECORD").put_folder(folder + "/RECORD");
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr(folder + "/RECORD is not a regular file"));
  machine_.remove(folder + "/RECORD");
  ASSERT_EQ(mkfifo((folder + "/RECORD").c_str(), 0600), 0);
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr(folder + "/RECORD is not a regular file"));
}

TEST_F(MetadataWheel, UnreadableRecord_HeaderDoesNotCount) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime, kHeader}});
  put_header(site(kHeader), 12090);
  const fs::path record = site("nvidia_cuda_runtime_cu12-12.9.79.dist-info/RECORD");
  machine_.remove(record).put_link(record, "RECORD");  // a loop
  EXPECT_THAT(ask(site(kRuntime)).problem,
              HasSubstr("the wheel that owns it is unknown: " + record.string()));
}

TEST_F(MetadataWheel, HugeFiles_AreReadInPartOrRefused) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  const fs::path folder = site("nvidia_cuda_runtime_cu12-12.9.79.dist-info");
  machine_.truncate(folder / "METADATA", std::uintmax_t{1} << 40);
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
  machine_.truncate(folder / "RECORD", std::uintmax_t{1} << 40);
  EXPECT_THAT(ask(site(kRuntime)).problem, HasSubstr("RECORD is too large and was not read"));
}

TEST_F(MetadataWheel, InAWorldWritableFolder_IsIgnored) {
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  machine_.chmod(machine_.site_packages(), 0777);
  EXPECT_FALSE(ask(site(kRuntime)).version.known());
  machine_.chmod(machine_.site_packages(), 0755);
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
}

TEST_F(MetadataWheel, OfOneAmongHundredsIsFound) {
  for (int i = 0; i < 500; ++i) {
    const std::string name = "package" + std::to_string(i);
    put_wheel(&machine_, {name, "1.0", {name + "/libcudart.so.12", name + "/a.py"}});
  }
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.9.79", {kRuntime}});
  EXPECT_EQ(version_of(ask(site(kRuntime))), "12.9");
  EXPECT_THAT(ask(site("package499/libcudart.so.12")).problem,
              HasSubstr("wheel package499 1.0 owns it"));
}

}  // namespace
}  // namespace anycuda::test
