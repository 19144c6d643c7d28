// SPDX-License-Identifier: Apache-2.0

// Every exception's text: its lines, and visible escapes in file names and the caller's texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find_machine.h"
#include "guard_rails_machine.h"

namespace anycuda::compat::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kOdd[] = "/tmp/a\n  found: b\x1b[2J\x7f";
constexpr char kVisible[] = "/tmp/a\\x0a  found: b\\x1b[2J\\x7f";

TEST(AnError, OfOneLineHasVisibleEscapes) {
  EXPECT_STREQ(Error(kOdd).what(), kVisible);
  EXPECT_STREQ(LoadError(std::string(kOdd)).what(), kVisible);
  EXPECT_STREQ(NotFoundError(kOdd, {}).what(), kVisible);
  EXPECT_STREQ(Error("\xc3\xa4 \\x0a").what(), "\xc3\xa4 \\x0a");
  EXPECT_STREQ(Error("\xc2\x85|\xc2\x9f|\xc2\xa0|\xe1\x80\x85|\xc2").what(),
               "\\xc2\\x85|\\xc2\\x9f|\xc2\xa0|\xe1\x80\x85|\xc2");
}

TEST(AnError, OfSeveralLinesHasOneEach) {
  const std::vector<std::string> lines = {"a", kOdd, ""};
  EXPECT_EQ(Error(lines).what(), std::string("a\n") + kVisible + "\n");
  const NotFoundError error(lines, {kOdd});
  EXPECT_EQ(error.what(), std::string("a\n") + kVisible + "\n");
  EXPECT_THAT(error.searched(), testing::ElementsAre(kOdd)) << "paths to use, not to read";
}

TEST(ARefusal, HasEachPathInOneLine) {
  RailsMachine machine;
  machine.driver("13.5").library("nvrtc", "13.5").move(Kind::dynamic_library, "nvrtc", kOdd);
  Options options;
  options.constraint = "==12.*";
  EXPECT_THAT(
      message([&] { machine.rails(options).load("nvrtc"); }),
      AllOf(HasSubstr(std::string("\n  found: nvrtc (dynamic library) of CUDA 13.5: ") + kVisible),
            Not(HasSubstr("\n  found: b")), Not(HasSubstr("\x1b"))));
  machine.unopenable(kOdd);
  EXPECT_THAT(message([&] { machine.rails().load("nvrtc"); }),
              HasSubstr(std::string("\n  its message: ") + kVisible + ": undefined symbol"));
}

TEST(AnUnknownName, IsInOneLine) {
  EXPECT_THAT(message([] { component_named(Kind::program, "nv\ncc"); }),
              StartsWith("the catalogue has no program named 'nv\\x0acc'"));
  EXPECT_THAT(message([] { format_named("p\x1btx"); }), Not(HasSubstr("\x1b")));
}

class OddFolders : public FinderTest {};

TEST_F(OddFolders, AreInOneLineEach) {
  lead("CUDA_PATH", "odd\nwhat to do: nothing\x1b[2J");
  file("odd\nwhat to do: nothing\x1b[2J/bin/nvcc");
  const std::string what = refusal(program("nvcc")).what();
  EXPECT_THAT(what, HasSubstr("/odd\\x0awhat to do: nothing\\x1b[2J/bin/nvcc"));
  EXPECT_THAT(what, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\nwhat to do: nothing"))));
}

TEST(TheRootsOfCompanions, AreInOneLineEach) {
  const NotFoundError error =
      also_searched(NotFoundError(std::vector<std::string>{"nowhere", kOdd}, {}),
                    {{kOdd, &Component::root_folders}});
  EXPECT_EQ(error.what(), std::string("nowhere\n") + kVisible + "\na companion was found below " +
                              kVisible + ", but no usable file is there");
}

}  // namespace
}  // namespace anycuda::compat::test
