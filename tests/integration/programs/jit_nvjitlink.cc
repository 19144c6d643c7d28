// SPDX-License-Identifier: Apache-2.0

// A program that was built for one CUDA major and links with nvJitLink (steps.h).
#include <nvJitLink.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "steps.h"

namespace {

using Text = const std::string&;

std::vector<std::string> options = {"-arch=sm_80"};

// "options:-arch=sm_80 -lto", for the links that follow.
std::string set_options(Text text) {
  options.clear();
  std::istringstream words(text);
  for (std::string word; words >> word;) options.push_back(word);
  return "done";
}

nvJitLinkInputType type_of(Text name) {
  if (name == "cubin") return NVJITLINK_INPUT_CUBIN;
  if (name == "ptx") return NVJITLINK_INPUT_PTX;
  if (name == "ltoir") return NVJITLINK_INPUT_LTOIR;
  if (name == "fatbin") return NVJITLINK_INPUT_FATBIN;
  if (name == "object") return NVJITLINK_INPUT_OBJECT;
  return NVJITLINK_INPUT_ANY;
}

// "KIND=FILE": the statuses of creating, adding, completing and destroying, up to the first failure
// and with the destruction; then the linker's word on what came out.
// (A linker changes errno as it likes.)
template <typename Add>
std::string link(Text text, Add add) {
  const nvJitLinkInputType type = type_of(text.substr(0, text.find('=')));
  const std::string file = text.substr(text.find('=') + 1);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  nvJitLinkHandle linker = nullptr;
  std::string result =
      std::to_string(nvJitLinkCreate(&linker, static_cast<uint32_t>(words.size()), words.data()));
  if (result != "0") return result;
  bool made = false;
  for (int step = 0; step < 2; ++step) {
    const std::string status =
        std::to_string(step == 0 ? add(linker, type, file) : nvJitLinkComplete(linker));
    result += " " + status;
    if (status != "0") break;
    made = step == 1;
  }
  std::size_t size = 0;
  if (made) nvJitLinkGetLinkedCubinSize(linker, &size);
  std::string cubin(size, '\0');
  if (size != 0) nvJitLinkGetLinkedCubin(linker, cubin.data());
  result += " " + std::to_string(nvJitLinkDestroy(&linker));
  return result + (cubin.rfind("\177ELF", 0) == 0 ? " cubin" : " nothing");
}

std::string link_data(Text text) {
  return link(text, [](nvJitLinkHandle linker, nvJitLinkInputType type, Text file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(stream), {});
    return nvJitLinkAddData(linker, type, content.data(), content.size(), "part");
  });
}

std::string link_file(Text text) {
  return link(text, [](nvJitLinkHandle linker, nvJitLinkInputType type, Text file) {
    return nvJitLinkAddFile(linker, type, file.c_str());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"options", set_options}, {"link", link_data}, {"link-file", link_file}});
}
