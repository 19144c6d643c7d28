// SPDX-License-Identifier: Apache-2.0

// docs/compatibility.md: its example is the one that the tests compile, and its messages are those
// of a real machine. To write it again: ANYCUDA_UPDATE_PAGE=1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

#include "rails_computer.h"

namespace anycuda::test {
namespace {

const std::string kPage = std::string(ANYCUDA_SOURCE_DIR) + "/docs/compatibility.md";

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The page's computer has its folders where everybody's are.
std::string on_my_computer(std::string text,
                           const std::vector<std::pair<std::string, std::string>>& names) {
  for (const auto& [from, to] : names) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
  }
  return text;
}

struct Told {
  std::string type;
  std::string message;
};

class Page : public testing::Test {
 protected:
  static constexpr const char* kDriver = "driver=12.9/575";

  // The last step's error.
  void tell(const RailsComputer& computer, const std::vector<std::string>& steps) {
    const std::string said = computer.rails(steps)[steps.back()];
    const std::size_t colon = said.find(": ");
    const std::string root = computer.root().string();
    // How many folders there are above the program is this build's own.
    static const std::regex above("\\d+ other folders");
    const std::string text =
        on_my_computer(said.substr(colon + 2), {{root + "/venv", "/home/me/venv"}, {root, ""}});
    told_.push_back({said.substr(0, colon), std::regex_replace(text, above, "3 other folders")});
  }

  std::vector<Told> told_;
};

TEST_F(Page, HasEveryErrorsRealMessage) {
  NEEDS_ARTIFACTS("nvrtc-12.9", "nvrtc-13.5", "nvjitlink-13.5", "driver-535");
  {
    RailsComputer computer;
    computer.wheel(nvrtc, "13.5").driver(535);
    tell(computer, {"load:nvrtc"});
  }
  RailsComputer computer;
  computer.wheel(nvrtc, "12.9").wheel(nvjitlink, "13.5");
  tell(computer, {kDriver, "load:nvrtc", "load:nvJitLink"});
  tell(computer, {kDriver, "pipeline:nvrtc,nvJitLink,LTO-IR", "load:nvrtc", "load:nvJitLink"});
  {
    RailsComputer bare;
    const std::string name = "libnvrtc.so.12";
    place_file(file_of("nvrtc-12.9", name), bare.root() / "opt/copied/lib" / name);
    bare.env("CUDA_PATH", (bare.root() / "opt/copied").string());
    tell(bare, {kDriver, "load:nvrtc"});
  }
  tell(computer, {kDriver, "load:cufft"});
  tell(computer, {"constraint=13.2", "load:nvrtc"});
  {
    RailsComputer wrong;
    wrong.env("ANYCUDA_COMPAT", "lenient");
    tell(wrong, {"load:nvrtc"});
  }
  tell(computer, {"load:nvrtc"});
  {
    RailsComputer broken;
    broken.wheel(nvrtc, "12.9");
    broken.need_what_is_not_there(broken.site_packages() / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    tell(broken, {kDriver, "load:nvrtc"});
  }
  tell(computer, {"load:nvJitlinker"});

  std::string section;
  for (const Told& told : told_) {
    section += "`" + told.type + "`\n\n```\n" + told.message + "\n```\n\n";
  }
  std::string page = text_of(kPage);
  const std::string mark = "`tests/compat/real/guard_rails_page_test.cc`):\n\n";
  const std::size_t begin = page.find(mark);
  ASSERT_NE(begin, std::string::npos);
  const std::string expected = page.substr(0, begin) + mark + section.substr(0, section.size() - 1);
  if (std::getenv("ANYCUDA_UPDATE_PAGE") != nullptr) std::ofstream(kPage) << expected;
  EXPECT_EQ(page, expected) << "to write the page again: ANYCUDA_UPDATE_PAGE=1, then look at it";
}

// A class that others derive from is not thrown itself: it has no message.
TEST_F(Page, NamesEveryError) {
  const std::string page = text_of(kPage);
  const std::string header =
      text_of(std::string(ANYCUDA_SOURCE_DIR) + "/compat/include/anycuda/compat/errors.h");
  static const std::regex type("class (\\w+Error) ");
  int count = 0;
  for (auto one = std::sregex_iterator(header.begin(), header.end(), type);
       one != std::sregex_iterator(); ++one, ++count) {
    EXPECT_THAT(page, testing::HasSubstr("| `" + one->str(1) + "` |"));
    if (header.find(": public " + one->str(1) + " ") != std::string::npos) continue;
    EXPECT_THAT(page, testing::HasSubstr("\n`" + one->str(1) + "`\n\n```\n"));
  }
  EXPECT_GE(count, 10);
}

TEST_F(Page, HasTheExampleThatIsCompiled) {
  std::string example =
      text_of(std::string(ANYCUDA_SOURCE_DIR) + "/examples/compat/compile_and_link.cc");
  EXPECT_GT(example.size(), 100u);
  const std::size_t licence = example.find("SPDX");
  if (licence != std::string::npos) example.erase(0, example.find("\n\n", licence) + 2);
  EXPECT_THAT(text_of(kPage), testing::HasSubstr("```cpp\n" + example + "```\n"));
}

}  // namespace
}  // namespace anycuda::test
