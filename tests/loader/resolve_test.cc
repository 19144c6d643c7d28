// SPDX-License-Identifier: Apache-2.0

// First calls, from the resolver's entry point on. Every test runs in a separate process, since a
// process keeps the libraries that it has opened.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "loader/jump_slots.h"
#include "loader/last_error.h"
#include "loader/open.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/slot_call.h"
#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: the symbols of the made-up library
using testing::HasSubstr;

class Resolve : public testing::Test {
 protected:
  Resolve() { reset_slots(); }
  void install(const std::string& library) {
    machine.tree.fake(library, "system/usr/lib/" + library);
  }
  EmptyMachine machine;
};

TEST_F(Resolve, WithoutLibrary_CallsFailWithOneMessage) {
  const std::string text = in_child([] {
    EXPECT_EQ(call(native_slot(kCoreCall)), 35u);
    EXPECT_EQ(call(kCoreIn12), 35u);
    EXPECT_EQ(call(native_slot(kQuery)), 0u);
    EXPECT_EQ(call(native_slot(kPointer)), 0u);
    EXPECT_EQ(anycuda_slots[kCoreIn12], first_target(kCoreIn12)) << "a failure is not for ever";
    EXPECT_EQ(opened_library(), nullptr);
  });
  EXPECT_THAT(text, HasSubstr("anycuda: testCore failed"));
  EXPECT_EQ(text.find("anycuda:"), text.rfind("anycuda:")) << text;
}

TEST_F(Resolve, CallGoesToTheLibraryAndItsSlotStays) {
  install("libtest.so.12");
  const std::string text = in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    EXPECT_EQ(anycuda_slots[kCoreIn12], dlsym(opened_library()->handle, "testCore"));
    EXPECT_EQ(call(native_slot(kMajor)), 12u);
    EXPECT_GE(opened_calls, 1);
  });
  EXPECT_EQ(text, "");
}

// The library calls during the replay: other threads' calls must still come to the resolver.
TEST_F(Resolve, ACallDuringTheReplayFillsNoSlot) {
  install("libtest.so.12");
  in_child([] {
    slots_may_be_filled = false;
    EXPECT_EQ(call(kCoreIn12), 1012u);
    EXPECT_EQ(anycuda_slots[kCoreIn12], first_target(kCoreIn12));
    slots_may_be_filled = true;
    EXPECT_EQ(call(kCoreIn12), 1012u);
    EXPECT_NE(anycuda_slots[kCoreIn12], first_target(kCoreIn12));
  });
}

// The disposition's list has two names; 13 has the second.
TEST_F(Resolve, Renamed_CallsTheExistingName) {
  install("libtest.so.13");
  in_child([] { EXPECT_EQ(call(kOldIn12), 2013u); });
}

TEST_F(Resolve, TheSameCellIsDirectWhereTheNameIsThere) {
  install("libtest.so.11.2");
  in_child([] { EXPECT_EQ(call(kOldIn12), 3011u); });
}

TEST_F(Resolve, AnAbsentCellFailsWithItsReason) {
  install("libtest.so.12");
  const std::string text = in_child([] { EXPECT_EQ(call(kNewIn12), 302u); });
  EXPECT_THAT(text, HasSubstr("testNew failed (status 302): not yet in 12"));
}

TEST_F(Resolve, AbsentInTheFirstMajor_HasAReason) {
  install("libtest.so.11.2");
  const std::string text = in_child([] { EXPECT_EQ(call(kNewIn12), 302u); });
  EXPECT_THAT(text, HasSubstr("testNew failed (status 302): not yet in 12"));
}

TEST_F(Resolve, ARejectedCellFailsWithItsReason) {
  install("libtest.so.13");
  const std::string text = in_child([] { EXPECT_EQ(call(kRejectedIn12), 801u); });
  EXPECT_THAT(text, HasSubstr("testRejected failed (status 801): another layout in 13"));
}

TEST_F(Resolve, UnversionedCaller_GetsOnlyExistingFunctions) {
  install("libtest.so.13");
  const std::string text = in_child([] {
    EXPECT_EQ(call(native_slot(kRejectedCall)), 0u);
    EXPECT_EQ(call(native_slot(kNew)), 2013u);
    EXPECT_EQ(call(native_slot(kOld)), 302u);
    EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failed look-up there";
  });
  EXPECT_THAT(text,
              HasSubstr("testOld failed (status 302): the library does not have this function"));
}

TEST_F(Resolve, UnknownMajorIsPassedThroughForUnversionedCallers) {
  install("libtest.so.14");
  const std::string text = in_child([] {
    EXPECT_EQ(call(native_slot(kCoreCall)), 1014u);
    EXPECT_EQ(call(kCoreIn12), 35u);
    EXPECT_EQ(call(native_slot(kMajor)), 14u);
  });
  EXPECT_THAT(text, HasSubstr("update anycuda"));
}

