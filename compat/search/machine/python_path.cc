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

void visit_named(Folders* folders, const char* site, std::string_view path) {
  if (std::memchr(path.data(), '\0', path.size()) != nullptr) return;  // not a path
  const LexicalPath named(&folders->arena, site, path);
  if (named.usable()) folders->folder(folders->arena.copy(named.c_str()), true);
}

// The row "uv: `uv run --with PACKAGE` in the same project": it starts a temporary environment, and
// adds the project's to it by code:
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

struct Pth {
  Folders* folders;
  const char* site;
  TextFile file;
};

void visit_pth_file(const char* name, void* argument) {
  auto* pth = static_cast<Pth*>(argument);
  Folders* folders = pth->folders;
  if (!text::ends(name, ".pth") || folders->ended) return;
  const char* path = folders->arena.join(pth->site, name);
  if (path == nullptr || pth->file.read(path, kMostOfPth) != TextState::read) return;
  std::string_view rest = pth->file.text();
  while (!rest.empty() && !folders->ended) {
    const std::string_view line = trimmed_right(text::take_line(&rest));
    const bool code = text::begins(line, "import ") || text::begins(line, "import\t");
    if (line.empty() || line.front() == '#') continue;
    code ? visit_overlay(folders, pth->site, line) : visit_named(folders, pth->site, line);
  }
}

// The row "`pip install -e` of a project that has its own folder nvidia/ in src".
void visit_pth(Folders* folders, const char* site) {
  Pth pth{folders, site, {}};
  each_entry(site, "", &folders->arena, visit_pth_file, &pth);
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
  // Another Python's packages are not this one's.
  const bool mine = *prefix->version == '\0' || std::strcmp(name, prefix->version) == 0;
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
  if (folders->ended || path == nullptr || *path != '/') return;
  Prefix prefix{*folders, version, kind, nullptr, {}, 0};
  prefix.library_folder = folders->arena.join(path, "lib");
  if (prefix.library_folder == nullptr) return;
  each_entry(prefix.library_folder, "py", &folders->arena, visit_python, &prefix);
  for (int i = 0; pth && i < prefix.count && !folders->ended; ++i) {
    visit_pth(folders, prefix.found[i]);
  }
}

// Relative entries are left out: of those that Python had when it started, it has made full paths.
void visit_pythonpath(Folders* folders, const char* entries) {
  for (const char* entry = entries; entry != nullptr && !folders->ended;) {
    const std::size_t length = std::strcspn(entry, ":");
    if (*entry == '/') {
      const LexicalPath path(&folders->arena, {entry, length});
      if (path.usable()) folders->folder(folders->arena.copy(path.c_str()), true);
    }
    entry = entry[length] == ':' ? entry + length + 1 : nullptr;
  }
}

}  // namespace

void each_python_folder(const Machine& machine, const Interpreter& python, Arena* arena,
                        FolderVisitor visit, void* argument) {
  Folders folders{*arena, visit, argument};
  // The rows "`pip install --target libs`, PYTHONPATH=libs (relative)", and, of the options,
  // "started as `python -s`"; tests/setups/test_sys_path.py has the others.
  const char* const path = python.search_path;  // nullptr: Python has not started yet
  visit_pythonpath(&folders, path != nullptr ? path : machine.variable("PYTHONPATH"));
  if (folders.ended || python.options.no_site) return;
  const bool virtual_environment = std::strcmp(python.prefix, python.base_prefix) != 0;
  if (virtual_environment) visit_prefix(&folders, python.prefix, python.version, true);
  if (virtual_environment && python.closed) return;
  if (!python.options.no_user_site) {  // "The system's Python with `pip install --user`"
    const char* here = current_folder(arena);
    const char* home = machine.variable("HOME");
    const char* base = machine.variable("PYTHONUSERBASE");  // test_sys_path.py
    if (base == nullptr && home != nullptr) base = arena->join(home, ".local");
    if (base != nullptr && (here != nullptr || *base == '/')) {
      visit_prefix(&folders, LexicalPath(arena, here != nullptr ? here : "/", base).c_str(),
                   python.version, true);
    }
  }
  // Debian's Python has dist-packages only, every other one site-packages; /usr/local may have both
  // (test_sys_path.py).
  const auto has = [&](const char* version, const char* kind) {
    const char* folder = arena->format("%s/lib/%s/%s", python.base_prefix, version, kind);
    return folder != nullptr && is_folder(folder);
  };
  const bool is_debians = has("python3", "dist-packages");
  const char* kind = is_debians ? "dist-packages" : "site-packages";
  if (is_debians == has(python.version, "site-packages")) kind = nullptr;  // it cannot be told
  // The row "Debian's Python with `pip install` as root".
  if (is_debians || std::strcmp(python.base_prefix, "/usr") == 0) {
    visit_prefix(&folders, arena->join(python.base_prefix, "local"), python.version, true, kind);
  }
  visit_prefix(&folders, python.base_prefix, python.version, true, kind);
}

void each_pythonpath_folder(const Machine& machine, Arena* arena, FolderVisitor visit,
                            void* argument) {
  Folders folders{*arena, visit, argument};
  visit_pythonpath(&folders, machine.variable("PYTHONPATH"));
}

void each_packages_folder(const char* prefix, Arena* arena, FolderVisitor visit, void* argument) {
  Folders folders{*arena, visit, argument};
  visit_prefix(&folders, prefix, "", false);
}

}  // namespace anycuda
