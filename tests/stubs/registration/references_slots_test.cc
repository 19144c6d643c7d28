// SPDX-License-Identifier: Apache-2.0

// Slots that lead through anycuda once a program needs it: those of one major, if they are direct.
#include <gtest/gtest.h>

#include "loader/jump_slots.h"
#include "loader/open.h"
#include "stubs/cudart/adapters/references.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/frames.h"
#include "tests/support/unit/test_tables.h"

extern "C" __attribute__((visibility("hidden"))) void* anycuda_resolve(std::uint32_t index,
                                                                       anycuda::Frame* frame);

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: the symbols of the made-up library

std::uint64_t call(int slot) {
  std::uint64_t stack[8] = {};
  Frame frame{};
  set_stack(&frame, stack);
  void* target = anycuda_slots[slot];
  if (target == first_target(slot)) {
    target = anycuda_resolve(static_cast<std::uint32_t>(slot), &frame);
  }
  return target != nullptr ? reinterpret_cast<unsigned (*)()>(target)() : frame.result;
}

unsigned ours() { return 55; }
void* const kOurs = reinterpret_cast<void*>(&ours);

class LeadSlots : public testing::Test {
 protected:
  LeadSlots() { reset_slots(); }
  void install(const std::string& library) {
    machine.tree.fake(library, "system/usr/lib/" + library);
  }
  EmptyMachine machine;
};

TEST_F(LeadSlots, OfThatMajorWhetherUsedBeforeOrNot) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    references::lead_slots("testCore", 12, kOurs);
    EXPECT_EQ(anycuda_slots[kMajorIn12], first_target(kMajorIn12)) << "another function's";
    references::lead_slots("testMajor", 12, kOurs);
    EXPECT_EQ(call(kCoreIn12), 55u);
    EXPECT_EQ(call(kMajorIn12), 55u);
    EXPECT_NE(call(native_slot(kCoreCall)), 55u) << "ANYCUDA_NATIVE has no major";
  });
}

// A thread may be about to fill a slot that another leads elsewhere.
TEST_F(LeadSlots, EarlierCall_DoesNotOverwrite) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(native_slot(kCoreCall)), 1012u);
    references::lead_slots("testCore", 12, kOurs);
    Frame frame{};
    std::uint64_t stack[8] = {};
    set_stack(&frame, stack);
    EXPECT_EQ(anycuda_resolve(kCoreIn12, &frame), kOurs);
    EXPECT_EQ(anycuda_slots[kCoreIn12], kOurs);
  });
}

TEST_F(LeadSlots, OfOtherMajorsStay) {
  install("libtest.so.12");
  in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1012u);
    references::lead_slots("testCore", 11, kOurs);
    references::lead_slots("testNobodyHasThis", 12, kOurs);
    EXPECT_EQ(call(kCoreIn12), 1012u);
  });
}

TEST_F(LeadSlots, ThatDoNotGoStraightToTheLibraryStay) {
  install("libtest.so.13");
  in_child([] {
    EXPECT_EQ(call(kCoreIn12), 1013u);
    references::lead_slots("testRejected", 12, kOurs);
    references::lead_slots("testOld", 12, kOurs);
    EXPECT_EQ(call(kRejectedIn12), 801u);
    EXPECT_NE(call(kOldIn12), 55u);
  });
}

TEST_F(LeadSlots, WithoutALibraryNoneIs) {
  in_child([] {
    references::lead_slots("testCore", 12, kOurs);
    EXPECT_EQ(anycuda_slots[kCoreIn12], first_target(kCoreIn12));
  });
}

}  // namespace
}  // namespace anycuda
