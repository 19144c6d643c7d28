// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/interpreter.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"
#include "compat/search/machine/pyvenv.h"

namespace anycuda {
namespace {

constexpr std::size_t kMostOfPyvenv = 64 << 10;

class Program {
 public:
  Program(const ProcessNames& names, Arena* arena) : names_(names), arena_(*arena) {}

  // The absolute name that the program was called by, nullptr if unknown. Python's own answer
  // counts before the traces of the call: argv[0] can be anything, and the current folder may be
  // another by now.
  const char* name() const {
    const char* by_python = names_.by_python;
    if (by_python != nullptr && *by_python == '\0') return nullptr;
    if (by_python != nullptr && *by_python == '/') return by_python;
    for (const char* called : {names_.called, names_.started}) {
      if (called == nullptr || *called == '\0') continue;
      if (*called == '/') {
        if (leads_to_program(called)) return called;
        continue;
      }
      const bool bare = std::strrchr(called, '/') == nullptr;
      const char* found = bare ? in_path(called) : nullptr;
      for (const char* folder : {names_.folder, names_.first_folder}) {
        if (found == nullptr && folder != nullptr) found = in_folder(folder, called);
      }
      if (found != nullptr) return found;
    }
    return nullptr;
  }

 private:
  // A guess counts only if it leads to the running file: a folder may have another program of that
  // name.
  bool leads_to_program(const char* path) const {
    if (path == nullptr || *path != '/') return false;
    const std::size_t mark = arena_.mark();
    const char* real = real_path(path, &arena_);
    const bool same = real != nullptr && std::strcmp(real, names_.executable) == 0;
    arena_.rewind(mark);
    return same;
  }

  const char* in_folder(const char* folder, const char* name) const {
    const char* path = arena_.join(folder, name);
    return leads_to_program(path) ? path : nullptr;
  }

  const char* in_path(const char* name) const {
    const char* entry = names_.path;
    while (entry != nullptr && *entry != '\0') {
      const auto length = static_cast<int>(std::strcspn(entry, ":"));
      const char* path = arena_.format("%.*s/%s", length, entry, name);
      if (leads_to_program(path)) return path;
      entry += length;
      if (*entry == ':') ++entry;
    }
    return nullptr;
  }

  const ProcessNames& names_;
  Arena& arena_;
};

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

// The text after "python" or "pypy" in a file's name ("3.11" of "platform-python3.11"); nullptr:
// another program.
const char* behind_family(const char* file_name, const char* family) {
  const char* found = std::strstr(file_name, family);
  return found != nullptr ? found + std::strlen(family) : nullptr;
}

// "python3.11" by the name of the program's file, by Py_GetVersion(), or by pyvenv.cfg.
const char* version_of(const char* family, const char* text, const char* by_python,
                       std::string_view configured, Arena* arena) {
  const char* free_threading = "";
  if (version_length(text) == 0 && by_python != nullptr) {
    text = by_python;
    if (std::strstr(text, "free-threading") != nullptr) free_threading = "t";
  }
  if (version_length(text) == 0) text = arena->copy(configured);
  const std::size_t length = text != nullptr ? version_length(text) : 0;
  if (length == 0) return "";
  const char* version =
      arena->format("%s%.*s%s", family, static_cast<int>(length), text, free_threading);
  return version != nullptr ? version : "";
}

// The virtual environment that `program` (absolute, as text) was called in, if it was in one.
bool read_pyvenv(std::string_view program, TextFile* file, Arena* arena) {
  for (const std::string_view folder : {folder_of(program), above_folder(program)}) {
    const std::size_t mark = arena->mark();
    const char* path =
        arena->format("%.*s/pyvenv.cfg", static_cast<int>(folder.size()), folder.data());
    const bool found = path != nullptr && file->read(path, kMostOfPyvenv, true) == TextState::read;
    arena->rewind(mark);
    if (found) return true;
  }
  return false;
}

// A relative PYTHONHOME counts from the folder where Python was started. It stays relative where
// that folder is unknown: then Python's packages are unknown, too.
const char* made_absolute(const char* path, const ProcessNames& names, Arena* arena) {
  if (path == nullptr || *path == '/' || *path == '\0') return path;
  for (const char* folder : {names.first_folder, names.folder}) {
    const char* whole = folder != nullptr ? arena->join(folder, path) : nullptr;
    if (whole != nullptr && is_folder(whole)) return whole;
  }
  return path;
}

// sys.base_prefix, nullptr: unknown.
const char* base_of(const ProcessNames& names, const Interpreter& found, std::string_view home,
                    Arena* arena) {
  const char* stored = made_absolute(names.python_prefix, names, arena);
  if (stored != nullptr && *stored == '/') {
    const LexicalPath path(arena, stored);
    if (path.usable() && (found.prefix == nullptr || path.text() != found.prefix)) return stored;
  }
  if (names.home != nullptr && !found.options.ignores_environment) {
    const char* prefix = arena->copy(text::first(names.home, std::strcspn(names.home, ":")));
    return made_absolute(prefix, names, arena);
  }
  // An environment made by copying, or another program: the file that runs is not in the base.
  TextFile file;
  const LexicalPath base(arena, "/", home);
  const bool copied =
      !home.empty() && (names.embeds_python || read_pyvenv(names.executable, &file, arena));
  const std::string_view folder = copied ? folder_of(base.text()) : above_folder(names.executable);
  return folder.empty() ? nullptr : arena->copy(folder);
}

}  // namespace

Interpreter interpreter_of(const ProcessNames& names, Arena* arena) {
  Interpreter found;
  found.executable = names.executable;
  if (names.executable == nullptr || *names.executable != '/') return found;
  const char* file_name = std::strrchr(names.executable, '/') + 1;
  const char* family = "python";
  const char* behind = behind_family(file_name, family);
  if (behind == nullptr) behind = behind_family(file_name, family = "pypy");
  if (behind == nullptr) {
    if (!names.embeds_python) return found;
    family = "python";
    behind = "";
  }
  found.is_embedded = names.embeds_python;
  found.options = names.options;
  if (names.arguments != nullptr) {
    found.options = parse_python_options(names.arguments, names.arguments_size);
  }
  found.search_path = names.python_path;
  TextFile file;
  Pyvenv venv;
  const char* name = Program(names, arena).name();
  // A pyvenv.cfg beside a program that embeds Python says nothing about that Python.
  const bool has_name = name != nullptr || !names.embeds_python;
  const LexicalPath program(arena, name != nullptr ? name : names.executable);
  if (has_name && program.usable() && read_pyvenv(program.text(), &file, arena)) {
    venv = parse_pyvenv(file.text());
    const std::string_view prefix = above_folder(program.text());
    found.prefix = prefix.empty() ? nullptr : arena->copy(prefix);
    found.closed = venv.closed;
  }
  found.base_prefix = base_of(names, found, venv.home, arena);
  if (found.prefix == nullptr) found.prefix = found.base_prefix;
  found.version = version_of(family, behind, names.python_version, venv.version, arena);
  return found;
}

}  // namespace anycuda
