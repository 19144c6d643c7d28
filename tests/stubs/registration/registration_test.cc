// SPDX-License-Identifier: Apache-2.0

// Registrations of nvcc-built objects: queued, replayed, handed on. A process replays once, so
// every test runs in a separate process.
#include "stubs/cudart/registration.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "loader/open.h"
#include "stubs/cudart/adapters/references_registry.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/test_tables.h"

// The stub's own functions, as its tables know them.
#pragma GCC visibility push(hidden)
extern "C" {
void** anycuda_register_fat_binary(void* fat_binary);
void anycuda_register_fat_binary_end(void** handle);
void anycuda_unregister_fat_binary(void** handle);
void anycuda_register_function(void** handle, const char* host, char* device, const char* name,
                               int limit, void* tid, void* bid, void* block, void* grid, int* warp);
void anycuda_register_var(void** handle, char* host, char* device, const char* name, int external,
                          std::size_t size, int constant, int global);
char anycuda_init_module(void** handle);
void anycuda_register_texture(void** handle, const void* host, const void** device,
                              const char* name, int dimensions, int normalized, int external);
void anycuda_register_surface(void** handle, const void* host, const void** device,
                              const char* name, int dimensions, int external);
}
#pragma GCC visibility pop

namespace {

// What the fake library, as all since 12, has no functions for comes to these.
struct Kept {
  void** handle;
  const void* host;
  const void* device;
  const char* name;
  int numbers[3];
};
std::vector<Kept> kept_textures;
std::vector<Kept> kept_surfaces;

}  // namespace

extern "C" __attribute__((visibility("hidden"))) void adapt_register_texture(
    void** handle, const void* host, const void** device, const char* name, int dimensions,
    int normalized, int external) {
  kept_textures.push_back({handle, host, device, name, {dimensions, normalized, external}});
}
extern "C" __attribute__((visibility("hidden"))) void adapt_register_surface(
    void** handle, const void* host, const void** device, const char* name, int dimensions,
    int external) {
  kept_surfaces.push_back({handle, host, device, name, {dimensions, external, 0}});
}

namespace anycuda::registration {
namespace {

using unit::in_child;

// fake_registrations.c
struct Made {
  unsigned kind;
  void** handle;
  unsigned long long arguments[9];
};
constexpr unsigned kUnregister = 99;
constexpr unsigned kInit = 98;

class Registration : public testing::Test {
 protected:
  Registration() { machine.tree.fake("libtest.so.12", "system/usr/lib/libtest.so.12"); }

  static void open() { EXPECT_NE(open_library(kUnversioned, nullptr, "testCore"), nullptr); }
  static std::vector<Made> made() {
    const auto registrations = reinterpret_cast<const Made* (*)(int*)>(
        dlsym(opened_library()->handle, "testRegistrations"));
    int count = 0;
    const Made* first = registrations(&count);
    return {first, first + count};
  }
  static void kernel(void** handle, const char* host, char* name) {
    anycuda_register_function(handle, host, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                              nullptr);
  }

