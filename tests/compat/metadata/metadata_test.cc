// SPDX-License-Identifier: Apache-2.0

// The toolkit of real wheels and of a real toolkit; what is remembered; paths without a file.
#include "anycuda/compat/metadata.h"

#include <atomic>
#include <thread>

#include "anycuda/compat/catalogue.h"
#include "compat/metadata/toolkit_distributions.h"
#include "metadata_machine.h"
#include "support/install.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using compat::ToolkitMetadata;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

// "12.0" of "cudart-12.0.107".
std::string release_of(const std::string& artifact) {
  const std::string version = artifact.substr(artifact.find('-') + 1);
  const std::size_t minor = version.find('.') + 1;
  return version.substr(0, version.find('.', minor));
}

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool library = entry.path().filename().string().find(".so") != std::string::npos;
    if (library && entry.is_regular_file()) found.push_back(entry.path());
  }
  return found;
}

TEST(RealWheels, AreRecognisedByTheirMetadata) {
  const Artifacts& artifacts = Artifacts::of_this_build();
  EXPECT_EQ(artifacts.names("cudart-").size(), 18u);
  for (const char* family : {"cudart-", "nvrtc-", "nvjitlink-"}) {
    for (const std::string& artifact : artifacts.names(family)) {
      Machine machine;
      install_wheel(artifacts.folder(artifact), machine.site_packages());
      const std::vector<fs::path> libraries = libraries_in(machine.site_packages());
      EXPECT_FALSE(libraries.empty());
      for (const fs::path& library : libraries) {
        const ToolkitAnswer answer = ask(library);
        EXPECT_EQ(version_of(answer), release_of(artifact)) << artifact;
        EXPECT_THAT(answer.source, HasSubstr("wheel nvidia-")) << artifact;
        EXPECT_THAT(answer.file, HasSubstr(".dist-info/METADATA")) << artifact;
        EXPECT_THAT(answer.problem, IsEmpty());
      }
    }
  }
}

TEST(RealWheels, AreRecognisedByTheirHeader) {
  const Artifacts& artifacts = Artifacts::of_this_build();
  for (const std::string& artifact : artifacts.names("cudart-")) {
    Machine machine;
    install_chain(artifacts.folder(artifact), machine.root() / "cuda/lib64");
    install_cuda_header(artifacts.folder(artifact), machine.root() / "cuda/include");
    const ToolkitAnswer answer = ask(machine.root() / "cuda/lib64/libcudart.so");
    EXPECT_EQ(version_of(answer), release_of(artifact)) << artifact;
    EXPECT_EQ(answer.source, "cuda.h");
    EXPECT_EQ(answer.file, (machine.root() / "cuda/include/cuda.h").string());
  }
}

TEST(RealWheels, ArePinnedByTheMetapackage) {
  Machine machine;
  machine.wheel(cudart, "13.0").wheel(nvrtc, "13.5").wheel(cuda_toolkit, "13.0");
  const fs::path folder = machine.site_packages() / "nvidia/cu13/lib";
  const ToolkitAnswer pinned = ask(folder / "libcudart.so.13");
  EXPECT_EQ(version_of(pinned), "13.0");
  EXPECT_EQ(pinned.source, "wheel nvidia-cuda-runtime 13.0.96, pinned by cuda-toolkit 13.0.2");
  EXPECT_THAT(pinned.file, HasSubstr("cuda_toolkit-13.0.2.dist-info/METADATA"));
  // Pinned to another version, so its own version counts.
  EXPECT_EQ(version_of(ask(folder / "libnvrtc.so.13")), "13.5");
}

// cuda-toolkit 13.5.0 has nvidia-nvjitlink<14,>=13.5.37, and == for all others.
TEST(RealWheels, ArePinnedByARangeToNoRelease) {
  Machine machine;
  machine.wheel(nvjitlink, "13.5").wheel(cudart, "13.5").wheel(cuda_toolkit, "13.5");
  const fs::path folder = machine.site_packages() / "nvidia/cu13/lib";
  const ToolkitAnswer answer = ask(folder / "libnvJitLink.so.13");
  EXPECT_EQ(version_of(answer), "13.5");
  EXPECT_EQ(answer.source, "wheel nvidia-nvjitlink 13.5.37");
  EXPECT_THAT(ask(folder / "libcudart.so.13").source, HasSubstr("pinned by cuda-toolkit 13.5.0"));
}