TEST_F(Resolve, RejectHoldsForALibraryThatIsOpenAlready) {
  install("libtest.so.13");
  const ScopedVariable set("ANYCUDA_CROSS_MAJOR", "reject");
  const std::string text = in_child([] {
    EXPECT_EQ(call(native_slot(kMajor)), 13u);
    EXPECT_EQ(call(kMajorIn12), 35u);
  });
  EXPECT_THAT(text, HasSubstr("ANYCUDA_CROSS_MAJOR=reject allows the caller's own major only.\n"));
  EXPECT_THAT(text, HasSubstr("what to do: unset ANYCUDA_CROSS_MAJOR, or use only programs "
                              "and libraries that are built for one major.\n"));
}

TEST_F(Resolve, InvalidSettingOpensNothing) {
  install("libtest.so.12");
  const ScopedVariable set("ANYCUDA_CROSS_MAJOR", "yes");
  const std::string text = in_child([] { EXPECT_EQ(call(native_slot(kCoreCall)), 35u); });
  EXPECT_THAT(text, HasSubstr("ANYCUDA_CROSS_MAJOR=yes"));
}

TEST_F(Resolve, AnycudasFunction_NeedsNoLibrary) {
  in_child([] {
    EXPECT_EQ(call(native_slot(kBuiltin)), 77u);
    EXPECT_EQ(opened_library(), nullptr);
  });
}

TEST_F(Resolve, ErrnoIsTheCallersBusiness) {
  in_child([] {
    errno = 4711;
    call(native_slot(kCoreCall));  // looks at many files that are not there
    EXPECT_EQ(errno, 4711);
  });
}

TEST_F(Resolve, LibraryLoadedAfterAFailureIsAdopted) {
  in_child([this] {
    EXPECT_EQ(call(kCoreIn12), 35u);
    install("libtest.so.12");
    EXPECT_EQ(call(kCoreIn12), 35u) << "the disk is not searched again";
    const std::string path = machine.tree.path("system/usr/lib/libtest.so.12");
    ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
    EXPECT_EQ(call(kCoreIn12), 1012u);
  });
}

TEST_F(Resolve, AfterAFailureTheVariablesFileIsNotReplaced) {
  install("libtest.so.12");
  const ScopedVariable set("ANYCUDA_TESTLIB", machine.tree.path("nowhere.so").c_str());
  in_child([this] {
    EXPECT_EQ(call(kCoreIn12), 35u);
    const std::string path = machine.tree.path("system/usr/lib/libtest.so.12");
    ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
    EXPECT_EQ(call(kCoreIn12), 35u);
  });
}

// ---- errors of the stub's own making, in the library's last-error functions

TEST_F(Resolve, LastErrorIsTheLibrarysUntilAStubError) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 5u);
    EXPECT_EQ(anycuda_slots[kPeekAtLastError],
              dlsym(opened_library()->handle, "testPeekAtLastError"));
    EXPECT_FALSE(any_error_remembered());
  });
}

TEST_F(Resolve, StubErrorIsReturnedAndClearedLikeALibraryError) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 5u);  // its slot is filled before the error
    EXPECT_EQ(call(kNewIn12), 302u);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 302u);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 302u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 302u);  // and this one after it
    EXPECT_EQ(call(native_slot(kGetLastError)), 0u) << "one call clears all there was";
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 0u);
  });
}

// As a function of the library does that fails.
void fail_in_library(int status) {
  const auto set =
      reinterpret_cast<void (*)(int)>(dlsym(opened_library()->handle, "testSetLastError"));
  ASSERT_NE(set, nullptr);
  set(status);
}

TEST_F(Resolve, TheLibrarysLaterErrorIsTheLastOne) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(native_slot(kGetLastError)), 5u);
    EXPECT_EQ(call(kNewIn12), 302u);
    fail_in_library(7);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 7u);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 7u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 7u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 0u) << "the stub's error is older and gone";
  });
}

TEST_F(Resolve, TheStubsLaterErrorIsTheLastOne) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 5u);  // and it stays there
    EXPECT_EQ(call(kNewIn12), 302u);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 302u);
    fail_in_library(7);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 7u);
    EXPECT_EQ(call(kNewIn12), 302u);
    EXPECT_EQ(call(native_slot(kPeekAtLastError)), 302u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 302u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 0u);
  });
}

TEST_F(Resolve, LibraryErrorIsNotLostAfterAStubError) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(kNewIn12), 302u);
    EXPECT_EQ(call(native_slot(kGetLastError)), 302u);
    for (const int status : {7, 7, 9}) {
      fail_in_library(status);
      EXPECT_EQ(call(native_slot(kPeekAtLastError)), static_cast<unsigned>(status));
      EXPECT_EQ(call(native_slot(kGetLastError)), static_cast<unsigned>(status));
      EXPECT_EQ(call(native_slot(kGetLastError)), 0u);
    }
  });
}

TEST_F(Resolve, AnErrorIsItsThreadsOwn) {
  install("libtest.so.12");
  in_child([] {
    call(native_slot(kGetLastError));  // the library's own first error
    EXPECT_EQ(call(kNewIn12), 302u);
    std::thread([] { EXPECT_EQ(call(native_slot(kGetLastError)), 0u); }).join();
    EXPECT_EQ(call(native_slot(kGetLastError)), 302u);
  });
}

}  // namespace
}  // namespace anycuda
