// SPDX-License-Identifier: Apache-2.0

// Look-ups among the loaded libraries of the process, with real objects.
#include "compat/search/machine/loaded.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "compat/base/arena.h"
#include "compat/search/machine/interpreter.h"

namespace anycuda {
namespace {

// The values are those of the ELF specification's example and of DT_GNU_HASH's first description.
TEST(GnuHash, IsTheLinkers) {
  EXPECT_EQ(gnu_hash(""), 0x1505U);
  EXPECT_EQ(gnu_hash("printf"), 0x156b2bb8U);
  EXPECT_EQ(gnu_hash("exit"), 0x7c967e3fU);
  EXPECT_EQ(gnu_hash("syscall"), 0xbac212a0U);
}

TEST(HashedName, IsTheNameItsLengthAndItsHash) {
  for (const char letter : {'a', '_', '\x7f', '\x80', '\xff'}) {
    for (std::size_t length = 0; length < 40; ++length) {
      for (std::size_t place = 0; place < 8; ++place) {
        char room[64];
        std::memset(room, 'x', sizeof room);
        for (std::size_t i = 0; i < length; ++i)
          room[place + i] = static_cast<char>(letter - i % 7);
        room[place + length] = '\0';
        const HashedName name(room + place);
        EXPECT_EQ(name.length(), length);
        EXPECT_EQ(name.hash(), gnu_hash(room + place)) << length << " at " << place;
        EXPECT_EQ(name.name(), room + place);
      }
    }
  }
}

TEST(LoadedSymbols, AreFoundInTheirVersionOnly) {
  const Machine machine;
  VersionedSymbols libc;
  machine.loaded_objects(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const LoadedNames names(*info);
        const char* const soname = names.soname();
        if (soname == nullptr || std::strcmp(soname, "libc.so.6") != 0) return 0;
        *static_cast<VersionedSymbols*>(found) = names.versioned_symbols();
        return 1;
      },
      &libc);
  constexpr std::uint32_t kHashOf217 = 0x06969197;  // ELF's of "GLIBC_2.17": readelf -V
  const std::uint16_t version = libc.version_number("GLIBC_2.17", kHashOf217);
  ASSERT_NE(version, 0);
  EXPECT_EQ(libc.version_number("GLIBC_2.17", kHashOf217 + 1), 0);
  EXPECT_EQ(libc.version_number("GLIBC_2.18", kHashOf217), 0);
  // With what HashedName reads behind a name.
  EXPECT_TRUE(libc.defines(HashedName("clock_gettime\0\0\0\0\0\0\0"), version));
  EXPECT_FALSE(libc.defines(HashedName("clock_gettimf\0\0\0\0\0\0\0"), version));
  EXPECT_FALSE(libc.defines(HashedName("clock_gettime\0\0\0\0\0\0\0"), version + 1));
  EXPECT_FALSE(VersionedSymbols().defines(HashedName("clock_gettime\0\0\0\0\0\0\0"), version));
}

TEST(LoadedSymbols, AreFoundWhereDlsymFindsThem) {
  for (const char* name : {"printf", "malloc", "dlsym", "qsort", "strlen"}) {
    ASSERT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
  // A compiler may link libstdc++ statically: then the program does not export the last two.
  for (const char* name :
       {"printf", "malloc", "dlsym", "qsort", "strlen", "__cxa_throw", "_Znwm"}) {
    EXPECT_EQ(is_defined(name), dlsym(RTLD_DEFAULT, name) != nullptr) << name;
    for (const char* end : {"_", "1", "x", "_of_nobody"}) {
      const std::string other = std::string(name) + end;
      EXPECT_EQ(is_defined(other.c_str()), dlsym(RTLD_DEFAULT, other.c_str()) != nullptr) << other;
    }
  }
  EXPECT_FALSE(is_defined(""));
}

// A program's hash table may have functions that the program imports and does not define: GNU ld
// puts those into it that have no entry in the procedure linkage table.
TEST(LoadedSymbols, ImportedByTheProgram_AreThoseOfLibc) {
  for (const char* name : {"dlerror", "fnmatch", "free", "realpath", "strstr", "vsnprintf"}) {
    const void* const found = loaded_symbol(name);
    Dl_info info = {};
    ASSERT_NE(dladdr(found, &info), 0) << name;
    EXPECT_NE(info.dli_fbase, found) << name << " at the beginning of " << info.dli_fname;
  }
}

std::vector<std::string> visited;
bool note_name(const LoadedObject& object, void*) {
  visited.emplace_back(object.name);
  return false;
}
int note_name_under_lock(dl_phdr_info* info, std::size_t, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}
bool is_vdso_name(const std::string& name) { return name.rfind("linux-vdso", 0) == 0; }

// Also those that the program has loaded since.
TEST(EachObject, VisitsTheWholeListInItsOrder) {
  void* const handle = dlopen("libresolv.so.2", RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  std::vector<std::string> list;
  dl_iterate_phdr(note_name_under_lock, &list);
  visited.clear();
  const std::uint64_t loads = each_object(Machine(), note_name, nullptr);
  EXPECT_GE(loads, list.size());
  list.erase(std::remove_if(list.begin(), list.end(), is_vdso_name), list.end());
  visited.erase(std::remove_if(visited.begin(), visited.end(), is_vdso_name), visited.end());
  EXPECT_EQ(visited, list);
  dlclose(handle);
}

// A fork while a thread holds the lock leaves the child without it.
TEST(EachObject, VisitsTheObjectsOfTheStartWithoutTheLock) {
  if (getauxval(AT_BASE) == 0) GTEST_SKIP() << "the dynamic linker was started as the program";
  Machine machine;
  machine.loaded_objects = [](int (*)(dl_phdr_info*, std::size_t, void*), void*) { return 0; };
  visited.clear();
  each_object(machine, note_name, nullptr);
  const auto has = [](const char* name) {
    return std::any_of(visited.begin(), visited.end(), [&](const std::string& path) {
      return path.find(name) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("/libc.so.6"));
  EXPECT_TRUE(has("/ld-linux-"));
}

TEST(ObjectOf, IsTheObjectThatHoldsTheAddress) {
  EXPECT_STREQ(object_of(reinterpret_cast<const void*>(&note_name)).name, "");
  Dl_info info = {};
  const void* const in_libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  ASSERT_NE(dladdr(in_libc, &info), 0);
  const LoadedObject libc = object_of(in_libc);
  EXPECT_STREQ(libc.name, info.dli_fname);
  EXPECT_STREQ(libc.names.soname(), "libc.so.6");
  EXPECT_EQ(object_of(&info).name, nullptr) << "the stack";
  EXPECT_EQ(object_of(nullptr).name, nullptr);
}

// The dynamic section of an object that was linked at `linked` and lies elsewhere.
struct Image {
  char strings[16] = "\0libmade.so.1";
  std::uint32_t symbols[9] = {1, 1, 1, 0, ~0U, ~0U, 1, gnu_hash("made") | 1, 0};
  ElfW(Dyn) entries[4] = {};
  ElfW(Phdr) segments[2] = {};
  dl_phdr_info info = {};

  Image(ElfW(Addr) linked, bool relocated) {
    const auto here = reinterpret_cast<ElfW(Addr)>(this);
    const auto offset = [&](const void* part) { return reinterpret_cast<ElfW(Addr)>(part) - here; };
    const ElfW(Addr) base = relocated ? here : linked;
    entries[0] = {DT_STRTAB, {base + offset(strings)}};
    entries[1] = {DT_GNU_HASH, {base + offset(symbols)}};
    entries[2] = {DT_SONAME, {1}};
    segments[0].p_type = PT_LOAD;
    segments[0].p_vaddr = linked;
    segments[0].p_memsz = sizeof *this;
    segments[1].p_type = PT_DYNAMIC;
    segments[1].p_vaddr = linked + offset(entries);
    info.dlpi_addr = here - linked;
    info.dlpi_phdr = segments;
    info.dlpi_phnum = 2;
  }
};

// The dynamic linker writes absolute addresses into an object's dynamic section, but not into the
// vdso's. gVisor's is linked at 0xffffffffff700000; prelinked libraries lie anywhere.
TEST(LoadedNames, AreReadWhereverTheObjectWasLinked) {
  for (const ElfW(Addr) linked : {ElfW(Addr){0}, ElfW(Addr){0x400000}, ~ElfW(Addr){0} << 20}) {
    for (const bool relocated : {false, true}) {
      const Image image(linked, relocated);
      const LoadedNames names(image.info);
      EXPECT_STREQ(names.soname(), "libmade.so.1") << linked << relocated;
      EXPECT_TRUE(names.defines(gnu_hash("made")));
      EXPECT_FALSE(names.defines(gnu_hash("unmade")));
    }
  }
}

// A program reads dlerror() after its own failed look-up, whenever the first call was made.
TEST(ThisInterpreter, LeavesThePendingErrorOfTheDynamicLinker) {
  Arena arena;
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "anycuda_no_such_symbol"), nullptr);
  EXPECT_FALSE(this_interpreter(&arena).is_python());
  const char* error = dlerror();
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(error).find("anycuda_no_such_symbol"), std::string::npos) << error;
}

}  // namespace
}  // namespace anycuda
