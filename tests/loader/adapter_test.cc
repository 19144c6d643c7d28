// SPDX-License-Identifier: Apache-2.0

// Dispositions that are adapters, and what the loader gives an adapter. Every test runs in a
// separate process, since a process keeps the libraries that it has opened.
#include "loader/adapter.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/jump_slots.h"
#include "loader/open.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/slot_call.h"
#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: the symbols of the made-up library
using testing::HasSubstr;

void set_library_error(int status) {
  reinterpret_cast<void (*)(int)>(dlsym(opened_library()->handle, "testSetLastError"))(status);
}
void make_library_error_last(int status) {
  reinterpret_cast<void (*)(int)>(dlsym(opened_library()->handle, "testSetLastingError"))(status);
}
std::uint64_t peek() { return call(native_slot(kPeekAtLastError)); }
std::uint64_t get() { return call(native_slot(kGetLastError)); }

class Adapter : public testing::Test {
 protected:
  Adapter() { reset_slots(); }
  void install(const std::string& library) {
    machine.tree.fake(library, "system/usr/lib/" + library);
  }
  EmptyMachine machine;
};

TEST_F(Adapter, FillsItsCellAndItsSlot) {
  install("libtest.so.11.2");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kAdaptedIn12), 88u);
    EXPECT_EQ(anycuda_slots[kAdaptedIn12], kTables.adapter(0));
    EXPECT_GE(opened_calls, 1) << "what is to be done before the first call has been done";
  });
  EXPECT_EQ(text, "");
}

TEST_F(Adapter, MissingNeed_IsAbsentWithItsName) {
  install("libtest.so.13");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kAdaptedIn12), 302u);
    EXPECT_EQ(anycuda_slots[kAdaptedIn12], first_target(kAdaptedIn12));
  });
  EXPECT_THAT(text, HasSubstr("testAdapted failed (status 302): it needs testOld, which the test "
                              "library does not have"));
}

TEST_F(Adapter, AFallbackIsForLibrariesWithoutTheName) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(kAdaptedIn12), 3012u);
    EXPECT_EQ(anycuda_slots[kAdaptedIn12], dlsym(opened_library()->handle, "testOld"));
  });
}

TEST_F(Adapter, UnversionedCaller_GetsNone) {
  install("libtest.so.11.2");
  in_child([] { EXPECT_EQ(call(native_slot(kAdapted)), 302u); });
}

TEST_F(Adapter, FindsFunctionsOfTheLibraryAndKeepsThem) {
  install("libtest.so.12");
  in_child([] {
    std::atomic<void*> kept{nullptr};
    EXPECT_EQ(library_function(&kept, "testCore"), nullptr) << "nothing is open: nothing is opened";
    EXPECT_EQ(call(kCoreIn12), 1012u);
    void* core = library_function(&kept, "testCore");
    EXPECT_EQ(core, dlsym(opened_library()->handle, "testCore"));
    EXPECT_EQ(library_function(&kept, "testNobodyHasThis"), core) << "kept under one name";
    std::atomic<void*> other{nullptr};
    EXPECT_EQ(library_function(&other, "testNobodyHasThis"), nullptr);
    EXPECT_EQ(library_function(&other, "testCore"), nullptr) << "that it is missing is kept too";
    EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failed look-up there";
  });
}

TEST_F(Adapter, WithoutDriver_HasNoDriverFunctions) {
  install("libtest.so.12");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    std::atomic<void*> kept{nullptr};
    EXPECT_EQ(driver_function(&kept, "cuDriverGetVersion"), nullptr);
    EXPECT_EQ(missing_function("cuDriverGetVersion"), 35u);
  });
  EXPECT_THAT(text, HasSubstr("cuDriverGetVersion failed (status 35): this function of the CUDA "
                              "driver is missing, because no driver was found.\n"));
  EXPECT_THAT(text, HasSubstr("what to do: install NVIDIA's display driver (its libcuda.so.1).\n"));
}

TEST_F(Adapter, FunctionThatNobodyHas_IsReported) {
  install("libtest.so.12");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    EXPECT_EQ(missing_function("testNobodyHasThis"), 302u);
  });
  EXPECT_THAT(text, HasSubstr("testNobodyHasThis failed (status 302): neither the library nor the "
                              "driver of this process has this function.\n"));
}

