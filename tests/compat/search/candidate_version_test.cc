// SPDX-License-Identifier: Apache-2.0

// What a record says of a file whose SONAME is of several majors.
#include "compat/search/candidate_version.h"

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

ToolkitVersion record(Version version, int major) {
  ToolkitVersion recorded;
  recorded.version = version;
  recorded.major = major;
  return recorded;
}

TEST(Narrow, ARecordedMajorIsTheFiles) {
  ImageFacts image = of_12_or_13();
  narrow(record({13, 5}, 0), &image);
  EXPECT_EQ(image.version.major, 13);
  EXPECT_EQ(image.version.minor, -1) << "of what the symbols tell";
  EXPECT_EQ(image.newest_major, 13);
  image = of_12_or_13(3);
  narrow(record({}, 12), &image);
  EXPECT_EQ(image.version.major, 12);
  EXPECT_EQ(image.version.minor, 3);
  EXPECT_EQ(image.newest_major, 12);
}

TEST(Narrow, AMajorWithoutThatSonameIsNotTheFiles) {
  for (const int major : {0, 11, 14}) {
    ImageFacts image = of_12_or_13(3);
    narrow(record({}, major), &image);
    EXPECT_EQ(image.version.major, 12) << major;
    EXPECT_EQ(image.version.minor, 3) << major;
    EXPECT_EQ(image.newest_major, 13) << major;
  }
}

// The versions of the maths libraries' wheels are their own; the names of the wheels have the
// major.
TEST(CandidateVersion, OfAWheelWithoutAToolkitVersion_ItsNameTellsTheMajor) {
  unit::EmptyMachine machine;
  const std::string library = "nvidia/test/lib/libtest.so.12";
  for (const int major : {12, 13}) {
    const std::string packages = std::to_string(major) + "/site-packages/";
    const std::string name = "nvidia_test_cu" + std::to_string(major) + "-1.2.3.4";
    const std::string path = machine.tree.file(packages + library, "");
    machine.tree.file(packages + name + ".dist-info/METADATA",
                      "Name: nvidia-test-cu" + std::to_string(major) + "\nVersion: 1.2.3.4\n\n");
    machine.tree.file(packages + name + ".dist-info/RECORD", library + ",,\n");
    unit::TestSearch search(kLibrary, nullptr, unit::kNoDriver);
    Candidate* const candidate = search.add(SearchTier::system, path.c_str());
    candidate->image = of_12_or_13();
    read_toolkit_version(&search, candidate);
    EXPECT_FALSE(candidate->toolkit.version.known());
    EXPECT_EQ(candidate->image.version.major, major);
    EXPECT_EQ(candidate->image.newest_major, major);
  }
}

}  // namespace
}  // namespace anycuda
