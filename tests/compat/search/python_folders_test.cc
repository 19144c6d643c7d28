// Wheels and conda, seen from a process that may or may not be Python.
#include "compat/search/gather.h"

#include <dlfcn.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/gathered.h"
#include "tests/support/unit/surroundings.h"

namespace anycuda {
namespace {

using Paths = std::vector<std::string>;
using unit::ElfImage;
using unit::EmptyMachine;
using unit::paths_of;
using unit::ScopedVariable;
using unit::TestSearch;

constexpr char kWheel[] = "/nvidia/test_runtime/lib/libtest.so.12";

class PythonPlaces : public testing::Test {
 protected:
  void put(const std::string& path) { machine.tree.file(path, ElfImage{}.bytes() + path); }
  Paths gathered(const void* caller = nullptr) {
    TestSearch search;
    search.request.caller = caller;
    gather_tier(&search, SearchTier::environment);
    return paths_of(search, machine.tree.root());
  }
  std::string path(const std::string& name) const { return machine.tree.path(name); }
  // An address in an object that is loaded from `name`.
  const void* loaded_from(const std::string& name) {
    void* handle = dlopen(machine.tree.fake("libtest_stub.so", name).c_str(), RTLD_NOW);
    return handle != nullptr ? dlsym(handle, "testMajor") : nullptr;
  }

  EmptyMachine machine;
};

TEST_F(PythonPlaces, AVirtualEnvironmentHasItsSitePackages) {
  put(std::string("venv/lib/python3.12/site-packages") + kWheel);
  put("venv/lib64/python3.13/site-packages/nvidia/cu13/lib/libtest.so.13");
  put("venv/lib/python3.12/site-packages/other/lib/libtest.so.12");
  const ScopedVariable set("VIRTUAL_ENV", path("venv").c_str());
  EXPECT_EQ(gathered(),
            (Paths{std::string("venv/lib/python3.12/site-packages") + kWheel,
                   "venv/lib64/python3.13/site-packages/nvidia/cu13/lib/libtest.so.13"}));
}

TEST_F(PythonPlaces, CondaHasItsLibraryFolderToo) {
  put("conda/lib/libtest.so.12");
  put("conda/targets/x86_64-linux/lib/libtest.so.13");
  put(std::string("conda/lib/python3.11/site-packages") + kWheel);
  const ScopedVariable set("CONDA_PREFIX", path("conda").c_str());
  EXPECT_EQ(gathered(), (Paths{"conda/lib/libtest.so.12",
                               std::string("conda/lib/python3.11/site-packages") + kWheel,
                               "conda/targets/x86_64-linux/lib/libtest.so.13"}));
}

TEST_F(PythonPlaces, PythonPathIsReadEntryByEntry) {
  put(std::string("a") + kWheel);
  put(std::string("b") + kWheel);
  const std::string value = ":" + path("a") + "::relative:" + path("b");
  const ScopedVariable set("PYTHONPATH", value.c_str());
  EXPECT_EQ(gathered(), (Paths{std::string("a") + kWheel, std::string("b") + kWheel}));
}

TEST_F(PythonPlaces, AbsurdProgramNamesAreNoInterpreter) {
  char* const before = program_invocation_name;
  std::string endless = "/" + std::string(10000, 'p') + "/bin/python3";
  for (std::string name : {std::string(""), std::string("python3"), std::string("/python3"),
                           std::string("/"), endless}) {
    program_invocation_name = name.data();
    EXPECT_EQ(gathered(), Paths{}) << name.substr(0, 40);
  }
  program_invocation_name = before;
}

TEST_F(PythonPlaces, WheelsBesideTheCallerAreItsOwn) {
  put(std::string("packages") + kWheel);
  const void* caller = loaded_from("packages/extension/sub/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  EXPECT_EQ(gathered(caller), Paths{std::string("packages") + kWheel});
  EXPECT_EQ(gathered(), Paths{});
}

TEST_F(PythonPlaces, AFolderThatAnybodyWritesIsNotTrusted) {
  put(std::string("shared") + kWheel);
  const void* caller = loaded_from("shared/mine/module.so");
  ASSERT_NE(caller, nullptr) << dlerror();
  ASSERT_EQ(chmod(path("shared").c_str(), 01777), 0);
  EXPECT_EQ(gathered(caller), Paths{});
}

TEST_F(PythonPlaces, SitePackagesOfWhatIsLoadedCount) {
  for (const char* site : {"x/lib/python3/dist-packages", "y/site-packages"}) {
    put(std::string(site) + kWheel);
    ASSERT_NE(loaded_from(std::string(site) + "/package/module.so"), nullptr) << dlerror();
  }
  EXPECT_EQ(gathered(), (Paths{std::string("x/lib/python3/dist-packages") + kWheel,
                               std::string("y/site-packages") + kWheel}));
}

TEST_F(PythonPlaces, RelativePrefixesAreNone) {
  put(std::string("lib/python3.12/site-packages") + kWheel);
  const ScopedVariable first("VIRTUAL_ENV", ".");
  const ScopedVariable second("CONDA_PREFIX", ".");
  const ScopedVariable third("PYTHONPATH", "lib/python3.12/site-packages");
  EXPECT_EQ(gathered(), Paths{});
}

}  // namespace
}  // namespace anycuda
