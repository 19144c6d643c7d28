// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/python_path.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"

namespace anycuda {
namespace {

constexpr std::size_t kMostOfPth = 64 << 10;
constexpr int kMostPth = 512;

struct Folders {
  Arena& arena;
  FolderVisitor visit;
  void* argument;
  bool ended = false;

  // True: it is a folder, and was visited.
  bool folder(const char* path, bool begins) {
    if (ended || path == nullptr || !is_folder(path)) return false;
    ended = !visit(path, begins, argument);
    return true;
  }
};

// ---- what .pth files name

struct Names {
  Arena& arena;
  const char** sorted;
  int count;
};

// Python reads them in the order of their names.
void add_sorted(const char* name, void* argument) {
  auto* names = static_cast<Names*>(argument);
  const std::size_t length = std::strlen(name);
  if (length < 4 || std::strcmp(name + length - 4, ".pth") != 0 || *name == '.') return;
  const bool full = names->count == kMostPth;
  if (full && std::strcmp(names->sorted[kMostPth - 1], name) <= 0) return;
  const char* copy = names->arena.copy(name);
  if (copy == nullptr) return;
  int place = full ? kMostPth - 1 : names->count++;
  for (; place > 0 && std::strcmp(names->sorted[place - 1], copy) > 0; --place) {
    names->sorted[place] = names->sorted[place - 1];
  }
  names->sorted[place] = copy;
}

void visit_named(Folders* folders, const char* site, std::string_view path) {
  if (std::memchr(path.data(), '\0', path.size()) != nullptr) return;  // not a path
  const LexicalPath named(&folders->arena, site, path);
  if (named.usable()) folders->folder(folders->arena.copy(named.c_str()), true);
}

// `uv run --with` starts a temporary environment, and adds the project's to it by code:
//   import site; site.addsitedir("/a"); site.addsitedir(__import__("os").fsdecode(b"/b"))
// Other code is not evaluated, nor a path with an escape sequence.
void visit_overlay(Folders* folders, const char* site, std::string_view code) {
  constexpr std::string_view kAdd = "site.addsitedir(";
  constexpr std::string_view kDecoded = "__import__(\"os\").fsdecode(b";
  if (!text::begins(code, "import site; site.addsitedir(")) return;
  for (std::size_t at = text::find(code, kAdd); at != text::kNowhere && !folders->ended;
       at = text::find(code, kAdd)) {
    code = text::without(code, at + kAdd.size());
    if (text::begins(code, kDecoded)) code = text::without(code, kDecoded.size());
    const std::size_t end = text::find(code, "\"", 1);
    if (!text::begins(code, "\"/") || end == text::kNowhere) continue;
    const std::string_view path = text::without(text::first(code, end), 1);
    if (text::find(path, "\\") == text::kNowhere) visit_named(folders, site, path);
  }
}

// As in Python, leading blanks belong to the name.
std::string_view trimmed_right(std::string_view line) {
  while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
  return line;
}

void visit_pth(Folders* folders, const char* site) {
  const Scratch sorted(&folders->arena, kMostPth * sizeof(char*));
  Names names{folders->arena, reinterpret_cast<const char**>(sorted.text()), 0};
  if (names.sorted == nullptr) return;
  each_entry(site, "", &folders->arena, add_sorted, &names);
  TextFile file;
  for (int i = 0; i < names.count && !folders->ended; ++i) {
    const char* path = folders->arena.join(site, names.sorted[i]);
    if (path == nullptr || file.read(path, kMostOfPth) != TextState::read) continue;
    std::string_view rest = file.text();
    while (!rest.empty() && !folders->ended) {
      const std::string_view line = trimmed_right(text::take_line(&rest));
      const bool code = text::begins(line, "import ") || text::begins(line, "import\t");
      if (line.empty() || line.front() == '#') continue;
      code ? visit_overlay(folders, site, line) : visit_named(folders, site, line);
    }
  }
}

// ---- the folders of a prefix

struct Prefix {
  Folders& folders;
  const char* version;         // "python3.11", "": any
  const char* kind;            // "site-packages", "dist-packages", nullptr: both
  const char* library_folder;  // PREFIX/lib
  const char* found[8];
  int count;
};

void visit_python(const char* name, void* argument) {
  auto* prefix = static_cast<Prefix*>(argument);
  // Another Python's packages are not this one's; Debian keeps its own under "python3".
  const bool mine = *prefix->version == '\0' || std::strcmp(name, prefix->version) == 0 ||
                    std::strcmp(name, "python3") == 0;
  for (const char* packages : {"site-packages", "dist-packages"}) {
    if (!mine || prefix->count == 8) return;
    if (prefix->kind != nullptr && *prefix->kind != *packages) continue;
    const char* site =
        prefix->folders.arena.format("%s/%s/%s", prefix->library_folder, name, packages);
    if (prefix->folders.folder(site, prefix->count == 0)) prefix->found[prefix->count++] = site;
  }
}

void visit_prefix(Folders* folders, const char* path, const char* version, bool pth,
                  const char* kind = nullptr) {
  if (path == nullptr || *path != '/') return;
  Prefix prefix{*folders, version, kind, nullptr, {}, 0};
  for (const char* folder : {"lib", "lib64"}) {
    prefix.library_folder = folders->arena.join(path, folder);
    if (prefix.library_folder == nullptr || folders->ended) return;
    each_entry(prefix.library_folder, "py", &folders->arena, visit_python, &prefix);
  }
  for (int i = 0; pth && i < prefix.count && !folders->ended; ++i) {
    visit_pth(folders, prefix.found[i]);
  }
}

// Visits `entry` as seen from `here`.
bool visit_below(Folders* folders, const char* here, std::string_view entry) {
  if (here == nullptr || *here != '/') return false;
  const LexicalPath path(&folders->arena, here, entry);
  return path.usable() && folders->folder(folders->arena.copy(path.c_str()), true);
}

// "/usr/lib/python311.zip": the first of Python's own entries.
bool is_own_library(std::string_view entry) {
  std::string_view name = name_of(entry);
  if (!text::begins(name, "python") || !text::ends(name, ".zip")) return false;
  name = text::first(text::without(name, 6), name.size() - 10);
  while (!name.empty() && (text::is_digit(name.back()) || name.back() == 't')) {
    name.remove_suffix(1);
  }
  return name.empty();
}

// Python makes relative entries absolute when it starts; an empty one is its current folder.
// `first`, which may be unknown, is the folder where it did, `here` the present one. Without both,
// relative entries are left out.
void visit_pythonpath(Folders* folders, const char* entries, const char* first, const char* here) {
  for (const char* entry = entries; entry != nullptr && !folders->ended;) {
    const std::string_view path(entry, std::strcspn(entry, ":"));
    if (is_own_library(path)) return;
    if (text::begins(path, "/")) {
      visit_below(folders, "/", path);
    } else if (!visit_below(folders, first, path)) {
      visit_below(folders, here, path);
    }
    entry += path.size();
    entry = *entry == ':' ? entry + 1 : nullptr;
  }
}

}  // namespace

void each_python_folder(const Machine& machine, const Interpreter& python, Arena* arena,
                        FolderVisitor visit, void* argument) {
  Folders folders{*arena, visit, argument};
  const PythonOptions& options = python.options;
  const auto variable = [&](const char* name) {
    return options.ignores_environment ? nullptr : machine.variable(name);
  };
  const char* here = current_folder(arena);
  const char* entries = python.search_path;
  if (entries == nullptr) entries = variable("PYTHONPATH");
  visit_pythonpath(&folders, entries, machine.variable("PWD"), here);
  if (options.no_site) return;
  const bool virtual_environment = std::strcmp(python.prefix, python.base_prefix) != 0;
  if (virtual_environment) visit_prefix(&folders, python.prefix, python.version, true);
  if (virtual_environment && python.closed) return;
  const bool declined = !options.by_python && variable("PYTHONNOUSERSITE") != nullptr;
  if (!options.no_user_site && !declined) {
    const char* home = machine.variable("HOME");
    const char* base = machine.variable("PYTHONUSERBASE");  // Python reads it with -E, too
    if (base == nullptr && home != nullptr) base = arena->join(home, ".local");
    if (base != nullptr && (here != nullptr || *base == '/')) {
      visit_prefix(&folders, LexicalPath(arena, here != nullptr ? here : "/", base).c_str(),
                   python.version, true);
    }
  }
  // Debian's Python has dist-packages only, every other one site-packages; /usr/local may have
  // both.
  const auto has = [&](const char* version, const char* kind) {
    const char* folder = arena->format("%s/lib/%s/%s", python.base_prefix, version, kind);
    return folder != nullptr && is_folder(folder);
  };
  const bool is_debians = has("python3", "dist-packages");
  const char* kind = is_debians ? "dist-packages" : "site-packages";
  if (is_debians == has(python.version, "site-packages")) kind = nullptr;  // it cannot be told
  // A distribution's Python keeps what its administrator installs apart from its own packages.
  if (is_debians || std::strcmp(python.base_prefix, "/usr") == 0) {
    visit_prefix(&folders, arena->join(python.base_prefix, "local"), python.version, true, kind);
  }
  visit_prefix(&folders, python.base_prefix, python.version, true, kind);
}

void each_pythonpath_folder(const Machine& machine, Arena* arena, FolderVisitor visit,
                            void* argument) {
  Folders folders{*arena, visit, argument};
  visit_pythonpath(&folders, machine.variable("PYTHONPATH"), nullptr, nullptr);
}

void each_packages_folder(const char* prefix, Arena* arena, FolderVisitor visit, void* argument) {
  Folders folders{*arena, visit, argument};
  visit_prefix(&folders, prefix, "", false);
}

}  // namespace anycuda
