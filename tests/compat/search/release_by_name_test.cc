// SPDX-License-Identifier: Apache-2.0

// What names tell about a file whose SONAME is of several majors.
#include "compat/search/version/release_by_name.h"

#include <gtest/gtest.h>

#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

ImageFacts of_12_or_13(int minor = -1) {
  ImageFacts image;
  image.state = FileState::usable;
  image.version = {12, minor};
  image.newest_major = 13;
  return image;
}

class ReleaseByName : public testing::Test {
 protected:
  ToolkitVersion read(const std::string& path, ImageFacts* image) {
    return read_release(kLibrary, path.c_str(), &arena_, image);
  }
  unit::EmptyMachine machine_;
  Arena arena_;
};

TEST_F(ReleaseByName, OfAToolkitsFolder_IsExact) {
  ImageFacts image = of_12_or_13();
  const ToolkitVersion found =
      read(machine_.tree.file("apps/cuda/13.5/lib64/libtest.so", ""), &image);
  EXPECT_EQ(found.version.major, 13);
  EXPECT_EQ(found.version.minor, 5);
  EXPECT_EQ(image.version.major, 13);
  EXPECT_EQ(image.newest_major, 13);
  EXPECT_STREQ(found.problem, "");
}

TEST_F(ReleaseByName, OutsideTheRangeOfTheSymbols_IsNotTheFiles) {
  for (const char* folder : {"cuda-11.8", "cuda-14.0", "cuda-12.2", "cuda"}) {
    ImageFacts image = of_12_or_13(3);
    const std::string path = machine_.tree.file(std::string(folder) + "/lib64/libtest.so.12", "");
    EXPECT_FALSE(read(path, &image).version.known()) << folder;
    EXPECT_EQ(image.version.major, 12) << folder;
    EXPECT_EQ(image.version.minor, 3) << folder;
    EXPECT_EQ(image.newest_major, 13) << folder;
  }
}

// The versions of the maths libraries' wheels are their own; the names of the wheels have the
// major.
TEST_F(ReleaseByName, OfAWheelWithoutAToolkitVersion_ItsNameTellsTheMajor) {
  for (const int major : {12, 13}) {
    const std::string packages = std::to_string(major) + "/site-packages/";
    const std::string name = "nvidia_test_runtime_cu" + std::to_string(major) + "-1.2.3.4";
    const std::string path =
        machine_.tree.file(packages + "nvidia/test_runtime/lib/libtest.so.12", "");
    machine_.tree.file(packages + name + ".dist-info/METADATA", "");
    ImageFacts image = of_12_or_13();
    EXPECT_FALSE(read(path, &image).version.known());
    EXPECT_EQ(image.version.major, major);
    EXPECT_EQ(image.newest_major, major);
  }
}

// libcudart.so.11.0 and libcudart.so.12 in one folder, of two wheels.
TEST_F(ReleaseByName, OfTwoWheels_TheOneOfItsMajorTells) {
  const std::string path = machine_.tree.file("site/nvidia/test_runtime/lib/libtest.so.12", "");
  machine_.tree.file("site/nvidia_test_runtime_cu12-12.9.1.dist-info/METADATA", "");
  machine_.tree.file("site/nvidia_test_runtime_cu11-11.8.1.dist-info/METADATA", "");
  ImageFacts image = of_12_or_13();
  EXPECT_EQ(read(path, &image).version.minor, 9);
}

TEST_F(ReleaseByName, OfTwoWheels_IsUnknown) {
  const std::string path = machine_.tree.file("site/nvidia/test_runtime/lib/libtest.so.12", "");
  machine_.tree.file("site/nvidia_test_runtime_cu12-12.9.1.dist-info/METADATA", "");
  machine_.tree.file("site/nvidia_test_runtime_cu13-13.0.1.dist-info/METADATA", "");
  ImageFacts image = of_12_or_13();
  EXPECT_FALSE(read(path, &image).version.known());
  EXPECT_EQ(image.newest_major, 13);
}

}  // namespace
}  // namespace anycuda
