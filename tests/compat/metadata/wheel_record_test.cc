// SPDX-License-Identifier: Apache-2.0

// The owner of a file, by the text of a RECORD.
#include "compat/metadata/records/wheel_record.h"

#include <gtest/gtest.h>

#include <string>

#include "compat/base/lexical_path.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

constexpr char kSite[] = "/venv/lib/python3.12/site-packages";
constexpr char kFile[] = "/venv/lib/python3.12/site-packages/nvidia/lib/libcudart.so.12";

Arena arena;  // for the paths

struct Case {
  const char* name;
  std::string record;
  std::string path;
  bool listed;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Record : public ::testing::TestWithParam<Case> {};

TEST_P(Record, ListsAFileByItsPath) {
  EXPECT_EQ(record_lists(&arena, GetParam().record, kSite, GetParam().path), GetParam().listed);
}

const std::string kRow = "nvidia/lib/libcudart.so.12,sha256=abc,741088\n";

INSTANTIATE_TEST_SUITE_P(
    Rows, Record,
    ::testing::Values(
        Case{"alone", kRow, kFile, true},
        Case{"among_others", "a/b,,\n" + kRow + "c,,\n", kFile, true},
        Case{"without_an_end_of_line", "nvidia/lib/libcudart.so.12,,", kFile, true},
        Case{"without_hash_and_size", "nvidia/lib/libcudart.so.12\n", kFile, true},
        Case{"of_windows", "a,,\r\nnvidia/lib/libcudart.so.12,,\r\n", kFile, true},
        Case{"quoted", "\"nvidia/lib/libcudart.so.12\",,\n", kFile, true},
        Case{"behind_a_quoted_one", "\"a,\"\"b\",,\n" + kRow, kFile, true},
        Case{"absolute", std::string(kFile) + ",,\n", kFile, true},
        Case{"with_dots", "./nvidia//lib/../lib/libcudart.so.12,,\n", kFile, true},
        Case{"above_the_packages", "../../../bin/nvcc,,\n", "/venv/bin/nvcc", true},
        Case{"asked_with_dots", kRow,
             "/venv/lib/python3.12/site-packages/torch/lib/../../nvidia//lib/./libcudart.so.12",
             true},
        Case{"with_a_comma", "\"a,b/libx.so\",,\n", std::string(kSite) + "/a,b/libx.so", true},
        Case{"empty", "", kFile, false},
        Case{"of_another_file", "nvidia/lib/libcudart.so.11.0,,\n", kFile, false},
        Case{"of_another_folder", "libcudart.so.12,,\nnvidia/libcudart.so.12,,\n", kFile, false},
        Case{"that_only_begins_so", "nvidia/lib/libcudart.so.12.9.79,,\n", kFile, false},
        Case{"that_only_ends_so", "my/nvidia/lib/libcudart.so.12,,\n", kFile, false},
        Case{"that_has_the_name_elsewhere", "x,sha256=nvidia/lib/libcudart.so.12,1\n", kFile,
             false},
        Case{"whose_quotes_hold_a_line", "\"x\nnvidia/lib/libcudart.so.12,,\n\",,\n", kFile, false},
        Case{"whose_quotes_do_not_end", "\"nvidia/lib/libcudart.so.12,,\n", kFile, false},
        Case{"with_another_case", "NVIDIA/lib/libcudart.so.12,,\n", kFile, false},
        Case{"that_lead_nowhere", "../../../../../../../../nvidia/lib/libcudart.so.12,,\n",
             "/nvidia/lib/libcudart.so.12", true},
        Case{"too_long", std::string(5000, 'a') + "/libcudart.so.12,,\n", kFile, false},
        Case{"asked_too_long", kRow, "/" + std::string(5000, 'a') + "/libcudart.so.12", false}),
    test::kPrintedName);

TEST(Record, ListsAFolderByItsFiles) {
  const std::string folder = std::string(kSite) + "/nvidia/cu13/include";
  EXPECT_TRUE(record_lists(&arena, "nvidia/cu13/include/cuda.h,,\n", kSite, folder, true));
  EXPECT_TRUE(record_lists(&arena, "nvidia/cu13/include/crt/host.h,,\n", kSite, folder, true));
  EXPECT_FALSE(record_lists(&arena, "nvidia/cu13/include,,\n", kSite, folder, true));
  EXPECT_FALSE(record_lists(&arena, "nvidia/cu13/include2/cuda.h,,\n", kSite, folder, true));
  EXPECT_FALSE(record_lists(&arena, "nvidia/cu13/include/cuda.h,,\n", kSite, folder, false));
}

TEST(Record, MayEndAnywhere) {
  const std::string whole = "\"a\"\"\",,\r\n\"nvidia/lib/libcudart.so.12\",x,1\n../" + kRow;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part(whole, 0, length);
    EXPECT_EQ(record_lists(&arena, part, kSite, kFile), length >= whole.find("12\"") + 3) << part;
  }
}

TEST(LexicalPath, IsWithoutDotsAndDoubledSlashes) {
  const auto normal = [](const char* path) {
    return std::string(LexicalPath(&arena, path).text());
  };
  EXPECT_EQ(normal("/a//b/./c/"), "/a/b/c");
  EXPECT_EQ(normal("/a/b/../c"), "/a/c");
  EXPECT_EQ(normal("/../../a"), "/a");
  EXPECT_EQ(normal("/a/.."), "/");
  EXPECT_EQ(normal("/.."), "/");
  EXPECT_EQ(normal("/a/..b/...c"), "/a/..b/...c");
  EXPECT_EQ(std::string(LexicalPath(&arena, "/a/b", "../c").text()), "/a/c");
  EXPECT_EQ(std::string(LexicalPath(&arena, "/a/b", "/c").text()), "/c");
  EXPECT_FALSE(LexicalPath(&arena, "/" + std::string(5000, 'x')).usable());
  EXPECT_FALSE(LexicalPath(&arena, "/" + std::string(5000, 'x') + "/../a").usable());
}

TEST(LexicalPath, KnowsFoldersAndNames) {
  EXPECT_EQ(folder_of("/a/b"), "/a");
  EXPECT_EQ(folder_of("/a"), "/");
  EXPECT_EQ(folder_of("/"), "");
  EXPECT_EQ(name_of("/a/b"), "b");
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("/ab", "/a"));
  EXPECT_FALSE(is_below("/a", "/a"));
}

}  // namespace
}  // namespace anycuda
