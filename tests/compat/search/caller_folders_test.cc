// SPDX-License-Identifier: Apache-2.0

// The caller's folders: the wheels beside it, those of loaded objects, its run paths.
#include "compat/search/gather.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "compat/search/reason.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using Paths = std::vector<std::string>;
using unit::ElfImage;
using unit::EmptyMachine;
using unit::paths_of;
using unit::ScopedVariable;
using unit::TestSearch;

constexpr char kWheel[] = "/nvidia/test_runtime/lib/libtest.so.12";

class CallersFolders : public testing::Test {
 protected:
  void put(const std::string& path) { machine.tree.file(path, ElfImage{}.bytes() + path); }
  Paths gathered(const void* caller = nullptr) {
    TestSearch search;
    search.request.caller = caller;
    search.gather(SearchTier::caller);
    return paths_of(search, machine.tree.root());
  }
  // Those that may be used.
  Paths trusted(const void* caller) {
    TestSearch search;
    search.request.caller = caller;
    search.gather(SearchTier::caller);
    Paths paths;
    for (const Candidate* c = search.first; c != nullptr; c = c->next) {
      if (c->image.state == FileState::not_trusted) continue;
      paths.push_back(std::string(c->path).substr(machine.tree.root().size() + 1));
    }
    return paths;
  }
  std::string path(const std::string& name) const { return machine.tree.path(name); }
  // An address in an object that is loaded from `name`.
  const void* loaded_from(const std::string& name) {
    void* handle = dlopen(machine.tree.fake("libtest_stub.so", name).c_str(), RTLD_NOW);
    return handle != nullptr ? dlsym(handle, "testMajor") : nullptr;
  }

  EmptyMachine machine;
};

