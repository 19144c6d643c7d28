// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace walk {

using namespace anycuda::linker;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<Form> forms_in(const std::string& folder) {
  const std::map<std::string, InputType> types = {
      {".ptx", InputType::ptx},  {".cubin", InputType::cubin}, {".fatbin", InputType::fatbin},
      {".o", InputType::object}, {".a", InputType::library},   {".ltoir", InputType::lto_ir}};
  std::vector<Form> forms;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    const auto type = types.find(file.path().extension());
    const bool first = name.rfind("first", 0) == 0;
    const bool second = name.find("second") != std::string::npos;
    if (type == types.end() || !(first || second)) continue;
    Form form{name, type->second, read_file(file.path()), {}};
    if (first) form.kernels.insert("first");
    if (second) form.kernels.insert("second");
    forms.push_back(std::move(form));
  }
  std::sort(forms.begin(), forms.end(),
            [](const Form& a, const Form& b) { return a.name < b.name; });
  return forms;
}

}  // namespace walk
