#include "compat/library/guard_rails_pipelines.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "compat/library/guard_rails_policy.h"
#include "compat/library/guard_rails_words.h"

namespace anycuda::compat {
namespace {

constexpr std::array<Format, 5> kFormats = {Format::ptx, Format::cubin, Format::elf, Format::ltoir,
                                            Format::nvvm_ir};

bool equal_without_case(std::string_view a, std::string_view b) {
  const auto same_letter = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

std::string all_formats() { return "PTX, CUBIN, ELF, LTO-IR or NVVM-IR"; }

// Headers carry nothing.
bool is_end(const std::string& name, const Item& item) {
  return item.piece->kind != Kind::headers && item.piece->name == name;
}

bool joins(const Pipeline& pipeline, const Item& a, const Item& b) {
  return (is_end(pipeline.producer, a) && is_end(pipeline.consumer, b)) ||
         (is_end(pipeline.producer, b) && is_end(pipeline.consumer, a));
}

}  // namespace

Format format_named(std::string_view name) {
  for (const Format format : kFormats) {
    if (equal_without_case(name, name_of(format))) return format;
  }
  throw UnknownNameError("no format is named " + quoted(std::string(name).c_str()) +
                         ": a pipeline carries " + all_formats());
}

const char* name_of(Format format) {
  switch (format) {
    case Format::ptx:
      return "PTX";
    case Format::cubin:
      return "CUBIN";
    case Format::elf:
      return "ELF";
    case Format::ltoir:
      return "LTO-IR";
    case Format::nvvm_ir:
      return "NVVM-IR";
  }
  return "";
}

Pipeline checked(const Pipeline& pipeline) {
  Pipeline result{catalogue_name(pipeline.producer), catalogue_name(pipeline.consumer),
                  pipeline.formats};
  const std::string ends = result.producer + " -> " + result.consumer;
  if (result.formats.empty()) {
    throw SettingError("the pipeline " + ends + " carries nothing: it may carry " + all_formats());
  }
  for (const Format format : result.formats) {
    if (*name_of(format) == '\0') {
      throw UnknownNameError(
          "the pipeline " + ends + " carries a format that there is not (number " +
          std::to_string(static_cast<int>(format)) + "): it may carry " + all_formats());
    }
  }
  return result;
}

std::optional<BrokenFlow> broken_flow(const Pipeline& pipeline, const Item& a, const Item& b) {
  if (!joins(pipeline, a, b) || !a.version.known() || !b.version.known()) return std::nullopt;
  const bool forward = is_end(pipeline.producer, a) && is_end(pipeline.consumer, b);
  const Item& producer = forward ? a : b;
  const Item& consumer = forward ? b : a;
  const bool with_nvvm = producer.piece->name == "nvvm" || consumer.piece->name == "nvvm";
  for (const Format format : pipeline.formats) {
    const PipelineVerdict verdict =
        judge_flow({format, with_nvvm, producer.version, consumer.version});
    if (verdict != PipelineVerdict::compatible)
      return BrokenFlow{verdict, format, producer, consumer};
  }
  return std::nullopt;
}

bool only_portable_flows(const std::vector<Pipeline>& pipelines, const Item& a, const Item& b) {
  bool joined = false;
  for (const Pipeline& pipeline : pipelines) {
    if (!joins(pipeline, a, b)) continue;
    joined = true;
    if (!std::all_of(pipeline.formats.begin(), pipeline.formats.end(), is_portable)) return false;
  }
  return joined;
}

}  // namespace anycuda::compat
