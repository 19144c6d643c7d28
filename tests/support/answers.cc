// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include <sstream>
#include <stdexcept>

namespace anycuda::test {

std::vector<std::string> answers(const ProcessResult& result) {
  std::vector<std::string> all;
  std::istringstream stream(result.out);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  if (!result.ok()) all.push_back(result.describe());  // the program did not reach its end
  return all;
}

Answers answers_by_name(const ProcessResult& result) {
  Answers all;
  for (const std::string& line : answers(result)) {
    const std::size_t colon = line.find(':');
    if (line.rfind("= ", 0) != 0 || colon == std::string::npos) continue;
    const auto [at, fresh] = all.emplace(line.substr(2, colon - 2), line.substr(colon + 1));
    if (!fresh) throw std::runtime_error("two lines of one name: " + at->first);
  }
  return all;
}

std::string status_of(const std::string& values) { return values.substr(0, values.find(' ', 1)); }

}  // namespace anycuda::test
