// SPDX-License-Identifier: Apache-2.0
#include "compat/library/options/options.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace anycuda::compat {
namespace {

constexpr Kind kKinds[] = {Kind::dynamic_library, Kind::headers, Kind::static_library,
                           Kind::bitcode_library, Kind::program};

// By Format.
constexpr const char* kFormatNames[] = {"PTX", "CUBIN", "ELF", "LTO-IR", "NVVM-IR"};

bool equal_without_case(std::string_view a, std::string_view b) {
  const auto same_letter = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

std::string without_hyphens(std::string_view text) {
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), '-'), plain.end());
  return plain;
}

// A text from outside, of any length and with any bytes in it, as a part of a line: "text".
std::string quoted(const char* text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "\"";
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    if (i == kLongest) return out + "...\"";
    const bool plain = text[i] >= 0x20 && text[i] < 0x7f;
    out += plain ? text[i] : '?';
  }
  return out + "\"";
}

// The catalogue's spelling of a component's name, of any kind; throws UnknownNameError.
std::string catalogue_name(const std::string& name) {
  for (const Kind kind : kKinds) {
    if (const Component* component = find_component(kind, name))
      return std::string(component->name);
  }
  return std::string(component_named(Kind::dynamic_library, name).name);
}

std::string all_formats() { return "PTX, CUBIN, ELF, LTO-IR or NVVM-IR"; }

std::string wrong_value(const char* variable, const char* text, const char* unset) {
  return std::string("invalid ") + variable + "=" + quoted(text) + ": expected " +
         values_of(variable) + "; default: " + unset;
}

// The specific variable last: its default is the value of both.
void read_mode(const Environment& environment, Policy* policy) {
  const std::pair<const char*, const char*> settings[] = {{kModeVariable, environment.mode},
                                                          {kApiModeVariable, environment.api_mode}};
  for (const auto& [variable, text] : settings) {
    if (text == nullptr || *text == '\0') continue;
    const Setting<Mode> setting = parse_mode(text, policy->mode);
    if (!setting.understood) {
      throw SettingError(wrong_value(variable, text, name_of(policy->mode)));
    }
    policy->mode = setting.value;
  }
}

void check_option(Mode mode) {
  if (*name_of(mode) != '\0') return;
  throw SettingError(std::string("invalid Options::mode: expected ") + values_of(kModeVariable) +
                     "; default: " + kApiModeVariable + ", else " + kModeVariable +
                     ", else strict");
}

bool resolve_forward_compatibility(const Options& options, const Environment& environment,
                                   Mode mode, bool linux) {
  const Setting<DriverCompat> setting = parse_driver_compat(environment.driver_compat);
  if (!setting.understood) {
    throw SettingError(wrong_value(kDriverCompatVariable, environment.driver_compat,
                                   "the version that the driver reports"));
  }
  const bool assumed =
      options.driver_compat.value_or(setting.value) == DriverCompat::assume_forward_compat;
  if (assumed && !linux && mode != Mode::off) {
    throw SettingError(
        std::string(kDriverCompatVariable) +
        "=assume_forward_compat needs Linux: NVIDIA has its forward-compatibility package "
        "(cuda-compat) only for Linux; unset it to use the version that the driver reports");
  }
  return assumed;
}

void check_given(const DriverFacts& driver) {
  if (driver.present && !driver.cuda.known()) {
    throw SettingError(
        "Options::driver has a driver without the CUDA version that it supports; set the version, "
        "or "
        "leave Options::driver unset to ask the machine's driver");
  }
}

}  // namespace

Policy resolve_policy(const Options& options, const Environment& environment, bool linux) {
  Policy policy;
  read_mode(environment, &policy);
  if (options.mode) {
    check_option(*options.mode);
    policy.mode = *options.mode;
  }
  policy.forward_compatibility =
      resolve_forward_compatibility(options, environment, policy.mode, linux);
  if (options.constraint) policy.constraint.emplace(*options.constraint);
  if (options.driver) check_given(*options.driver);
  policy.driver = options.driver;
  for (const auto& [first, second] : options.allow_mixed_majors) {
    policy.mixed_majors.emplace_back(catalogue_name(first), catalogue_name(second));
  }
  return policy;
}

Format format_named(std::string_view name) {
  const std::string plain = without_hyphens(name);
  for (std::size_t i = 0; i < std::size(kFormatNames); ++i) {
    if (equal_without_case(plain, without_hyphens(kFormatNames[i]))) return static_cast<Format>(i);
  }
  throw UnknownNameError("unknown format " + quoted(std::string(name).c_str()) +
                         ": a pipeline carries " + all_formats());
}

const char* name_of(Format format) {
  const auto index = static_cast<std::size_t>(format);
  return index < std::size(kFormatNames) ? kFormatNames[index] : "";
}

Pipeline checked(const Pipeline& pipeline) {
  Pipeline result{catalogue_name(pipeline.producer), catalogue_name(pipeline.consumer),
                  pipeline.formats};
  const std::string ends = result.producer + " -> " + result.consumer;
  if (result.formats.empty()) {
    throw SettingError("the pipeline " + ends + " has no format: it may carry " + all_formats());
  }
  for (const Format format : result.formats) {
    if (*name_of(format) == '\0') {
      throw UnknownNameError("the pipeline " + ends + " has an unknown format (number " +
                             std::to_string(static_cast<int>(format)) + "): it may carry " +
                             all_formats());
    }
  }
  return result;
}

}  // namespace anycuda::compat