  unit::EmptyMachine machine;
};

int fat = 0;
char host[4];
char device[] = "device";
char other[] = "other";
unsigned long long word(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST_F(Registration, OpensNothing) {
  const std::string text = in_child([] {
    void** handle = anycuda_register_fat_binary(&fat);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(*handle, nullptr);  // a handle may be looked into
    kernel(handle, host, device);
    anycuda_register_fat_binary_end(handle);
    anycuda_unregister_fat_binary(handle);
    EXPECT_EQ(opened_library(), nullptr);
  });
  EXPECT_EQ(text, "");
}

TEST_F(Registration, IsReplayedInOrderOnTheLibrarysHandles) {
  in_child([] {
    void** first = anycuda_register_fat_binary(&fat);
    kernel(first, host, device);
    void** second = anycuda_register_fat_binary(&device);
    anycuda_register_var(first, host + 1, device, other, 1, 64, 0, -1);
    anycuda_register_function(second, host + 2, device, other, 256, host, device, other, &fat,
                              &fat);
    anycuda_register_fat_binary_end(first);
    open();
    replay();

    const std::vector<Made> calls = made();
    ASSERT_EQ(calls.size(), 6u);
    const unsigned kinds[] = {kFatBinary, kFunction, kFatBinary,
                              kVariable,  kFunction, kFatBinaryEnd};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(calls[i].kind, kinds[i]) << i;
    EXPECT_EQ(calls[0].arguments[0], word(&fat));
    EXPECT_EQ(calls[1].handle, calls[3].handle);
    EXPECT_EQ(calls[1].handle, calls[5].handle);
    EXPECT_NE(calls[1].handle, first);
    EXPECT_NE(calls[1].handle, calls[4].handle);
    const unsigned long long ordinary[9] = {word(host), word(device), word(device), 0xffffffff};
    const unsigned long long variable[9] = {word(host + 1), word(device), word(other), 1, 64, 0,
                                            0xffffffff};
    const unsigned long long full[9] = {word(host + 2), word(device), word(other), 256,
                                        word(host),     word(device), word(other), word(&fat),
                                        word(&fat)};
    for (int i = 0; i < 9; ++i) {
      EXPECT_EQ(calls[1].arguments[i], ordinary[i]) << i;
      EXPECT_EQ(calls[3].arguments[i], variable[i]) << i;
      EXPECT_EQ(calls[4].arguments[i], full[i]) << i;
    }
  });
}

TEST_F(Registration, IsReplayedOnce) {
  in_child([] {
    anycuda_register_fat_binary(&fat);
    open();
    replay();
    replay();
    EXPECT_EQ(made().size(), 1u);
    EXPECT_TRUE(replayed());
  });
}

TEST_F(Registration, ThatIsTakenBackBeforeTheReplayIsNeverMade) {
  in_child([] {
    void** gone = anycuda_register_fat_binary(&fat);
    kernel(gone, host, device);
    void** kept = anycuda_register_fat_binary(&device);
    anycuda_unregister_fat_binary(gone);
    kernel(kept, host, device);
    open();
    replay();
    const std::vector<Made> calls = made();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].arguments[0], word(&device));
    EXPECT_EQ(calls[1].kind, kFunction);
  });
}

TEST_F(Registration, AfterTheReplay_GoesDirectlyToTheLibrary) {
  in_child([] {
    void** early = anycuda_register_fat_binary(&fat);
    open();
    replay();
    void** late = anycuda_register_fat_binary(&device);
    EXPECT_EQ(handle_index(late), 0u);
    kernel(late, host, device);
    kernel(early, host, device);
    const std::vector<Made> calls = made();
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_EQ(calls[2].handle, late);
    EXPECT_EQ(calls[3].handle, real_handle(handle_index(early)));
  });
}

TEST_F(Registration, IsUndoneOnTheLibrarysHandle) {
  in_child([] {
    void** early = anycuda_register_fat_binary(&fat);
    open();
    replay();
    void** late = anycuda_register_fat_binary(&fat);
    anycuda_unregister_fat_binary(early);
    anycuda_unregister_fat_binary(late);
    const std::vector<Made> calls = made();
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_EQ(calls[2].kind, kUnregister);
    EXPECT_EQ(calls[2].handle, real_handle(handle_index(early)));
    EXPECT_EQ(calls[3].handle, late);
  });
}

TEST_F(Registration, InitModuleOpensAndReplays) {
  in_child([] {
    void** handle = anycuda_register_fat_binary(&fat);
    EXPECT_EQ(anycuda_init_module(handle), 1);
    const std::vector<Made> calls = made();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[1].kind, kInit);
    EXPECT_EQ(calls[1].handle, real_handle(handle_index(handle)));
  });
}

