#include "loader/error_text.h"

#include <cstring>

namespace anycuda {
namespace {

constexpr const char* kUnknown = "unrecognized error code";
constexpr std::int32_t kNoError = 0x7fffffff;  // no release has this number
constexpr std::uint64_t kInvalidValue = 1;     // what the real ones say of an unknown code

const ErrorRow* find_error(std::int32_t value) {
  for (int i = 0; i < kTables.error_count; ++i) {
    if (kTables.errors[i].value == value) return &kTables.errors[i];
  }
  return nullptr;
}

const char* text_of(SpecialFunction special, const ErrorRow& error) {
  return kTables.pool + (special == SpecialFunction::error_name ? error.name : error.text);
}

// Has the CUDA that the caller was built for this error? Its minor is unknown: one release that has
// it is enough.
bool has_error(int symbol_version, const ErrorRow& error) {
  return symbol_version == kNativeSymbolVersion || (error.majors >> (symbol_version - 1) & 1) != 0;
}

// What the library's function says of an error, nullptr or its text for no error if it does not
// know it.
const char* ask(ResultKind result, void* function, std::int32_t value) {
  if (result == ResultKind::string) {
    return reinterpret_cast<const char* (*)(std::int32_t)>(function)(value);
  }
  const char* text = nullptr;
  const std::int32_t status =
      reinterpret_cast<std::int32_t (*)(std::int32_t, const char**)>(function)(value, &text);
  return status == 0 ? text : nullptr;
}

bool knows(const SymbolRow& symbol, void* function, const ErrorRow& error) {
  const char* text = ask(symbol.result, function, error.value);
  const char* unknown = ask(symbol.result, function, kNoError);
  if (text == unknown || text == nullptr) return false;
  return unknown == nullptr || std::strcmp(text, unknown) != 0;
}

// No library has told the text of every error that the headers name.
bool is_newer(const SymbolRow& symbol, int symbol_version, void* function, const ErrorRow& error) {
  return has_error(symbol_version, error) && *text_of(symbol.special, error) != '\0' &&
         !knows(symbol, function, error);
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

bool knows_all_errors(const SymbolRow& symbol, int symbol_version, void* function) {
  for (int i = 0; i < kTables.error_count; ++i) {
    if (is_newer(symbol, symbol_version, function, kTables.errors[i])) return false;
  }
  return true;
}

bool give_newer_error_text(const SymbolRow& symbol, int symbol_version, void* function,
                           Frame* frame) {
  const ErrorRow* error = find_error(static_cast<std::int32_t>(frame->argument(0)));
  if (error == nullptr || !is_newer(symbol, symbol_version, function, *error)) return false;
  give_error_text(symbol, frame);
  return true;
}

}  // namespace anycuda
