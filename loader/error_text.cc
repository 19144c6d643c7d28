// SPDX-License-Identifier: Apache-2.0
#include "loader/error_text.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace anycuda {
namespace {

constexpr const char* kUnknown = "unrecognized error code";
constexpr std::int32_t kNoError = 0x7fffffff;  // no release has this number
constexpr std::uint64_t kInvalidValue = 1;     // the real libraries' status for an unknown code

const ErrorRow* find_error(std::int32_t value) {
  const ErrorRow* const end = kTables.errors + kTables.error_count;
  const ErrorRow* found =
      std::lower_bound(kTables.errors, end, value,
                       [](const ErrorRow& row, std::int32_t wanted) { return row.value < wanted; });
  return found != end && found->value == value ? found : nullptr;
}

const char* text_of(SpecialFunction special, const ErrorRow& error) {
  return kTables.pool + (special == SpecialFunction::error_name ? error.name : error.text);
}

// The library's text for an error. For an error that it does not know: nullptr, or its text for
// unknown errors.
const char* ask(ResultKind result, void* function, std::int32_t value) {
  if (result == ResultKind::string) {
    return reinterpret_cast<const char* (*)(std::int32_t)>(function)(value);
  }
  const char* text = nullptr;
  const std::int32_t status =
      reinterpret_cast<std::int32_t (*)(std::int32_t, const char**)>(function)(value, &text);
  return status == 0 ? text : nullptr;
}

// Is this the library's text for an error that it knows? `unknown`: its text for unknown errors.
bool is_of_known(const char* text, const char* unknown) {
  if (text == nullptr) return false;
  return unknown == nullptr || std::strcmp(text, unknown) != 0;
}

// What the functions below need to know of the library, and the majors of the process's callers.
struct LibraryText {
  std::atomic<void*> function;
  std::atomic<const char*> unknown;  // its text for an error that it does not know
  std::atomic<std::uint32_t> majors;
};
LibraryText of_names, of_texts;

LibraryText& library_text(SpecialFunction special) {
  return special == SpecialFunction::error_name ? of_names : of_texts;
}

constexpr std::uint32_t kAllMajors = 0xffff;
std::uint32_t majors_of(int symbol_version) {
  return symbol_version == kUnversioned ? kAllMajors : 1u << (symbol_version - 1);
}

// The database's text, nullptr if it has none or the caller's CUDA does not have this error. Its
// minor is unknown: one release that has the error is enough.
const char* newer_text(SpecialFunction special, std::int32_t value) {
  const ErrorRow* error = find_error(value);
  const std::uint32_t majors = library_text(special).majors.load(std::memory_order_relaxed);
  if (error == nullptr || (error->majors & majors) == 0) return nullptr;
  const char* text = text_of(special, *error);
  return *text != '\0' ? text : nullptr;  // the database lacks the text of some errors
}

// Written before the slot that leads here. A processor that has read the slot will soon see it.
template <typename Function>
Function* function_in(const LibraryText& library) {
  void* function = nullptr;
  while (function == nullptr) function = library.function.load(std::memory_order_acquire);
  return reinterpret_cast<Function*>(function);
}

template <SpecialFunction special>
const char* text_as_result(std::int32_t value) {
  const LibraryText& library = library_text(special);
  const char* text = function_in<const char*(std::int32_t)>(library)(value);
  if (text != library.unknown.load(std::memory_order_relaxed)) return text;
  const char* newer = newer_text(special, value);
  return newer != nullptr ? newer : text;
}

template <SpecialFunction special>
std::int32_t text_as_output(std::int32_t value, const char** output) {
  using Function = std::int32_t(std::int32_t, const char**);
  const LibraryText& library = library_text(special);
  const std::int32_t status = function_in<Function>(library)(value, output);
  if (output == nullptr) return status;
  if (status == 0 && *output != library.unknown.load(std::memory_order_relaxed)) return status;
  const char* newer = newer_text(special, value);
  if (newer == nullptr) return status;
  *output = newer;
  return 0;
}

template <SpecialFunction special>
void* function_with_newer(ResultKind result) {
  return result == ResultKind::string ? reinterpret_cast<void*>(&text_as_result<special>)
                                      : reinterpret_cast<void*>(&text_as_output<special>);
}

}  // namespace

void give_error_text(const SymbolRow& symbol, Frame* frame) {
  const ErrorRow* error = find_error(static_cast<std::int32_t>(frame->argument(0)));
  const char* text = error != nullptr ? text_of(symbol.special, *error) : nullptr;
  if (symbol.result == ResultKind::string) {
    frame->result = reinterpret_cast<std::uintptr_t>(text != nullptr ? text : kUnknown);
    return;
  }
  auto** output = reinterpret_cast<const char**>(frame->argument(1));
  if (output != nullptr) *output = text;
  frame->result = text != nullptr && output != nullptr ? 0 : kInvalidValue;
}

void* error_text_function(const SymbolRow& symbol, int symbol_version, void* function) {
  const std::uint32_t majors = majors_of(symbol_version);
  const char* unknown = ask(symbol.result, function, kNoError);
  const auto knows = [&](const ErrorRow& error) {
    if ((error.majors & majors) == 0 || *text_of(symbol.special, error) == '\0') return true;
    return is_of_known(ask(symbol.result, function, error.value), unknown);
  };
  const ErrorRow* const end = kTables.errors + kTables.error_count;
  if (std::all_of(kTables.errors, end, knows)) return function;
  LibraryText& library = library_text(symbol.special);
  library.majors.fetch_or(majors, std::memory_order_relaxed);
  library.unknown.store(unknown, std::memory_order_relaxed);
  library.function.store(function, std::memory_order_release);
  return symbol.special == SpecialFunction::error_name
             ? function_with_newer<SpecialFunction::error_name>(symbol.result)
             : function_with_newer<SpecialFunction::error_string>(symbol.result);
}

}  // namespace anycuda