TEST_F(CallersFolders, WheelsBesideTheCallerAreItsOwn) {
  put(std::string("packages") + kWheel);
  const void* caller = loaded_from("packages/extension/sub/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  EXPECT_EQ(gathered(caller), Paths{std::string("packages") + kWheel});
  EXPECT_EQ(gathered(), Paths{});
}

TEST_F(CallersFolders, AFolderThatAnybodyWritesIsNotTrusted) {
  put(std::string("shared") + kWheel);
  const void* caller = loaded_from("shared/mine/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  ASSERT_EQ(chmod(path("shared").c_str(), 01777), 0);
  EXPECT_EQ(trusted(caller), Paths{});
  TestSearch search;
  search.request.caller = caller;
  search.gather(SearchTier::caller);
  ASSERT_NE(search.first, nullptr);
  EXPECT_THAT(reason_of(*search.first, search, &search.arena),
              testing::AllOf(testing::HasSubstr("another user can change it"),
                             testing::HasSubstr("name its folder in LD_LIBRARY_PATH")));
}

TEST_F(CallersFolders, SitePackagesOfLoadedObjectsCount) {
  for (const char* site : {"x/lib/python3/dist-packages", "y/site-packages"}) {
    put(std::string(site) + kWheel);
    ASSERT_NE(loaded_from(std::string(site) + "/package/module.so"), nullptr) << dlerror();
  }
  EXPECT_EQ(gathered(), (Paths{std::string("x/lib/python3/dist-packages") + kWheel,
                               std::string("y/site-packages") + kWheel}));
}

// Modes of the wheel's folder, from the guess down to the file: one that others may
// write is enough.
TEST_F(CallersFolders, FileWritableByOthersInAGuessedFolder_IsRefused) {
  put(std::string("app") + kWheel);
  const void* caller = loaded_from("app/bin/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  EXPECT_EQ(trusted(caller), Paths{std::string("app") + kWheel});
  for (const char* name :
       {"app", "app/nvidia", "app/nvidia/test_runtime", "app/nvidia/test_runtime/lib"}) {
    for (const mode_t mode : {mode_t{0777}, mode_t{01777}, mode_t{0757}}) {
      ASSERT_EQ(chmod(path(name).c_str(), mode), 0);
      EXPECT_EQ(trusted(caller), Paths{}) << name << " " << std::oct << mode;
      ASSERT_EQ(chmod(path(name).c_str(), 0755), 0);
    }
  }
  ASSERT_EQ(chmod(path(std::string("app") + kWheel).c_str(), 0666), 0);
  EXPECT_EQ(trusted(caller), Paths{});
}

TEST_F(CallersFolders, AGroupOfOthersIsRefusedToo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another group";
  put(std::string("app") + kWheel);
  const void* caller = loaded_from("app/bin/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  ASSERT_EQ(chmod(path("app/nvidia").c_str(), 0775), 0);
  EXPECT_EQ(trusted(caller), Paths{std::string("app") + kWheel}) << "root's own group";
  ASSERT_EQ(chown(path("app/nvidia").c_str(), 0, 12345), 0);
  EXPECT_EQ(trusted(caller), Paths{});
}

// The bits of the group are what any of the list may do: here a further user may write.
TEST_F(CallersFolders, AnAccessControlListIsRefusedWhereItGrantsWriting) {
  put(std::string("app") + kWheel);
  const void* caller = loaded_from("app/bin/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  // Version 2; entries of tag, permissions and id: owner rwx, user 12345, group r-x, mask, others.
  const auto list = [](std::uint16_t mask) {
    std::vector<std::uint16_t> words = {2, 0};
    const auto entry = [&](std::uint16_t tag, std::uint16_t permissions, std::uint32_t id) {
      for (const std::uint32_t word :
           {std::uint32_t{tag}, std::uint32_t{permissions}, id & 0xffff, id >> 16}) {
        words.push_back(static_cast<std::uint16_t>(word));
      }
    };
    constexpr std::uint32_t kNobody = 0xffffffff;
    entry(0x01, 7, kNobody);
    entry(0x02, 7, 12345);
    entry(0x04, 5, kNobody);
    entry(0x10, mask, kNobody);
    entry(0x20, 5, kNobody);
    return words;
  };
  const std::string folder = path("app/nvidia");
  const auto set = [&](const std::vector<std::uint16_t>& words) {
    return setxattr(folder.c_str(), "system.posix_acl_access", words.data(), words.size() * 2, 0);
  };
  if (set(list(5)) != 0) GTEST_SKIP() << "the file system has no access control lists";
  EXPECT_EQ(trusted(caller), Paths{std::string("app") + kWheel}) << "the mask takes writing away";
  ASSERT_EQ(set(list(7)), 0);
  EXPECT_EQ(trusted(caller), Paths{});
}

// /home is root's, and /home/nvidia is the folder of a user of that name.
TEST_F(CallersFolders, AnotherUsersFolderIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  put("home/nvidia/test_runtime/lib/libtest.so.12");
  const void* caller = loaded_from("home/me/bin/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  const std::string file = "home/nvidia/test_runtime/lib/libtest.so.12";
  EXPECT_EQ(trusted(caller), Paths{file});
  ASSERT_EQ(chown(path("home/nvidia").c_str(), 12345, 12345), 0);
  EXPECT_EQ(trusted(caller), Paths{});
  // The owner of the caller's file is trusted: its code runs already.
  ASSERT_EQ(chown(path("home/me/bin/module.so").c_str(), 12345, 12345), 0);
  EXPECT_EQ(trusted(caller), Paths{file});
  ASSERT_EQ(chown(path(file).c_str(), 54321, 54321), 0);
  EXPECT_EQ(trusted(caller), Paths{});
}

// pip puts a compiled program into the environment's bin.
TEST_F(CallersFolders, TheVirtualEnvironmentThatTheCallerIsInCounts) {
  const std::string wheel = std::string("venv/lib/python3.11/site-packages") + kWheel;
  put(wheel);
  const void* caller = loaded_from("venv/bin/module.so");
  const void* deeper = loaded_from("venv/bin/sub/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  ASSERT_NE(deeper, nullptr) << dlerror();
  EXPECT_EQ(trusted(caller), Paths{}) << "not an environment";
  machine.tree.file("venv/pyvenv.cfg", "home = /usr/bin\n");
  EXPECT_EQ(trusted(caller), Paths{wheel});
  EXPECT_EQ(trusted(deeper), Paths{});
  for (const char* name : {"venv", "venv/pyvenv.cfg", "venv/lib/python3.11/site-packages",
                           "venv/lib/python3.11/site-packages/nvidia"}) {
    ASSERT_EQ(chmod(path(name).c_str(), 0777), 0);
    EXPECT_EQ(trusted(caller), Paths{}) << name;
    ASSERT_EQ(chmod(path(name).c_str(), 0755), 0);
  }
}

// It has its environment from sys.prefix, after PYTHONPATH.
TEST_F(CallersFolders, ThePythonsOwnEnvironmentIsNotItsCallers) {
  put(std::string("venv/lib/python3.11/site-packages") + kWheel);
  machine.tree.file("venv/pyvenv.cfg", "home = /usr/bin\n");
  const void* caller = loaded_from("venv/bin/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  Machine python;
  python.interpreter = [](Arena*) {
    Interpreter found;
    found.prefix = found.base_prefix = "/usr";
    return found;
  };
  TestSearch search(kLibrary, &kTables, python);
  search.request.caller = caller;
  search.gather(SearchTier::caller);
  EXPECT_EQ(paths_of(search, machine.tree.root()), Paths{});
}

// The process runs code from there, so the folder is trusted whichever user owns it.
TEST_F(CallersFolders, TheCallersOwnSitePackagesAreNoGuess) {
  put(std::string("site-packages") + kWheel);
  const void* caller = loaded_from("site-packages/package/lib/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  ASSERT_EQ(chmod(path("site-packages/nvidia").c_str(), 0777), 0);
  EXPECT_EQ(trusted(caller), Paths{std::string("site-packages") + kWheel});
}

}  // namespace
}  // namespace anycuda
