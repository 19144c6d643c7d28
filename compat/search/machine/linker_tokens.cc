// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/linker_tokens.h"

#include <link.h>
#include <sys/auxv.h>

#include <cstring>
#include <initializer_list>

#include "compat/base/lexical_path.h"
#include "compat/base/text.h"

namespace anycuda {
namespace {

bool is_of_a_name(char c) {
  return text::is_digit(c) || (text::lower(c) >= 'a' && text::lower(c) <= 'z') || c == '_';
}

// The length of the token `name` at the beginning of `text`; 0 without it.
std::size_t token_length(std::string_view text, std::string_view name) {
  if (text.empty() || text.front() != '$') return 0;
  const std::string_view rest = text::without(text, 1);
  if (text::begins(rest, "{")) {
    const std::string_view inside = text::without(rest, 1);
    const bool closed =
        text::begins(inside, name) && text::begins(text::without(inside, name.size()), "}");
    return closed ? name.size() + 3 : 0;
  }
  if (!text::begins(rest, name)) return 0;
  return rest.size() > name.size() && is_of_a_name(rest[name.size()]) ? 0 : name.size() + 1;
}

int find_libc(dl_phdr_info* info, std::size_t, void* libc) {
  const char* path = info->dlpi_name;
  const bool found = path != nullptr && *path == '/' && name_of(path) == "libc.so.6";
  if (found) *static_cast<const char**>(libc) = path;  // it is never unloaded
  return found ? 1 : 0;
}

// The value of $LIB is fixed when glibc is built; glibc's own folder shows it.
std::string_view lib() {
  const char* libc = nullptr;
  dl_iterate_phdr(find_libc, &libc);
  if (libc == nullptr) return "lib";
  const std::string_view folder = folder_of(libc);
  const std::string_view above = folder_of(folder);
  // "/lib64"; "/usr/lib/x86_64-linux-gnu".
  const std::string_view last = name_of(above) == "lib" ? above : folder;
  const std::size_t start = last.size() - name_of(last).size();
  return text::without(folder, start);
}

}  // namespace

std::string_view origin_of(const char* file) {
  return file != nullptr ? folder_of(file) : std::string_view();
}

bool has_linker_tokens(const char* path) {
  const char* const end = path + std::strlen(path);
  const auto next = [end](const char* from) {
    return static_cast<const char*>(std::memchr(from, '$', static_cast<std::size_t>(end - from)));
  };
  for (const char* sign = next(path); sign != nullptr; sign = next(sign + 1)) {
    for (const char* name : {"ORIGIN", "LIB", "PLATFORM"}) {
      if (token_length(sign, name) != 0) return true;
    }
  }
  return false;
}

const char* expand_linker_tokens(std::string_view text, std::string_view origin, Arena* arena) {
  if (text::find(text, "$") == text::kNowhere) {
    return arena->copy(text);
  }
  const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  struct Token {
    std::string_view name;
    std::string_view value;
  };
  const Token tokens[] = {{"ORIGIN", origin},
                          {"LIB", lib()},
                          {"PLATFORM", platform != nullptr ? platform : std::string_view()}};
  const char* made = "";
  while (!text.empty() && made != nullptr) {
    std::size_t length = 0;
    std::string_view value;
    for (const Token& token : tokens) {
      if (length != 0) break;
      length = token_length(text, token.name);
      value = token.value;
    }
    if (length == 0) {
      const std::size_t next = text::find(text, "$", 1);
      length = next != text::kNowhere ? next : text.size();
      value = text::first(text, length);
    } else if (value.empty()) {
      return nullptr;
    }
    made = arena->format("%s%.*s", made, static_cast<int>(value.size()), value.data());
    text = text::without(text, length);
  }
  return made;
}

}  // namespace anycuda
