// SPDX-License-Identifier: Apache-2.0

// The result of a call that cannot be passed on.
#include "loader/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "loader/last_error.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/frames.h"
#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using ::testing::ElementsAre;
using namespace unit;  // NOLINT: the symbols of the made-up library

// A call with garbage in every register and on the stack.
struct Call {
  Frame frame;
  std::uint64_t stack[9];

  Call() {
    std::memset(&frame, 0xab, sizeof frame);
    std::memset(frame.integer, 0, sizeof frame.integer);
    std::memset(stack, 0, sizeof stack);
    set_stack(&frame, stack);
  }
  std::uint64_t fail(Symbol symbol, Failure failure) {
    fail_call(kTables.slots[native_slot(symbol)], failure, &frame);
    return frame.result;
  }
};

TEST(Frame, HasArgumentsInRegistersAndOnTheStack) {
  Call call;
  const unsigned registers = sizeof call.frame.integer / sizeof call.frame.integer[0];
  for (unsigned i = 0; i < registers; ++i) call.frame.integer[i] = 100 + i;
  for (unsigned i = 0; i < 9; ++i) call.stack[i] = 200 + i;
  set_stack(&call.frame, call.stack);
  for (unsigned i = 0; i < registers; ++i) EXPECT_EQ(call.frame.argument(i), 100 + i);
  EXPECT_EQ(call.frame.argument(8), 201u);  // the return address lies before the first
  EXPECT_EQ(call.frame.argument(10), 203u);
  EXPECT_EQ(call.frame.return_address(), reinterpret_cast<void*>(200));
  set_structure_result(&call.frame, &call);
  EXPECT_EQ(call.frame.structure_result(), &call);
}

TEST(FailedCall, HasTheStatusOfItsFailure) {
  EXPECT_EQ(Call().fail(kCoreCall, Failure::no_library), 35u);
  // These two are remembered as last errors, by the whole process.
  in_child([] {
    EXPECT_EQ(Call().fail(kCoreCall, Failure::absent), 302u);
    EXPECT_EQ(Call().fail(kCoreCall, Failure::rejected), 801u);
  });
}

TEST(FailedCall, WithoutLibrary_MayHaveAnotherStatus) {
  EXPECT_EQ(Call().fail(kQuery, Failure::no_library), 0u);
  in_child([] { EXPECT_EQ(Call().fail(kQuery, Failure::absent), 302u); });
}

TEST(FailedCall, WithoutLibrary_IsNotRemembered) {
  in_child([] {
    Call().fail(kCoreCall, Failure::no_library);
    EXPECT_FALSE(any_error_remembered());
    Call().fail(kCoreCall, Failure::absent);
    EXPECT_TRUE(any_error_remembered());
  });
}

// Without the library the driver can still be asked; without a driver the answer is 0.
TEST(FailedCall, DriverVersionQuery_QueriesTheDriver) {
  EmptyMachine machine;
  const auto ask = [] {
    int version = -1;
    Call call;
    call.frame.integer[0] = reinterpret_cast<std::uintptr_t>(&version);
    EXPECT_EQ(call.fail(kDriverVersion, Failure::no_library), 0u);
    return version;
  };
  in_child([&] { EXPECT_EQ(ask(), 0); });
  machine.tree.fake("libtestdriver.so.1", "system/usr/lib/libtestdriver.so.1");
  in_child([&] { EXPECT_EQ(ask(), 12020); });
  in_child([] { EXPECT_EQ(Call().fail(kDriverVersion, Failure::no_library), 1u) << "no pointer"; });
}

TEST(FailedCall, HasAResultOfItsKind) {
  // 64 bits, for a long as for an int.
  EXPECT_EQ(static_cast<std::int64_t>(Call().fail(kInteger, Failure::no_library)), -35);
  EXPECT_EQ(static_cast<std::int64_t>(Call().fail(kInteger, Failure::rejected)), -801);
  EXPECT_EQ(Call().fail(kPointer, Failure::no_library), 0u);
  EXPECT_EQ(Call().fail(kNothing, Failure::no_library), 0u);
}

