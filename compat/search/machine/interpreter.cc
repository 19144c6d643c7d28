// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/interpreter.h"

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"
#include "compat/search/machine/pyvenv.h"

namespace anycuda {
namespace {

constexpr std::size_t kMostOfPyvenv = 64 << 10;

// Relative paths count from the folder where the program was started, if it is known.
const char* from_first_folder(const char* path, const ProcessNames& names, Arena* arena) {
  if (path == nullptr || *path == '/' || names.first_folder == nullptr) return path;
  return arena->join(names.first_folder, path);
}

// The absolute name that the program was started by, nullptr if unknown: what Python says, or, if
// its entry of PATH is relative, what the kernel was given (tests/setups/test_venv_starts.py, "a
// relative PATH, then another folder").
const char* name_of_program(const ProcessNames& names, Arena* arena) {
  const char* by_python = names.by_python;
  if (by_python != nullptr && *by_python == '/') return by_python;
  const char* started = from_first_folder(names.started, names, arena);
  const bool is_full = started != nullptr && *started == '/';
  const char* real = is_full ? real_path(started, arena) : nullptr;
  return real != nullptr && std::strcmp(real, names.executable) == 0 ? started : nullptr;
}

// "/opt" of "/opt/bin/python3"; empty without two folders above the program.
std::string_view above_folder(std::string_view program) { return folder_of(folder_of(program)); }

// The length of "3.13" or "3.13t" (free-threaded) at the beginning of `text`; 0 without one.
std::size_t version_length(const char* text) {
  std::size_t end = 0;
  while (text::is_digit(text[end])) ++end;
  if (end == 0 || text[end] != '.' || !text::is_digit(text[end + 1])) return 0;
  for (++end; text::is_digit(text[end]);) ++end;
  return text[end] == 't' ? end + 1 : end;
}

// "python3.11" by the name of the program's file, "platform-python3.11"; "" if it has no version.
const char* version_of(const char* file_name, Arena* arena) {
  constexpr char kFamily[] = "python";
  const char* family = std::strstr(file_name, kFamily);
  const std::size_t length = family != nullptr ? version_length(family + sizeof kFamily - 1) : 0;
  if (length == 0) return "";
  const char* version = arena->copy({family, sizeof kFamily - 1 + length});
  return version != nullptr ? version : "";
}

// The pyvenv.cfg of the virtual environment with this prefix, if it is one (the rows "venv, ...").
bool read_pyvenv(std::string_view prefix, TextFile* file, Arena* arena) {
  const std::size_t mark = arena->mark();
  const char* path =
      arena->format("%.*s/pyvenv.cfg", static_cast<int>(prefix.size()), prefix.data());
  const bool found = path != nullptr && file->read(path, kMostOfPyvenv, true) == TextState::read;
  arena->rewind(mark);
  return found;
}

// sys.base_prefix, nullptr: unknown. What Python says is relative with a relative PYTHONHOME
// (tests/setups/test_sys_path.py), and the environment's from Python 3.14 on (the row "venv, not
// activated, called by its path"): then it is that of the file that runs, behind all links.
const char* base_of(const ProcessNames& names, const Interpreter& found, Arena* arena) {
  const char* stored = from_first_folder(names.python_prefix, names, arena);
  if (stored != nullptr && *stored == '/') {
    const LexicalPath path(arena, stored);
    if (path.usable() && (found.prefix == nullptr || path.text() != found.prefix)) return stored;
  }
  const std::string_view folder = above_folder(names.executable);
  return folder.empty() ? nullptr : arena->copy(folder);
}

}  // namespace

Interpreter interpreter_of(const ProcessNames& names, Arena* arena) {
  Interpreter found;
  found.executable = names.executable;
  if (names.executable == nullptr || *names.executable != '/') return found;
  const char* file_name = std::strrchr(names.executable, '/') + 1;
  if (std::strstr(file_name, "python") == nullptr && !names.embeds_python) return found;
  found.is_embedded = names.embeds_python;
  found.options = names.options;
  found.search_path = names.python_path;
  TextFile file;
  const char* name = name_of_program(names, arena);
  // A pyvenv.cfg beside a program that embeds Python says nothing about that Python
  // (tests/setups/test_embedded_python.py).
  if (name == nullptr && !names.embeds_python) name = names.executable;
  const LexicalPath program(arena, name != nullptr ? name : "");
  const std::string_view prefix = above_folder(program.text());
  if (!prefix.empty() && read_pyvenv(prefix, &file, arena)) {
    found.prefix = arena->copy(prefix);
    found.closed = is_closed(file.text());
  }
  found.base_prefix = base_of(names, found, arena);
  if (found.prefix == nullptr) found.prefix = found.base_prefix;
  found.version = version_of(file_name, arena);
  return found;
}

}  // namespace anycuda
