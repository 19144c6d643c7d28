// SPDX-License-Identifier: Apache-2.0
#include "linker/backends/backend.h"

#include "linker/base/message_text.h"
#include "linker/inputs/definitions.h"
#include "linker/inputs/detect_type.h"

namespace anycuda::linker {

LinkError link_error(const Failure& failure, const std::vector<Item>& items,
                     const std::vector<std::string>& options, const Logs& logs) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items)
    names.push_back(quoted(item.name) + " (" + name_of(item.type) + ")");
  return {failure.call + " failed: " + failure.result + "\n  inputs: " + joined(names, ", ") +
              "\n  options: " + (options.empty() ? "none" : in_one_line(joined(options, " "))) +
              "\n  error log: " + (logs.error.empty() ? "empty" : logs.error) + failure.hint,
          failure.number, logs.error, logs.info};
}

std::string checked_output(std::string bytes, Output output, const char* call,
                           const std::vector<Item>& items, const std::vector<std::string>& options,
                           const Logs& logs) {
  if (output == Output::ptx) bytes.erase(bytes.find_last_not_of('\0') + 1);
  if (detect_type(bytes) == type_of(output)) {
    const std::string doubled = output == Output::cubin ? defined_twice(bytes) : "";
    const bool logged = logs.error.find("Multiple definition of") != std::string::npos;
    if (doubled.empty() && !logged) return bytes;
    throw link_error(
        {call,
         "it returned " + std::string(name_of(output)) + ", but two inputs define " +
             (doubled.empty() ? "the same name" : quoted(doubled)) +
             ", and only one definition is in it: remove the name from one of the inputs",
         0},
        items, options, logs);
  }
  const std::string what =
      "it returned " + std::to_string(bytes.size()) + " bytes that are not " + name_of(output);
  throw link_error({call, what, 0}, items, options, logs);
}

}  // namespace anycuda::linker
