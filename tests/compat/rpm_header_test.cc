// SPDX-License-Identifier: Apache-2.0

// The header of an RPM package, as its database has it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compat/search/toolkit/records/rpm_header.h"

namespace anycuda {
namespace {

constexpr unsigned kName = 1000, kDirIndexes = 1116, kBaseNames = 1117, kDirNames = 1118;

std::string number(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

struct Tag {
  unsigned tag;
  unsigned type;
  std::size_t count;
  std::string values;
};

Tag strings(unsigned tag, const std::vector<std::string>& texts) {
  std::string values;
  for (const std::string& text : texts) values += text + '\0';
  return {tag, 8, texts.size(), values};
}
Tag numbers(unsigned tag, const std::vector<std::size_t>& all) {
  std::string values;
  for (const std::size_t one : all) values += number(one);
  return {tag, 4, all.size(), values};
}

std::string header(const std::vector<Tag>& tags) {
  std::string entries, store;
  for (const Tag& tag : tags) {
    entries += number(tag.tag) + number(tag.type) + number(store.size()) + number(tag.count);
    store += tag.values;
  }
  return number(tags.size()) + number(store.size()) + entries + store;
}

const std::vector<Tag> kTags = {
    strings(kName, {"cuda-cudart-12-9"}),
    strings(1004, {"A library"}),
    numbers(kDirIndexes, {1, 1, 0}),
    strings(kBaseNames, {"libcudart.so.12", "libcudart.so.12.9.79", "README"}),
    strings(kDirNames, {"/usr/share/doc/", "/usr/lib64/"}),
    strings(5000, {"libother.so"}),
};

TEST(RpmHeader, SaysWhatItIsAndHas) {
  const std::string text = header(kTags);
  EXPECT_EQ(rpm_name(text), "cuda-cudart-12-9");
  EXPECT_TRUE(rpm_lists(text, "/usr/lib64/libcudart.so.12"));
  EXPECT_TRUE(rpm_lists(text, "/usr/lib64/libcudart.so.12.9.79"));
  EXPECT_TRUE(rpm_lists(text, "/usr/share/doc/README"));
}

TEST(RpmHeader, ListsFilesAndNothingElse) {
  const std::string text = header(kTags);
  for (const char* other :
       {"/usr/share/doc/libcudart.so.12", "/usr/lib64/README", "/usr/lib64/libcudart.so",
        "/usr/lib64/", "/usr/lib64", "/lib64/libcudart.so.12", "/usr/lib64/libother.so",
        "libcudart.so.12", "/", ""}) {
    EXPECT_FALSE(rpm_lists(text, other)) << other;
  }
}

TEST(RpmHeader, OfTwoFoldersWithTheSameFileListsBoth) {
  const std::string text = header({numbers(kDirIndexes, {0, 1}), strings(kBaseNames, {"a", "a"}),
                                   strings(kDirNames, {"/b/", "/c/", "/d/"})});
  EXPECT_TRUE(rpm_lists(text, "/b/a"));
  EXPECT_TRUE(rpm_lists(text, "/c/a"));
  EXPECT_FALSE(rpm_lists(text, "/d/a"));
}

TEST(RpmHeader, HasTheNameWhereItIsCutOffBehindIt) {
  const std::string text = header(kTags);
  EXPECT_EQ(rpm_name(text.substr(0, text.find("A library"))), "cuda-cudart-12-9");
  EXPECT_EQ(rpm_name(text.substr(0, text.find("cuda-cudart"))), "");
  EXPECT_EQ(rpm_name(text.substr(0, 20)), "");
  EXPECT_EQ(rpm_name(""), "");
}

TEST(RpmHeader, WithoutATagHasNothing) {
  EXPECT_EQ(rpm_name(header({strings(1004, {"A library"})})), "");
  for (std::size_t missing = 2; missing < 5; ++missing) {
    std::vector<Tag> tags = kTags;
    tags.erase(tags.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(rpm_lists(header(tags), "/usr/lib64/libcudart.so.12")) << missing;
  }
}

// In memory of its very size, so that a sanitizer sees what is read behind it.
void ask(const std::string& text) {
  const std::vector<char> exact(text.c_str(), text.c_str() + text.size() + 1);
  const std::string_view bytes(exact.data(), text.size());
  const std::string_view name = rpm_name(bytes);
  EXPECT_LE(name.data() + name.size(), bytes.data() + bytes.size());
  rpm_lists(bytes, "/usr/lib64/libcudart.so.12.9.79");
}

TEST(RpmHeader, Broken_DoesNotCrash) {
  const std::string text = header(kTags);
  for (std::size_t size = 0; size <= text.size(); ++size) ask(text.substr(0, size));
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const unsigned change : {0x01u, 0x7fu, 0x80u, 0xffu}) {
      std::string broken = text;
      broken[at] = static_cast<char>(static_cast<unsigned char>(broken[at]) ^ change);
      ask(broken);
    }
  }
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
    for (const std::size_t value :
         {std::size_t{0}, std::size_t{0x7fffffff}, std::size_t{0xffffffff}}) {
      ask(text.substr(0, at) + number(value) + text.substr(at + 4));
    }
  }
}

}  // namespace
}  // namespace anycuda
