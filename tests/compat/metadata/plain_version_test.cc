// SPDX-License-Identifier: Apache-2.0

// Specifiers of plain versions, as tables: which versions one admits, and the only release that it
// admits.
#include "compat/metadata/records/plain_version.h"

#include <gtest/gtest.h>

#include <string_view>

namespace anycuda {
namespace {

constexpr SpecifierAnswer yes = SpecifierAnswer::admits;
constexpr SpecifierAnswer no = SpecifierAnswer::excludes;
constexpr SpecifierAnswer unclear = SpecifierAnswer::unclear;

struct Asked {
  const char* specifier;
  const char* version;
  SpecifierAnswer answer;
};

TEST(PlainVersions, ASpecifierAdmitsOrExcludes) {
  const Asked rows[] = {
      {"<13.1", "13.0", yes},    {"<13.1", "13.1", no},         {"<=13.1", "13.1", yes},
      {"<=13.1", "13.2", no},    {">13.1", "13.2", yes},        {">13.1", "13.1", no},
      {">=13.1", "13.1", yes},   {">=13.1", "13.0", no},        {">=13.1", "14.0", yes},
      {"!=13.1", "13.2", yes},   {"!=13.1", "13.1", no},        {"!=13.1.*", "13.1.5", no},
      {"!=13.1.*", "13.2", yes}, {"<=13.1.*", "13.0", unclear}, {"~=13.1", "13.1", yes},
      {"~=13.1", "13.5", yes},   {"~=13.1", "13.0", no},        {"~=13.1.0", "13.2", no},
      {"~=13", "13.1", unclear}, {"==", "13.1", unclear},       {"13.1", "13.1", unclear},
      {"==13.1", "13.1.0", yes}, {"===13.1", "13.1.0", no},     {">=13,<14", "13.5", yes},
      {">=13,<14", "14.0", no},
  };
  for (const Asked& row : rows) {
    EXPECT_EQ(ask_specifier(row.specifier, row.version), row.answer)
        << row.specifier << " asked for " << row.version;
  }
}

struct Only {
  const char* specifier;
  int major;
  int minor;  // -1: none, or several
};

TEST(PlainVersions, ASpecifierMayAdmitOneReleaseOnly) {
  const Only rows[] = {
      {"==13.1", 13, 1},       {"===13", 13, 0},         {"==0.0", 0, 0},
      {"==x", 0, -1},          {"==13.*", 0, -1},        {"==13.*,>=13.999999999", 13, 999999999},
      {"==13.1.*", 13, 1},     {"~=13.1", 0, -1},        {"~=13.1.0", 13, 1},
      {">=13.1,<13.2", 13, 1}, {">=13.1,<=13.1", 13, 1}, {">=13.1,<13.2.1", 0, -1},
  };
  for (const Only& row : rows) {
    const Version only = only_release(row.specifier);
    EXPECT_EQ(only.major, row.major) << row.specifier;
    EXPECT_EQ(only.minor, row.minor) << row.specifier;
  }
}

TEST(PlainVersions, AReleaseSegmentEndsBeforeLettersAndLocalVersions) {
  EXPECT_EQ(release_segment("12.9"), "12.9");
  EXPECT_EQ(release_segment("12.9rc1"), "12.9");
  EXPECT_EQ(release_segment("13.0.post1"), "13.0");
  EXPECT_EQ(release_segment("13.0+local"), "13.0");
  EXPECT_EQ(release_segment("a1"), "");
  EXPECT_EQ(release_segment(".a1"), "");
  EXPECT_EQ(release_segment("13.0x"), "");
  EXPECT_EQ(release_segment(std::string_view("12.99", 4)), "12.9") << "a part of a text";
}

TEST(PlainVersions, AMajorOf1IsKnown) {
  EXPECT_EQ(major_minor("1.5").major, 1);
  EXPECT_EQ(major_minor("1.5").minor, 5);
}

}  // namespace
}  // namespace anycuda