// The library calls the stub while it takes in a registration. Such a call must not wait for the
// replay that it is part of.
TEST_F(Registration, MayBeEnteredAgainFromWithinTheReplay) {
  in_child([] {
    void** handle = anycuda_register_fat_binary(&fat);
    kernel(handle, host, device);
    open();
    *static_cast<void (**)()>(dlsym(opened_library()->handle, "testHook")) = [] {
      if (!replayed() && real_handle(1) == nullptr) replay();
    };
    replay();
    EXPECT_TRUE(replayed());
    EXPECT_EQ(made().size(), 2u);
  });
}

// A library without references: those of the log and later ones are kept with the library's handle,
// and the first kernel of each fat binary with them.
TEST_F(Registration, OfReferencesIsKeptWhereTheLibraryHasNone) {
  in_child([] {
    void** early = anycuda_register_fat_binary(&fat);
    kernel(early, host, device);
    kernel(early, host + 1, other);
    const auto** address = reinterpret_cast<const void**>(device);
    anycuda_register_texture(early, host + 2, address, "::device", 2, 1, 0);
    anycuda_register_surface(early, host + 3, address, "::device", 3, 1);
    EXPECT_TRUE(kept_textures.empty() && kept_surfaces.empty());
    open();
    replay();
    void** real = real_handle(handle_index(early));
    ASSERT_EQ(kept_textures.size(), 1u);
    const Kept& texture = kept_textures[0];
    EXPECT_EQ(texture.handle, real);
    EXPECT_EQ(texture.host, host + 2);
    EXPECT_EQ(texture.device, device);
    EXPECT_STREQ(texture.name, "::device");
    EXPECT_EQ(texture.numbers[0] * 100 + texture.numbers[1] * 10 + texture.numbers[2], 210);
    ASSERT_EQ(kept_surfaces.size(), 1u);
    EXPECT_EQ(kept_surfaces[0].handle, real);
    EXPECT_EQ(kept_surfaces[0].host, host + 3);
    EXPECT_EQ(kept_surfaces[0].numbers[0] * 10 + kept_surfaces[0].numbers[1], 31);
    EXPECT_EQ(references::kernel_of(real), host);

    void** late = anycuda_register_fat_binary(&device);
    kernel(late, host + 1, device);
    anycuda_register_texture(late, host, address, "late", 1, 0, 0);
    ASSERT_EQ(kept_textures.size(), 2u);
    EXPECT_EQ(kept_textures[1].handle, late);
    EXPECT_EQ(references::kernel_of(late), host + 1);

    anycuda_unregister_fat_binary(early);
    EXPECT_EQ(references::kernel_of(real), nullptr);
    EXPECT_EQ(references::kernel_of(late), host + 1);
    anycuda_unregister_fat_binary(late);
    EXPECT_EQ(references::kernel_of(late), nullptr);
  });
}

// The runtime may give the handle of a fat binary that is gone to another one at once.
TEST_F(Registration, IsForgottenBeforeTheLibraryForgetsIt) {
  in_child([] {
    static void** late = nullptr;
    static bool known = true;
    open();
    replay();
    late = anycuda_register_fat_binary(&fat);
    kernel(late, host, device);
    *static_cast<void (**)()>(dlsym(opened_library()->handle, "testHook")) = [] {
      known = references::kernel_of(late) != nullptr;
    };
    anycuda_unregister_fat_binary(late);
    EXPECT_FALSE(known);
  });
}

TEST_F(Registration, WithoutALibraryInitModuleFails) {
  const std::string empty = machine.tree.folder("empty");
  const unit::ScopedVariable set("ANYCUDA_SYSTEM_ROOT", empty.c_str());
  in_child([] {
    void** handle = anycuda_register_fat_binary(&fat);
    EXPECT_EQ(anycuda_init_module(handle), 0);
  });
}

}  // namespace
}  // namespace anycuda::registration
