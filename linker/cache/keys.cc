// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/keys.h"

#include <filesystem>
#include <system_error>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/probe.h"
#include "linker/backends/context.h"
#include "linker/base/message_text.h"
#include "linker/cache/cacheable.h"
#include "linker/cache/library_build.h"
#include "linker/cache/record.h"
#include "linker/inputs/file_head.h"

namespace anycuda::linker {
namespace {

// To be increased when the same key would mean another result or other fields.
constexpr char kSchema[] = "1";

class KeyBytes {
 public:
  explicit KeyBytes(const char* kind, const Maker& maker)
      : fields_{kind, kSchema, maker.name, describe(maker.version), maker.build} {}
  KeyBytes& add(std::string text) {
    fields_.push_back(std::move(text));
    return *this;
  }
  KeyBytes& add(const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    fields_.insert(fields_.end(), texts.begin(), texts.end());
    return *this;
  }
  std::string bytes() const { return encode(fields_); }

 private:
  Fields fields_;
};

std::string working_folder() {
  std::error_code unknown;
  return std::filesystem::current_path(unknown).string();
}

Problem add_file(const Item& item, KeyBytes* key) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  FileHead file = read_head(item.input.name().c_str(), kMost);
  if (!file.problem.empty() || file.bytes.size() != file.size) return Problem::unread_file;
  key->add("").add(std::move(file.bytes));
  return Problem::none;
}

Maker link_maker(const BackendReport& report) {
  if (report.backend == Backend::nvjitlink) {
    return {name_of(Backend::nvjitlink), report.facts.nvjitlink, build_of(probe_nvjitlink().path)};
  }
  const DriverProbe driver = probe_driver();
  return {name_of(Backend::driver), driver.version, build_of(driver.path)};
}

}  // namespace

Maker nvrtc_maker(const std::string& path, Version version) {
  // NVRTC opens it by this name at the first compilation.
  const std::string builtins = "libnvrtc-builtins.so." + describe(version);
  return {"NVRTC", version, build_of(path) + " " + build_of_neighbour(builtins, path)};
}

Key compile_key(const Source& source, const std::vector<std::string>& options, Output output,
                const Maker& maker, const std::string& files) {
  const Problem problem = why_uncacheable(source, options, !files.empty());
  if (problem != Problem::none) return {"", problem};
  KeyBytes key("compile", maker);
  key.add(name_of(output)).add(options).add(source.name).add(source.text).add(source.expressions);
  for (const Header& header : source.headers) key.add(header.name).add(header.content);
  key.add(files).add(has_working_folder(options) ? working_folder() : "");
  return {key.bytes()};
}

Key link_key(const std::vector<Item>& items, const Options& options, const BackendReport& report,
             const std::vector<std::string>& arguments) {
  if (options.time) return {"", Problem::timing};
  if (has_options_file(options.ptxas_options)) return {"", Problem::unknown_option};
  KeyBytes key("link", link_maker(report));
  key.add(name_of(options.output)).add(arguments).add(std::to_string(options.log_bytes));
  if (report.backend == Backend::driver && options.arch.empty()) {
    try {
      key.add(arch_of_context());
    } catch (const OptionError&) {
      return {"", Problem::unknown_device};
    }
  }
  for (const Item& item : items) {
    key.add(name_of(item.type));
    if (item.type == InputType::index) return {"", Problem::index_input};
    if (!item.input.is_file()) {
      key.add(item.name).add(item.input.content());
      continue;
    }
    const Problem problem = add_file(item, &key);
    if (problem != Problem::none) return {"", problem};
  }
  return {key.bytes()};
}

}  // namespace anycuda::linker
