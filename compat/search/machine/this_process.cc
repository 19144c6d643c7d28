// SPDX-License-Identifier: Apache-2.0

// How this process was started.
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "compat/base/environment.h"
#include "compat/base/folder_entries.h"
#include "compat/base/shortage.h"
#include "compat/search/machine/interpreter.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {

// ---- the objects that it started with

namespace {

const void* symbol_of(const LoadedNames& names, const char* name) {
  return names.address_of(name, gnu_hash(name));
}

// The kernel tells where the dynamic linker is, unless the linker was started as the program.
const link_map* program_object() {
  const ElfW(Addr) base = getauxval(AT_BASE);
  if (base == 0) return nullptr;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  dl_phdr_info linker = {};
  linker.dlpi_addr = base;
  linker.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  linker.dlpi_phnum = header->e_phnum;
  const auto* debug = static_cast<const r_debug*>(symbol_of(LoadedNames(linker), "_r_debug"));
  return debug != nullptr ? debug->r_map : nullptr;
}

bool has_soname(const LoadedNames& names, const char* wanted) {
  const char* const soname = names.soname();
  return soname != nullptr && std::strcmp(soname, wanted) == 0;
}

// Looked up once. Threads that do it at the same time store the same.
std::atomic<const link_map*> first{nullptr};
std::atomic<const link_map*> last{nullptr};  // stored after `first`

void look_up_start_objects() {
  const ElfW(Addr) linker = getauxval(AT_BASE);
  const link_map* object = program_object();
  first.store(object, std::memory_order_relaxed);
  bool has_libc = false;
  bool has_linker = false;
  for (; object != nullptr; object = next_object(*object)) {
    has_linker = has_linker || object->l_addr == linker;
    const LoadedNames names(*object);
    if (!has_libc && !is_vdso(*object) && has_soname(names, "libc.so.6")) {
      has_libc = true;
      // Another namespace has another libc.
      if (symbol_of(names, "getauxval") != reinterpret_cast<const void*>(&getauxval)) return;
    }
    if (!has_libc || !has_linker) continue;
    last.store(object, std::memory_order_release);
    return;
  }
}

}  // namespace

bool is_vdso(const link_map& object) {
  constexpr char kName[] = "linux-vdso";
  return *object.l_name == *kName && std::strncmp(object.l_name, kName, sizeof kName - 1) == 0;
}

StartObjects start_objects() {
  if (last.load(std::memory_order_acquire) == nullptr) look_up_start_objects();
  const link_map* const end = last.load(std::memory_order_acquire);
  return {end != nullptr ? first.load(std::memory_order_relaxed) : nullptr, end};
}

// ---- the interpreter

namespace {

constexpr std::size_t kMostText = 256 << 10;

const char* running_file(Arena* arena) {
  const Scratch path(arena);
  if (path.text() == nullptr) return nullptr;
  const ssize_t size = noted(readlink("/proc/self/exe", path.text(), Scratch::kPath));
  return size > 0 ? arena->copy({path.text(), static_cast<std::size_t>(size)}) : nullptr;
}

// Python decodes a file name as UTF-8, and other bytes as U+DC80 and on (PEP 383).
const char* encode(const wchar_t* text, Arena* arena) {
  std::size_t length = 0;
  while (text != nullptr && length < kMostText && text[length] != 0) ++length;
  if (text == nullptr || length == kMostText) return nullptr;
  auto* bytes = static_cast<unsigned char*>(arena->take(4 * length + 1));
  if (bytes == nullptr) return nullptr;
  unsigned char* end = bytes;
  for (; *text != 0; ++text) {
    const auto code = static_cast<char32_t>(*text);
    const auto rest = [code](int shift) {
      return static_cast<unsigned char>(0x80U | (code >> shift & 0x3fU));
    };
    if (code < 0x80 || (code >= 0xdc80 && code <= 0xdcff)) {
      *end++ = static_cast<unsigned char>(code & 0xffU);
    } else if (code < 0x800) {
      *end++ = static_cast<unsigned char>(0xc0U | code >> 6);
      *end++ = rest(0);
    } else if (code < 0x10000) {
      *end++ = static_cast<unsigned char>(0xe0U | code >> 12);
      *end++ = rest(6);
      *end++ = rest(0);
    } else {
      *end++ = static_cast<unsigned char>(0xf0U | (code >> 18 & 7U));
      *end++ = rest(12);
      *end++ = rest(6);
      *end++ = rest(0);
    }
  }
  return reinterpret_cast<const char*>(bytes);
}

template <typename Pointer>
Pointer of_program(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) dlerror();  // the program must not find this failed look-up
  return reinterpret_cast<Pointer>(found);
}

// These functions return what Python has stored when it started, and do not need its lock
// (Python/C API, "Process-wide parameters").
const char* text_of_python(const char* function, Arena* arena) {
  const auto get = of_program<const wchar_t* (*)()>(function);
  return get != nullptr ? encode(get(), arena) : nullptr;
}

void read_flag(const char* name, bool* is_set) {
  const auto* flag = of_program<const int*>(name);
  if (flag != nullptr) *is_set = *flag != 0;
}

// Is Python started in this process?
bool ask_python(ProcessNames* names, Arena* arena) {
  constexpr char kIsStarted[] = "Py_IsInitialized";
  if (!is_defined(kIsStarted)) return false;
  const auto is_started = of_program<int (*)()>(kIsStarted);
  if (is_started == nullptr) return false;
  // A library that is preloaded may call before Python has read anything.
  if (is_started() == 0) return false;
  names->by_python = text_of_python("Py_GetProgramFullPath", arena);
  names->python_prefix = text_of_python("Py_GetPrefix", arena);
  names->python_path = text_of_python("Py_GetPath", arena);
  // Not by the command line: a program may overwrite it, to be shown by another name
  // (setproctitle).
  read_flag("Py_NoUserSiteDirectory", &names->options.no_user_site);
  read_flag("Py_NoSiteFlag", &names->options.no_site);
  return true;
}

}  // namespace

Interpreter this_interpreter(Arena* arena) {
  ProcessNames names;
  names.executable = running_file(arena);
  const char* slash = names.executable != nullptr ? std::strrchr(names.executable, '/') : nullptr;
  if (slash == nullptr) return interpreter_of(names, arena);
  const bool is_named = std::strstr(slash, "python") != nullptr;
  names.embeds_python = ask_python(&names, arena) && !is_named;
  if (!is_named && !names.embeds_python) return interpreter_of(names, arena);
  names.first_folder = environment_variable("PWD");
  if (is_named) names.started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return interpreter_of(names, arena);
}

}  // namespace anycuda
