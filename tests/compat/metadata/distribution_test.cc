// SPDX-License-Identifier: Apache-2.0

// What the texts of distributions state about themselves and each other.
#include "compat/metadata/records/distribution.h"

#include <gtest/gtest.h>

#include <string>

#include "compat/metadata/records/plain_version.h"
#include "compat/metadata/toolkit_distributions.h"

namespace anycuda {
namespace {

std::string both(const Distribution& distribution) {
  return std::string(distribution.name) + " " + std::string(distribution.version);
}

TEST(DistInfo, NamesDistributionAndVersion) {
  EXPECT_EQ(both(parse_dist_info("nvidia_cuda_runtime_cu12-12.9.79.dist-info")),
            "nvidia_cuda_runtime_cu12 12.9.79");
  EXPECT_EQ(both(parse_dist_info("a-1.dist-info")), "a 1");
  EXPECT_EQ(both(parse_dist_info("with-dashes-1.0.post1.dist-info")), "with-dashes 1.0.post1");
  for (const char* none : {"", ".dist-info", "name.dist-info", "-1.0.dist-info", "name-.dist-info",
                           "name-1.0.egg-info", "name-1.0.dist-info.txt", "dist-info"}) {
    EXPECT_EQ(both(parse_dist_info(none)), " ") << none;
  }
}

TEST(MetadataFile, NamesDistributionAndVersion) {
  EXPECT_EQ(both(parse_metadata("Metadata-Version: 2.1\nName: a-b\nVersion: 1.0\n\nName: c\n")),
            "a-b 1.0");
  EXPECT_EQ(both(parse_metadata("name:a\r\nVERSION :  1\r\n")), " ");  // no blank before a colon
  EXPECT_EQ(both(parse_metadata("name:a\r\nVERSION:\t 1 \r\n")), "a 1");
  EXPECT_EQ(both(parse_metadata("\xEF\xBB\xBFName: a\nVersion: 1")), "a 1");
  EXPECT_EQ(both(parse_metadata("Name: a\nName: b\nVersion: 1\nVersion: 2\n")), "a 1");
  EXPECT_EQ(both(parse_metadata("Name: a\n\nVersion: 1\n")), " ");  // the description
  EXPECT_EQ(both(parse_metadata("Summary: x\n Name: b\nName: a\nVersion: 1\n")), "a 1");
  EXPECT_EQ(both(parse_metadata("no field\nName: a\nVersion: 1\n")), "a 1");
  for (const char* other : {"Name", "Nam: b", "Names: b", "Xame: b", " Name: b"}) {
    EXPECT_EQ(both(parse_metadata(std::string(other) + "\nName: a\nVersion: 1\n")), "a 1") << other;
  }
  EXPECT_EQ(both(parse_metadata("")), " ");
}

TEST(Names, AreTheSameInAllSpellings) {
  EXPECT_TRUE(same_distribution("nvidia-cuda-runtime", "NVIDIA_Cuda.runtime"));
  EXPECT_TRUE(same_distribution("a-_.b", "a-b"));
  EXPECT_FALSE(same_distribution("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"));
  EXPECT_FALSE(same_distribution("nvidia-cudaruntime", "nvidia-cuda-runtime"));
  EXPECT_TRUE(is_of_nvidia("nvidia_cublas"));
  EXPECT_TRUE(is_of_nvidia("CUDA-toolkit"));
  EXPECT_FALSE(is_of_nvidia("torch"));
  EXPECT_FALSE(is_of_nvidia("nv"));
}

struct RequirementCase {
  const char* text;
  const char* name;
  const char* specifier;
};
void PrintTo(const RequirementCase& c, std::ostream* out) { *out << '"' << c.text << '"'; }

class Requirements : public ::testing::TestWithParam<RequirementCase> {};

TEST_P(Requirements, AreNameAndSpecifier) {
  const Requirement found = parse_requirement(GetParam().text);
  EXPECT_EQ(found.name, GetParam().name);
  EXPECT_EQ(found.specifier, GetParam().specifier);
}

INSTANTIATE_TEST_SUITE_P(
    All, Requirements,
    ::testing::Values(
        RequirementCase{"nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux') and extra == 'all'",
                        "nvidia-cublas", "==13.1.0.3.*"},
        RequirementCase{" nvidia-cuda-runtime <13.1,>=13.0.48 ", "nvidia-cuda-runtime",
                        "<13.1,>=13.0.48"},
        RequirementCase{"a (>=1,<2)", "a", ">=1,<2"}, RequirementCase{"a[x,y] >=1", "a", ">=1"},
        RequirementCase{"a[x] (==1)", "a", "==1"}, RequirementCase{"a[x]==1", "a", "==1"},
        RequirementCase{"a (==1", "a", "(==1"}, RequirementCase{"a-z==1", "a-z", "==1"},
        RequirementCase{"a", "a", ""}, RequirementCase{"a @ https://b/c==1", "a", ""},
        RequirementCase{"a[x", "", ""}, RequirementCase{"==1", "", ""},
        RequirementCase{"", "", ""}));

struct PinCase {
  const char* requirement;
  const char* version;
  Pin pin;
};
void PrintTo(const PinCase& c, std::ostream* out) {
  *out << '"' << c.requirement << "\" for version " << c.version;
}

class Pins : public ::testing::TestWithParam<PinCase> {};

TEST_P(Pins, HoldOnlyForOneToolkitsVersions) {
  const std::string metadata =
      "Name: cuda-toolkit\nVersion: 13.0.2\nRequires-Dist: " + std::string(GetParam().requirement) +
      "\n\n";
  EXPECT_EQ(pin_of(metadata, {"nvidia_cublas", GetParam().version}), GetParam().pin)
      << GetParam().requirement;
}

INSTANTIATE_TEST_SUITE_P(
    All, Pins,
    ::testing::Values(PinCase{"nvidia-cublas==13.1.0.3.*; extra == 'cublas'", "13.1.0.3",
                              Pin::satisfied},
                      PinCase{"nvidia-cublas==13.1.0.3.*", "13.1.0.3.1", Pin::satisfied},
                      PinCase{"nvidia-cublas==13.1.0.3.*", "13.1.0.30", Pin::unsatisfied},
                      PinCase{"nvidia-cublas==13.1.0.3.*", "13.1.0", Pin::unsatisfied},
                      PinCase{"nvidia-cublas==13.1.0.*", "13.1", Pin::satisfied},  // 13.1 is 13.1.0
                      PinCase{"NVIDIA_cublas == 13.1.0.3", "13.1.0.3", Pin::satisfied},
                      PinCase{"nvidia-cublas==13.1", "13.1.0.0", Pin::satisfied},
                      PinCase{"nvidia-cublas===13.1", "13.1.0", Pin::unsatisfied},
                      PinCase{"nvidia-cublas===13.1", "13.1", Pin::satisfied},
                      PinCase{"nvidia-cublas<13.1,>=13.0.48", "13.0.48", Pin::satisfied},
                      PinCase{"nvidia-cublas<13.1,>=13.0.48", "13.0.100", Pin::satisfied},
                      PinCase{"nvidia-cublas<13.1,>=13.0.48", "13.0.47", Pin::unsatisfied},
                      PinCase{"nvidia-cublas<13.1,>=13.0.48", "13.1", Pin::unsatisfied},
                      PinCase{"nvidia-cublas<13.1.0,>13.0", "13.0.1", Pin::satisfied},
                      PinCase{"nvidia-cublas<13.1.0,>13.0", "13.0.0", Pin::unsatisfied},
                      PinCase{"nvidia-cublas<=13.0.9,>=13.0", "13.0.5", Pin::satisfied},
                      PinCase{"nvidia-cublas<13.0.9,>=13.0", "13.0.5", Pin::satisfied},
                      PinCase{"nvidia-cublas<13,>=12.999999999", "12.999999999", Pin::satisfied},
                      PinCase{"nvidia-cublas~=13.0.48", "13.0.99", Pin::satisfied},
                      PinCase{"nvidia-cublas~=13.0.48", "13.1.0", Pin::unsatisfied},
                      PinCase{"nvidia-cublas~=13.0.48", "13.0.47", Pin::unsatisfied},
                      PinCase{"nvidia-cublas==13.*,>=13.2,<13.3", "13.2.5", Pin::satisfied},
                      PinCase{"nvidia-cublas==13.2.*,!=13.2.5", "13.2.5", Pin::unsatisfied},
                      // Other releases fit too.
                      PinCase{"nvidia-nvjitlink<14,>=13.2.78", "13.5.37", Pin::none},
                      PinCase{"nvidia-nvjitlink<14,>=13.2.78", "13.2.78", Pin::none},
                      PinCase{"nvidia-nvjitlink<14,>=13.2.78", "13.1.1", Pin::none},
                      PinCase{"nvidia-cublas<=13.1,>13.0", "13.1", Pin::none},
                      PinCase{"nvidia-cublas<13.1.1,>13.0", "13.1", Pin::none},
                      PinCase{"nvidia-cublas==13.*", "13.1.5", Pin::none},
                      PinCase{"nvidia-cublas==13.*,!=13.1.*", "13.2.5", Pin::none},
                      PinCase{"nvidia-cublas~=13.0", "13.1", Pin::none},
                      PinCase{"nvidia-cublas>=13.0", "13.1.0.3", Pin::none},
                      PinCase{"nvidia-cublas<14", "13.1.0.3", Pin::none},
                      PinCase{"nvidia-cublas!=12.0", "13.1.0.3", Pin::none},
                      PinCase{"nvidia-cublas", "13.1.0.3", Pin::none},
                      PinCase{"nvidia-cublas @ file:///x", "13.1.0.3", Pin::none},
                      // Not understood, so not taken for satisfied.
                      PinCase{"nvidia-cublas==13.1.0rc1", "13.1.0", Pin::none},
                      PinCase{"nvidia-cublas==13.1.*", "13.1.0+local", Pin::none},
                      PinCase{"nvidia-cublas~=13", "13.1", Pin::none},
                      PinCase{"nvidia-cublas==13.*,,", "13.1", Pin::none},
                      PinCase{"nvidia-cublas=13.1", "13.1", Pin::none},
                      PinCase{"nvidia-cublas-cu12==13.1.0.3.*", "13.1.0.3", Pin::none},
                      PinCase{"nvidia-cublas==99999999999999999999.*", "13.1", Pin::none}));

TEST(Pins, AreFoundOnContinuedLinesAndAmongOthers) {
  const char metadata[] =
      "Name: cuda-toolkit\nRequires-Dist: nvidia-cufft==1\nRequires-Dist:\n nvidia-cublas\n\t "
      "==13.1.*\n"
      "\t; extra == 'x'\nRequires-Dist: nvidia-cublas==12.0\n\nRequires-Dist: nvidia-npp==1.*\n";
  EXPECT_EQ(pin_of(metadata, {"nvidia-cublas", "13.1.2"}), Pin::satisfied);
  EXPECT_EQ(pin_of(metadata, {"nvidia-cublas", "13.2"}), Pin::unsatisfied);
  EXPECT_EQ(pin_of(metadata, {"nvidia-npp", "1.0"}), Pin::none);  // the description
}

TEST(Pins, AreOfRequirementsOnly) {
  EXPECT_EQ(pin_of("Provides-Dist: nvidia-cublas==13.1.*\n", {"nvidia-cublas", "13.1.2"}),
            Pin::none);
}

TEST(Pins, MayHaveLongMarkers) {
  const std::string metadata =
      "Requires-Dist: nvidia-cublas==13.1.*; extra == '" + std::string(1000, 'x') + "'\n";
  EXPECT_EQ(pin_of(metadata, {"nvidia-cublas", "13.1.2"}), Pin::satisfied);
}

TEST(Pins, TooLong_IsIgnored) {
  const std::string blanks(1000, ' ');
  const std::string metadata = "Requires-Dist: nvidia-cublas" + blanks + "==13.1.*\n";
  EXPECT_EQ(pin_of(metadata, {"nvidia-cublas", "13.1.2"}), Pin::none);
}

TEST(PlainVersions, AreNumbersAndDots) {
  EXPECT_EQ(major_minor("13.0.2").major, 13);
  EXPECT_EQ(major_minor("13.0.2").minor, 0);
  EXPECT_EQ(major_minor("13.4.1.0").minor, 4);
  for (const char* none : {"", "13", "13.", ".13", "13..0", "0.9", "13.0rc1", "1!13.0", "13.0+cu",
                           "v13.0", "13.0 ", "1.2.3.4.5.6.7.8.9", "9999999999.1"}) {
    EXPECT_FALSE(major_minor(none).known()) << none;
  }
  EXPECT_EQ(compare(parse_plain_version("1.0"), parse_plain_version("1")), 0);
  EXPECT_LT(compare(parse_plain_version("12.9"), parse_plain_version("12.10")), 0);
}

TEST(ToolkitDistributions, AreThoseNumberedAsTheToolkitIs) {
  for (const char* name : {"nvidia-cuda-runtime", "nvidia_cuda_runtime_cu12", "NVIDIA.nvJitLink",
                           "nvidia-cuda-nvrtc-cu11", "cuda-toolkit"}) {
    EXPECT_TRUE(is_versioned_as_toolkit(name)) << name;
  }
  for (const char* name : {"nvidia-cublas", "nvidia-cuda-cccl", "torch", "", "nvidia"}) {
    EXPECT_FALSE(is_versioned_as_toolkit(name)) << name;
  }
}

}  // namespace
}  // namespace anycuda