TEST_F(Adapter, OldDriver_IsToBeReplaced) {
  install("libtest.so.12");
  install("libtestdriver.so.1");
  const auto text_of = [](Status (*failing)()) {
    return in_child([failing] {
      EXPECT_EQ(call(kCoreIn12), 1012u);
      failing();
    });
  };
  const std::string refused = text_of([] {
    return refuse_old_driver(801, "testCore", "this needs a driver of CUDA 12.3 or later");
  });
  EXPECT_THAT(refused,
              HasSubstr("testCore failed (status 801): this needs a driver of CUDA 12.3 or "
                        "later.\n"));
  const std::string missing = text_of([] { return missing_function("cuNobodyHasThis"); });
  EXPECT_THAT(missing, HasSubstr("cuNobodyHasThis failed (status 302): neither the library nor the "
                                 "driver of this process has this function.\n"));
  for (const std::string& text : {refused, missing}) {
    EXPECT_THAT(text, HasSubstr("what to do: install a newer CUDA driver.\n"));
  }
}

TEST_F(Adapter, FindsFunctionsOfTheDriver) {
  install("libtestdriver.so.1");
  in_child([] {
    std::atomic<void*> kept{nullptr};
    const auto get_version =
        reinterpret_cast<int (*)(int*)>(driver_function(&kept, "cuDriverGetVersion"));
    ASSERT_NE(get_version, nullptr);
    int version = 0;
    EXPECT_EQ(get_version(&version), 0);
    EXPECT_EQ(version, 12020);
  });
}

TEST_F(Adapter, RefusalIsTheLastErrorWithAReason) {
  install("libtest.so.12");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    errno = 7;
    EXPECT_EQ(refuse(801, "testCore", "12 cannot say that"), 801u);
    EXPECT_EQ(errno, 7);
    EXPECT_EQ(get(), 801u);
    EXPECT_EQ(missing_function("testNobodyHasThis"), 302u);
    EXPECT_EQ(get(), 302u);
  });
  EXPECT_THAT(text, HasSubstr("testCore failed (status 801): 12 cannot say that"));
  EXPECT_THAT(text, HasSubstr("install a test library of the program's CUDA"));
}

TEST_F(Adapter, DriverErrorsAreRememberedSuccessIsNot) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(get(), 5u);
    EXPECT_EQ(driver_answer(0), 0u);
    EXPECT_EQ(peek(), 0u);
    EXPECT_EQ(driver_answer(201), 201u);
    EXPECT_EQ(get(), 201u);
  });
}

TEST_F(Adapter, DriverFunctionIsSearchedAgainUntilADriverIsFound) {
  install("libtest.so.12");
  in_child([] {
    std::atomic<void*> kept{nullptr};
    EXPECT_EQ(driver_function(&kept, "cuDriverGetVersion"), nullptr);
    EXPECT_EQ(kept.load(), nullptr);
  });
}

TEST_F(Adapter, HasTheLibrarysRelease) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(library_release(), 0);
    EXPECT_EQ(call(kCoreIn12), 1012u);
    EXPECT_EQ(library_release(), 12000) << "the oldest that its names allow";
  });
}

// The library's error is what it was before the stub's, and comes once more afterwards.
TEST_F(Adapter, RepeatedLibraryErrorIsNewerThanTheStubs) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(peek(), 5u);
    remember(801);
    EXPECT_EQ(peek(), 801u);
    set_library_error(5);
    EXPECT_EQ(peek(), 5u);
    EXPECT_EQ(get(), 5u);
    EXPECT_EQ(get(), 0u) << "the stub's was older";
  });
}

// A driver that is missing, a context that is dead: nothing clears it.
TEST_F(Adapter, AnErrorThatLastsShowsAgainAfterTheStubs) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(peek(), 5u);
    make_library_error_last(5);
    remember(801);
    EXPECT_EQ(peek(), 801u);
    EXPECT_EQ(get(), 801u);
    EXPECT_EQ(get(), 5u);
    EXPECT_EQ(get(), 5u);
    remember(302);
    make_library_error_last(0);
    set_library_error(7);
    EXPECT_EQ(get(), 7u);
    EXPECT_EQ(get(), 0u);
  });
}

// The library's last error after failing calls of the stub.
TEST_F(Adapter, FailingStubCalls_KeepTheCallersLastError) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(peek(), 5u);
    {
      const KeepLastError kept;
      set_library_error(9);
    }
    EXPECT_EQ(peek(), 5u);
    EXPECT_EQ(get(), 5u);
    EXPECT_EQ(get(), 0u);
    {
      const KeepLastError kept;
      set_library_error(9);
    }
    EXPECT_EQ(get(), 0u);
    refuse(801, "testCore", "no");
    {
      const KeepLastError kept;
      set_library_error(9);
    }
    EXPECT_EQ(get(), 801u) << "a stub's error stays too";
    EXPECT_EQ(get(), 0u);
  });
}

TEST_F(Adapter, RestoredErrorIsOlderThanTheLibrarysNext) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(peek(), 5u);
    {
      const KeepLastError kept;
      set_library_error(9);
    }
    set_library_error(7);
    EXPECT_EQ(get(), 7u);
    EXPECT_EQ(get(), 0u);
  });
}

}  // namespace
}  // namespace anycuda