TEST(FailedCall, ZeroesOnlyOutputsInRegistersAndOnTheStack) {
  struct {
    int count = -1;
    int after_count = -1;
    void* handle = reinterpret_cast<void*>(-1);
    std::uint64_t untouched = ~std::uint64_t{0};
    std::uint64_t size = ~std::uint64_t{0};
    std::uint64_t after_size = ~std::uint64_t{0};
  } out;
  Call call;
  call.frame.integer[0] = reinterpret_cast<std::uintptr_t>(&out.count);
  call.frame.integer[1] = reinterpret_cast<std::uintptr_t>(&out.untouched);
  call.frame.integer[2] = reinterpret_cast<std::uintptr_t>(&out.handle);
  call.stack[1] = reinterpret_cast<std::uintptr_t>(&out.untouched);
  call.stack[2] = reinterpret_cast<std::uintptr_t>(&out.size);
  EXPECT_EQ(call.fail(kOutputs, Failure::no_library), 35u);
  EXPECT_EQ(out.count, 0);
  EXPECT_EQ(out.after_count, -1);
  EXPECT_EQ(out.handle, nullptr);
  EXPECT_EQ(out.size, 0u);
  EXPECT_EQ(out.after_size, ~std::uint64_t{0});
  EXPECT_EQ(out.untouched, ~std::uint64_t{0});
}

TEST(FailedCall, ZeroesAStructureThatItPointsTo) {
  unsigned char structure[421];
  std::memset(structure, 0xff, sizeof structure);
  Call call;
  call.frame.integer[3] = reinterpret_cast<std::uintptr_t>(structure);
  EXPECT_EQ(call.fail(kOutputs, Failure::no_library), 35u);
  for (int i = 0; i < 421; ++i) EXPECT_EQ(structure[i], i < 420 ? 0 : 0xff) << i;
}

TEST(FailedCall, IgnoresNullOutputs) { EXPECT_EQ(Call().fail(kOutputs, Failure::no_library), 35u); }

// {0, 0, the status, 0, -7}.
TEST(FailedCall, FillsAStructureAndReturnsItsAddress) {
  std::int32_t structure[6];
  std::memset(structure, 0xff, sizeof structure);
  Call call;
  set_structure_result(&call.frame, structure);
  EXPECT_EQ(call.fail(kStruct, Failure::no_library), reinterpret_cast<std::uintptr_t>(structure));
  EXPECT_THAT(structure, ElementsAre(0, 0, 35, 0, -7, -1));
}

// Sixteen bytes are returned in registers, on x86-64 as on aarch64: here {0, the status, 0, 0}.
TEST(FailedCall, FillsASmallStructureInTheRegistersOnly) {
  unsigned char elsewhere[16];
  std::memset(elsewhere, 0xff, sizeof elsewhere);
  Call call;
  set_structure_result(&call.frame, elsewhere);
  EXPECT_EQ(call.fail(kPair, Failure::no_library), std::uint64_t{35} << 32);
  in_child([] { EXPECT_EQ(Call().fail(kPair, Failure::absent), std::uint64_t{302} << 32); });
  for (const unsigned char byte : elsewhere) EXPECT_EQ(byte, 0xff);
}

const char* text_of(Symbol symbol, std::uint64_t error) {
  Call call;
  call.frame.integer[0] = error;
  return reinterpret_cast<const char*>(call.fail(symbol, Failure::no_library));
}

TEST(ErrorTexts, AreKnownWithoutALibrary) {
  EXPECT_STREQ(text_of(kErrorName, 1), "errorInvalid");
  EXPECT_STREQ(text_of(kErrorString, 1), "invalid value");
  EXPECT_STREQ(text_of(kErrorString, 0), "no error");
  EXPECT_STREQ(text_of(kErrorName, 2), "errorOf12");
  EXPECT_STREQ(text_of(kErrorName, 99), "unrecognized error code");
  // The upper half of the register is garbage to a function of an int.
  EXPECT_STREQ(text_of(kErrorName, 0xdead000000000001), "errorInvalid");
}

TEST(ErrorTexts, MayBeAnOutput) {
  const char* text = "before";
  Call call;
  call.frame.integer[0] = 1;
  call.frame.integer[1] = reinterpret_cast<std::uintptr_t>(&text);
  EXPECT_EQ(call.fail(kErrorText, Failure::no_library), 0u);
  EXPECT_STREQ(text, "invalid value");
  call.frame.integer[0] = 99;
  EXPECT_EQ(call.fail(kErrorText, Failure::no_library), 1u);
  EXPECT_EQ(text, nullptr);
  call.frame.integer[1] = 0;
  EXPECT_EQ(call.fail(kErrorText, Failure::no_library), 1u);
}

}  // namespace
}  // namespace anycuda
