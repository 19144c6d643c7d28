// SPDX-License-Identifier: Apache-2.0

// The environment that a program belongs to, and the folders that this process may not enter: a
// search passes over them, so a library in one looks as if it were not installed.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/base/environment.h"
#include "compat/base/folder_entries.h"
#include "compat/doctor/ask.h"
#include "compat/doctor/files.h"
#include "compat/doctor/record_writer.h"
#include "compat/search/machine/system_folders.h"
#include "compat/search/machine/system_toolkits.h"

namespace anycuda::doctor {
namespace {

// Below a prefix, a toolkit, a site-packages folder: where libraries are.
constexpr const char* kBelow[] = {"lib", "lib64", kTarget, "nvidia"};
constexpr int kMostEntries = 4096;  // of one folder

struct Look {
  Arena* arena;
  RecordWriter* records;
  const char* folder = nullptr;
  int entries = 0;
};

// True if the folder is there and may be entered.
bool look_at(const Look& look, const char* folder) {
  if (folder == nullptr) return false;
  const int error = enter_folder(folder);
  if (error != EACCES) return error == 0;
  char blocker[PATH_MAX];
  find_blocker(folder, blocker);
  look.records->begin("denied").field("path", folder).field("blocker", blocker).end();
  return false;
}

void each_below(const Look& look, const char* folder, const char* prefix,
                void (*visit)(const char*, void*)) {
  Look below{look.arena, look.records, folder};
  if (look_at(look, folder)) each_entry(folder, prefix, look.arena, visit, &below);
}

// A name that counts, joined to its folder; nullptr else.
const char* entry_of(Look* look, const char* name) {
  const bool counts = *name != '.' && ++look->entries <= kMostEntries;
  return counts ? look->arena->join(look->folder, name) : nullptr;
}

void visit_wheel(const char* name, void* argument) {
  auto* look = static_cast<Look*>(argument);
  const std::size_t mark = look->arena->mark();
  const char* folder = entry_of(look, name);
  if (folder != nullptr && look_at(*look, folder)) look_at(*look, look->arena->join(folder, "lib"));
  look->arena->rewind(mark);
}

void visit_python(const char* name, void* argument) {
  auto* look = static_cast<Look*>(argument);
  const std::size_t mark = look->arena->mark();
  const char* python = entry_of(look, name);
  const char* site = python != nullptr ? look->arena->join(python, "site-packages") : nullptr;
  if (site != nullptr && look_at(*look, site)) {
    each_below(*look, look->arena->join(site, "nvidia"), "", visit_wheel);
  }
  look->arena->rewind(mark);
}

// Two variables may name one folder by different paths.
void write_real(const char* folder, RecordWriter* records) {
  char real[PATH_MAX];
  if (realpath(folder, real) == nullptr || std::strcmp(folder, real) == 0) return;
  records->begin("real").field("path", folder).field("real", real).end();
}

void look_around(const Look& look, const char* folder) {
  const std::size_t mark = look.arena->mark();
  if (look_at(look, folder)) {
    for (const char* below : kBelow) look_at(look, look.arena->join(folder, below));
    each_below(look, look.arena->join(folder, "nvidia"), "", visit_wheel);
    each_below(look, look.arena->join(folder, "lib"), "python3", visit_python);
  }
  look.arena->rewind(mark);
}

bool visit_toolkit(const char* folder, void* look) {
  look_around(*static_cast<const Look*>(look), folder);
  return true;
}

void look_at_system(Look look) {
  const char* root = system_root();
  const auto look_in = [&](auto& folders) {
    for (const auto& folder : folders) look_at(look, look.arena->join(root, folder));
  };
  look_in(kShared);
  look_in(kHostsDriver);
  look_in(kOtherDriver);
  look_at(look, look.arena->join(root, "usr/local"));
  each_system_toolkit({}, root, look.arena, visit_toolkit, &look);
}

char text[4096];
char venv[4096];

void write_environment(const char* prefix, Arena* arena, RecordWriter* records) {
  const char* meta = arena->join(prefix, "conda-meta");
  const bool conda = *prefix == '/' && meta != nullptr && is_folder(meta);
  const char* history = conda ? arena->join(meta, "history") : nullptr;
  const char* pixi = conda ? arena->join(meta, "pixi") : nullptr;
  char pixi_text[2];
  char real[PATH_MAX];
  text[0] = venv[0] = '\0';
  if (history != nullptr) read_text(history, text, sizeof text);
  const char* config = *prefix == '/' ? arena->join(prefix, "pyvenv.cfg") : nullptr;
  if (config != nullptr) read_text(config, venv, sizeof venv);
  records->begin("environment")
      .field("prefix", prefix)
      .field("real", *prefix == '/' && realpath(prefix, real) != nullptr ? real : "")
      .flag("conda", conda)
      .flag("pixi", pixi != nullptr && read_text(pixi, pixi_text, sizeof pixi_text) == 0)
      .field("history", text)
      .field("pyvenv", venv)
      .end();
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_folders(int count, const char* const* paths, int file) {
  using namespace anycuda::doctor;  // NOLINT(google-build-using-namespace)
  anycuda::Arena arena;
  if (!arena.usable()) return ENOMEM;
  if (count < 1) return EINVAL;
  RecordWriter records(file);
  write_environment(paths[0], &arena, &records);
  const Look look{&arena, &records};
  for (int i = 1; i < count; ++i) {
    if (*paths[i] != '/') continue;
    write_real(paths[i], &records);
    look_around(look, paths[i]);
  }
  look_at_system(look);
  return records.complete() ? 0 : EIO;
}
