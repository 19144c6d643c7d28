// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/check.h"

#include <utility>

#include "linker/base/message_text.h"
#include "linker/inputs/detect_type.h"
#include "linker/inputs/file_head.h"

namespace anycuda::linker {
namespace {

bool has_zero(const std::string& text) { return text.find('\0') != std::string::npos; }

bool is_known(InputType type) { return type <= InputType::nvvm; }

FileHead head_of(const Input& input) {
  if (input.is_file()) return read_head(input.name().c_str(), kHead);
  return {input.content().substr(0, kHead), input.content().size(), {}};
}

// `type`: what it must be, or `any`.
InputType type_of(const Input& input, InputType type, const std::string& name) {
  const FileHead head = head_of(input);
  if (!head.problem.empty()) refuse(input, name, head.problem);
  if (head.bytes.empty()) refuse(input, name, "is empty");
  const std::optional<InputType> seen = detect_type(head.bytes);
  const std::uint64_t least = least_size(head.bytes);
  if (head.size < least) {
    refuse(input, name,
           "is truncated: its header needs at least " + std::to_string(least) +
               " bytes, and there are " + std::to_string(head.size));
  }
  if (type == InputType::any) {
    if (!seen) {
      refuse(input, name,
             "has an unrecognised type (recognised: PTX, CUBIN, fatbin, object, library, LTO-IR): "
             "declare its InputType");
    }
    return *seen;
  }
  if (seen && !is_compatible(type, *seen)) {
    const std::string now = name_of(*seen);
    refuse(input, name,
           input.type() == InputType::any
               ? std::string("was ") + name_of(type) + " when it was added, and is " + now +
                     " now: keep the file unchanged until the link ends"
               : "has the first bytes of " + now + ": correct its InputType");
  }
  if (!seen && has_magic(type)) {
    refuse(input, name,
           std::string("lacks the first bytes of ") + name_of(type) +
               ": it is damaged, or its InputType is wrong");
  }
  return type;
}

Item look_at(Input input, std::size_t place) {
  std::string name = input.name();
  if (name.empty() && !input.is_file()) name = "input " + std::to_string(place);
  if (!is_known(input.type())) {
    throw InputError("the input " + quoted(name) + " has an invalid InputType (" +
                         std::to_string(static_cast<int>(input.type())) + ")",
                     name);
  }
  if (has_zero(name)) refuse(input, name, "has a zero byte in its name");
  if (name.size() > kLongest) refuse(input, name, "has a name of more than 32 KiB");
  if (input.is_file() && name.empty()) refuse(input, name, "has no path");
  if (input.type() == InputType::index && !input.is_file()) {
    refuse(input, name, "must be a file: the files that it lists are beside it");
  }
  const InputType type = type_of(input, input.type(), name);
  return {std::move(input), type, std::move(name)};
}

}  // namespace

void refuse(const Input& input, const std::string& name, const std::string& why) {
  const std::string what = input.is_file() ? "the file " : "the input ";
  throw InputError(what + quoted(name) + " (" + name_of(input.type()) + ") " + why, name);
}

std::vector<Item> checked(std::vector<Input> inputs) {
  if (inputs.empty()) throw NoInputError("there is nothing to link: no input was given");
  std::vector<Item> items;
  items.reserve(inputs.size());
  for (Input& input : inputs) items.push_back(look_at(std::move(input), items.size() + 1));
  return items;
}

void revalidate(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (item.input.is_file()) type_of(item.input, item.type, item.name);
  }
}

bool has_lto_ir(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (item.type == InputType::nvvm || !item.contents.lto_ir_only.empty()) return true;
  }
  return false;
}

void check(const std::vector<Item>& items, const Options& options) {
  for (const Item& item : items) {
    if (item.type != InputType::lto_ir && item.type != InputType::nvvm) continue;
    if (!options.lto) {
      refuse(item.input, item.name,
             std::string(item.input.type() == InputType::any ? "is LTO-IR, which " : "") +
                 "can be linked with link-time optimisation only: set Options::lto");
    }
    if (item.type == InputType::nvvm && options.backend != Backend::driver) {
      refuse(
          item.input, item.name,
          "can be linked only by the driver's linker: set Options::backend, or give LTO-IR of CUDA "
          "12 or later to nvJitLink");
    }
  }
}

}  // namespace anycuda::linker
