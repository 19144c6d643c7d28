// SPDX-License-Identifier: Apache-2.0

// Functions of a loaded library, found once, without the dynamic linker's lock and its messages.
#include "loader/symbols/function.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: files and processes

constexpr const char* kFile = "libtest.so.12";
constexpr unsigned kWatchdog = 20;  // seconds, after which a child that waits for ever is ended

void* open(const std::string& file) {
  void* handle = dlopen(fake_library(file).c_str(), RTLD_NOW);
  EXPECT_NE(handle, nullptr) << file;
  return handle;
}

TEST(Function, IsTheOneThatTheDynamicLinkerFinds) {
  in_child([] {
    for (const char* file :
         {"libtest.so.11.2", kFile, "libtest.so.13", "libtestdriver.so.1", "libtest_hash.so.12"}) {
      void* handle = open(file);
      for (const char* name : {"testCore", "testMajor", "testOld", "testNew", "testGetLastError",
                               "cuDriverGetVersion", "testNobodyHasThis", "getenv", ""}) {
        // dlsym() also looks into what the library needs.
        void* found = name == std::string("getenv") ? nullptr : dlsym(handle, name);
        EXPECT_EQ(find_function(handle, name), found) << name << " of " << file;
      }
    }
  });
}

TEST(Function, ThatIsMissingIsKept) {
  in_child([] {
    std::atomic<void*> kept{nullptr};
    EXPECT_EQ(loaded_function(&kept, nullptr, "testCore"), nullptr) << "no library is open yet";
    void* handle = open(kFile);
    void* core = loaded_function(&kept, handle, "testCore");
    EXPECT_EQ(core, dlsym(handle, "testCore"));
    EXPECT_EQ(loaded_function(&kept, handle, "testNobodyHasThis"), core) << "kept as it is";
    std::atomic<void*> missing{nullptr};
    EXPECT_EQ(loaded_function(&missing, handle, "testNobodyHasThis"), nullptr);
    EXPECT_NE(missing.load(), nullptr);
    EXPECT_FALSE(is_function(missing.load()));
    EXPECT_EQ(loaded_function(&missing, handle, "testCore"), nullptr) << "kept as missing";
  });
}

TEST(Function, LeavesTheProgramsPendingMessage) {
  in_child([] {
    void* handle = open(kFile);
    EXPECT_EQ(dlopen("/no/such/library.so", RTLD_NOW), nullptr);
    EXPECT_EQ(find_function(handle, "testNobodyHasThis"), nullptr);
    EXPECT_NE(find_function(handle, "testCore"), nullptr);
    const char* message = dlerror();
    EXPECT_NE(message, nullptr);
    EXPECT_NE(std::string(message != nullptr ? message : "").find("/no/such/library.so"),
              std::string::npos);
  });
}

// dlopen() holds the dynamic linker's lock while it runs constructors.
void* library;
void look_up_in_another_thread() {
  std::thread([] {
    std::atomic<void*> kept{nullptr};
    loaded_function(&kept, library, "testNobodyHasThis");
    loaded_function(&kept, library, "testCore");
  }).join();
  std::fputs("looked up", stderr);
}

TEST(Function, IsFoundWhileAConstructorWaits) {
  const std::string text = in_child([] {
    alarm(kWatchdog);
    library = open(kFile);
    char address[32];
    std::snprintf(address, sizeof address, "%p",
                  reinterpret_cast<void*>(&look_up_in_another_thread));
    setenv("ANYCUDA_TEST_CONSTRUCTOR", address, 1);
    EXPECT_NE(open("calling_constructor.so"), nullptr);
  });
  EXPECT_EQ(text, "looked up");
}

}  // namespace
}  // namespace anycuda