TEST(RealWheels, OfDifferentToolkitsShareAFolderOfHeaders) {
  Machine machine;
  machine.wheel(cudart, "13.5").wheel(nvjitlink, "13.0");
  const fs::path folder = machine.site_packages() / "nvidia/cu13";
  ASSERT_TRUE(fs::exists(folder / "include/cuda.h"));
  EXPECT_EQ(version_of(ask(folder / "lib/libnvJitLink.so.13")), "13.0");
  EXPECT_EQ(version_of(ask(folder / "lib/libcudart.so.13")), "13.5");
  EXPECT_EQ(version_of(ask(folder / "include/cuda.h")), "13.5");
}

// The parts of nvcc's wheels, laid out as NVIDIA's installer does.
TEST(RealToolkit, OfNvidiasInstallerIsRecognised) {
  const Artifacts& artifacts = Artifacts::of_this_build();
  if (!artifacts.has("nvcc-13.0")) GTEST_SKIP() << artifacts.why_missing("nvcc-13.0");
  Machine machine;
  const fs::path root = machine.root() / "usr/local/cuda-13.0";
  const auto how = fs::copy_options::recursive | fs::copy_options::create_hard_links;
  std::error_code no_links;
  fs::copy(artifacts.folder("nvcc-13.0"), root, how | fs::copy_options::copy_symlinks, no_links);
  if (no_links) {
    fs::remove_all(root);
    fs::copy(artifacts.folder("nvcc-13.0"), root, fs::copy_options::recursive);
  }
  for (const char* file : {"lib64/libcudart.so.13", "include/cuda_runtime.h", "include", "bin/nvcc",
                           "nvvm/libdevice/libdevice.10.bc", "lib64/libcudart_static.a"}) {
    ASSERT_TRUE(fs::exists(root / file)) << file;
    const ToolkitAnswer answer = ask(root / file);
    EXPECT_EQ(version_of(answer), "13.0") << file;
    EXPECT_EQ(answer.file, (root / "include/cuda.h").string());
  }
}

TEST(ToolkitDistributions, AreTheCataloguesForStubsAndLibraryAlike) {
  int of_toolkits = 0;
  for (const compat::Component& component : compat::all_components()) {
    for (const std::string_view name : component.distributions) {
      EXPECT_EQ(is_versioned_as_toolkit(name), compat::version_is_toolkits(name)) << name;
      if (is_versioned_as_toolkit(name)) ++of_toolkits;
    }
  }
  EXPECT_GT(of_toolkits, 10);
}

class Metadata : public MetadataMachine {};

TEST_F(Metadata, PathWithoutAFile_IsReported) {
  EXPECT_THAT(ask("relative/libcudart.so.12").problem, HasSubstr("not a full path"));
  EXPECT_THAT(ask("").problem, HasSubstr("not a full path"));
  EXPECT_THAT(ask(root("nothing")).problem, HasSubstr("No such file"));
  EXPECT_THAT(ask("/" + std::string(9000, 'a')).problem, HasSubstr("cannot be examined"));
  EXPECT_FALSE(ask("/").version.known());
  machine_.put_link("loop", "loop");
  EXPECT_THAT(ask(root("loop")).problem, HasSubstr("cannot be examined"));
}

TEST_F(Metadata, AreRememberedUntilTheyAreCleared) {
  put_header("cuda/include/cuda.h", 12090);
  machine_.put_file("cuda/lib64/a", "");
  ToolkitMetadata metadata;
  EXPECT_EQ(version_of(metadata.of_file(root("cuda/lib64/a"))), "12.9");
  put_header("cuda/include/cuda.h", 12080);
  EXPECT_EQ(version_of(metadata.of_file(root("cuda/lib64/a"))), "12.9");
  metadata.clear();
  EXPECT_EQ(version_of(metadata.of_file(root("cuda/lib64/a"))), "12.8");
}

TEST_F(Metadata, OfMoreFilesThanFitIntoTheMemoryAreFound) {
  put_header("cuda/include/cuda.h", 12090);
  machine_.put_file("cuda/lib64/a", "");
  ToolkitMetadata metadata;
  for (int i = 0; i < 16000; ++i) {  // each another path
    std::string file = root("cuda/lib64").string() + std::string(1 + i % 160, '/');
    for (int dots = i / 160; dots > 0; --dots) file += "./";
    ASSERT_EQ(version_of(metadata.of_file(file + "a")), "12.9") << i;
  }
}

TEST_F(Metadata, ManyThreadsMayQuery) {
  put_header("cuda/include/cuda.h", 12090);
  for (int i = 0; i < 8; ++i) machine_.put_file("cuda/lib64/" + std::to_string(i), "");
  ToolkitMetadata metadata;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 16; ++i) {
        if (i % 5 == thread % 5) metadata.clear();
        const std::string file = root("cuda/lib64/" + std::to_string(i % 8));
        if (version_of(metadata.of_file(file)) == "12.9") ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8 * 16);
}

}  // namespace
}  // namespace anycuda::test
