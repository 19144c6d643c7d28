// SPDX-License-Identifier: Apache-2.0
#include "tests/support/unit/test_tables.h"

#include "compat/base/gnu_hash.h"
#include "loader/jump_slots.h"
#include "loader/open.h"
#include "loader/stub_copies.h"

namespace anycuda {
namespace unit {
namespace {

// One literal; offsets are counted below, so that tests do not depend on the layout of the pool.
constexpr char kPool[] =
    "\0testAdapted\0testAdded\0testCore\0testDriverVersion\0testErrorName\0testErrorString\0testErr"
    "orText\0testG"
    "etLastError\0"
    "testInteger\0testMajor\0testNew\0testNothing\0testOld\0testOutputs\0testOwn\0testPair\0"
    "testPeekAtLastError\0testPointer\0testQuery\0testRejected\0testStruct\0"
    "the library does not have this function\0not yet in 12\0another layout in 13\0"
    "success\0no error\0errorInvalid\0invalid value\0errorOf12\0came with 12";

// Offset of the pool's n-th string.
constexpr std::uint32_t text(int n) {
  std::uint32_t at = 0;
  for (; n > 0; ++at) n -= kPool[at] == '\0';
  return at;
}
constexpr int kFirstReason = 1 + kSymbolCount;
constexpr int kFirstError = kFirstReason + 3;

struct Names {
  std::uint32_t rows[kSymbolCount];
};
constexpr Names names() {
  Names all{};
  for (int symbol = 0; symbol < kSymbolCount; ++symbol) all.rows[symbol] = text(1 + symbol);
  return all;
}
constexpr Names kNames = names();
constexpr Names hashes() {
  Names all{};
  for (int symbol = 0; symbol < kSymbolCount; ++symbol) {
    all.rows[symbol] = gnu_hash(kPool + kNames.rows[symbol]);
  }
  return all;
}
constexpr Names kHashes = hashes();

constexpr SymbolRow row(ResultKind result, SpecialFunction special = SpecialFunction::plain,
                        std::uint8_t size = 0, std::uint8_t builtin = 0, bool is_question = false) {
  return {result, size, special, builtin, is_question};
}

constexpr SymbolRow kSymbols[kSymbolCount] = {
    row(ResultKind::status),                                               // kAdapted
    row(ResultKind::status),                                               // kAdded
    row(ResultKind::status),                                               // kCoreCall
    row(ResultKind::status, SpecialFunction::driver_version, 0, 0, true),  // kDriverVersion
    row(ResultKind::string, SpecialFunction::error_name),                  // kErrorName
    row(ResultKind::string, SpecialFunction::error_string),                // kErrorString
    row(ResultKind::status, SpecialFunction::error_string),                // kErrorText
    row(ResultKind::status, SpecialFunction::get_last_error),              // kGetLastError
    row(ResultKind::word),                                                 // kInteger
    row(ResultKind::status),                                               // kMajor
    row(ResultKind::status),                                               // kNew
    row(ResultKind::zero),                                                 // kNothing
    row(ResultKind::status),                                               // kOld
    row(ResultKind::status),                                               // kOutputs
    row(ResultKind::status, SpecialFunction::plain, 0, 1),                 // kBuiltin
    row(ResultKind::structure, SpecialFunction::plain, 16),                // kPair
    row(ResultKind::status, SpecialFunction::peek_last_error),             // kPeekAtLastError
    row(ResultKind::zero),                                                 // kPointer
    row(ResultKind::status, SpecialFunction::plain, 0, 0, true),           // kQuery
    row(ResultKind::status),                                               // kRejectedCall
    row(ResultKind::structure, SpecialFunction::plain, 20),                // kStruct
};

constexpr Availability since(int minor) { return static_cast<Availability>(1 + minor); }
// By major 11, 12, 13, and by symbol.
struct Availabilities {
  Availability of[3][kSymbolCount];
};
constexpr Availabilities availability() {
  Availabilities all{};
  for (auto& symbols : all.of) {
    for (Availability& availability : symbols) availability = since(0);
    symbols[kCoreCall] |= kRequired;
  }
  all.of[0][kAdded] = kNever;
  all.of[1][kAdded] = since(2);
  all.of[0][kNew] = all.of[1][kNew] = kNever;
  all.of[2][kOld] = kNever;
  return all;
}
constexpr Availabilities kAvailability = availability();

// The made-up release 12.1 has these names and no others.
constexpr std::uint64_t square(std::uint32_t hash) { return std::uint64_t{hash | 1} * (hash | 1); }
constexpr ReleaseNames kReleases[] = {
    {square(gnu_hash("testCore")) + square(gnu_hash("testOfRelease")), 1, 1, 12}};

// Rows of dispositions for callers of 12, by library 11, 12, 13.
constexpr std::uint16_t kDispositions[] = {
    kDirect,       kDirect,           kDirect,            // testCore, testMajor
    kDirect,       kDirect,           kFirstTarget + 1,   // testOld
    kAbsent,       kAbsent,           kDirect,            // testNew
    kDirect,       kDirect,           kRejected,          // testRejected
    kFirstAdapter, kFirstAdapter + 2, kFirstAdapter + 1,  // testAdapted
};
constexpr std::uint16_t kReasons[] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 2, 0, 1, 0};
constexpr std::uint32_t kReasonText[] = {text(kFirstReason), text(kFirstReason + 1),
                                         text(kFirstReason + 2)};
// The empty list; 13 has the second name of the next one. Then what adapters need.
constexpr std::uint32_t kTargets[] = {
    0, text(1 + kOld),      text(1 + kNew), 0, text(1 + kCoreCall),
    0, text(1 + kCoreCall), text(1 + kOld), 0};
// What goes before the first two is the empty list; before the third, testOld.
constexpr AdapterRow kAdapters[] = {{4, 0}, {6, 0}, {4, 1}};
std::int32_t adapted() { return 88; }
void* adapter(unsigned number) { return number < 3 ? reinterpret_cast<void*>(&adapted) : nullptr; }

// testOutputs: int* in the first register, a handle in the third, a structure of 420 bytes in the
// fourth, size_t* in the second stack slot.
constexpr std::uint8_t kOutputLists[] = {0, 4, 0, 4, 2, 8, 3, 0x80 | (420 & 0x7f), 420 >> 7, 9, 8};

// Which row of dispositions it has does not matter.
constexpr SlotRow native(Symbol symbol) {
  return {symbol, kUnversioned, 3, static_cast<std::uint16_t>(symbol == kOutputs ? 1 : 0)};
}
constexpr SlotRow kSlots[kSlotCount] = {native(kAdapted),
                                        native(kAdded),
                                        native(kCoreCall),
                                        native(kDriverVersion),
                                        native(kErrorName),
                                        native(kErrorString),
                                        native(kErrorText),
                                        native(kGetLastError),
                                        native(kInteger),
                                        native(kMajor),
                                        native(kNew),
                                        native(kNothing),
                                        native(kOld),
                                        native(kOutputs),
                                        native(kBuiltin),
                                        native(kPair),
                                        native(kPeekAtLastError),
                                        native(kPointer),
                                        native(kQuery),
                                        native(kRejectedCall),
                                        native(kStruct),
                                        {kCoreCall, 2, 0, 0},
                                        {kOld, 2, 1, 0},
                                        {kNew, 2, 2, 0},
                                        {kRejectedCall, 2, 3, 0},
                                        {kMajor, 2, 0, 0},
                                        {kAdapted, 2, 4, 0}};

// Of all majors, but the last, which 11 does not have.
constexpr ErrorRow kErrors[] = {{0, 7, text(kFirstError), text(kFirstError + 1)},
                                {1, 7, text(kFirstError + 2), text(kFirstError + 3)},
                                {2, 6, text(kFirstError + 4), text(kFirstError + 5)}};
constexpr FailingWord kFailingWords[] = {{kInteger, 0, FailingForm::negative_status, 0},
                                         {kPair, 4, FailingForm::status, 0},
                                         {kQuery, 0, FailingForm::constant, 0},
                                         {kStruct, 8, FailingForm::status, 0},
                                         {kStruct, 16, FailingForm::constant, -7}};

std::int32_t builtin_function() { return 77; }
void* const kBuiltins[] = {reinterpret_cast<void*>(&builtin_function)};

bool count_opened() {
  ++opened_calls;
  return slots_may_be_filled;
}

constexpr MajorRow kMajors[] = {{11, 11, "libtest.so.11.2", "libtest.so.11.2"},
                                {12, 12, "libtest.so.12", "libtest.so.12"},
                                {13, 13, "libtest.so.13", "libtest.so.13"}};
const char* const kFolders[] = {"nvidia/test_runtime/lib", "nvidia/cu13/lib", nullptr};
constexpr MajorRow kDriverMajors[] = {{1, 1, "libtestdriver.so.1", nullptr}};
const char* const kNoFolders[] = {nullptr};

}  // namespace

int opened_calls = 0;
bool slots_may_be_filled = true;

void reset_slots() {
  for (int i = 0; i < kSlotCount; ++i) replace_slot(i, first_target(i));
}

}  // namespace unit

using namespace unit;

// clang-format off: one line each is enough of a table
const LibraryDescriptor kLibrary = {"test",
                                    "test library",
                                    "ANYCUDA_TESTLIB",
                                    "libtest.so",
                                    "install the test library",
                                    kMajors,
                                    3,
                                    kFolders,
                                    false,
                                    {13, true, true},
                                    nullptr};
const LibraryDescriptor kDriver = {"testdriver",
                                   "test driver",
                                   "ANYCUDA_TESTDRIVER",
                                   "libtestdriver.so",
                                   "install the test driver",
                                   kDriverMajors,
                                   1,
                                   kNoFolders,
                                   true,
                                   {1, false, false},
                                   nullptr,
                                   {"cuDriverGetVersion", VersionForm::number, {1, 0}}};
const Tables kTables = {
    {kPool, kNames.rows, kHashes.rows, kSymbolCount, *kAvailability.of, kReleases, 1},
    kSymbols,
    kSlots,
    kSlotCount,
    kDispositions,
    kTargets,
    kReasons,
    kReasonText,
    kOutputLists,
    kErrors,
    3,
    kStatusNoLibrary,
    kStatusAbsent,
    kStatusRejected,
    kFailingWords,
    std::size(kFailingWords),
    kBuiltins,
    kAdapters,
    &adapter,
    count_opened};
// clang-format on

}  // namespace anycuda

// In a stub the entry file has these four.
const anycuda::CopyTable anycuda_copy = {24, anycuda::kCopyProtocol, 0, 0, nullptr, {0}};
const std::uint32_t anycuda_is_static = 0;
void* anycuda_slots[anycuda::unit::kSlotCount];
char anycuda_lazy[anycuda::lazy_offset(anycuda::unit::kSlotCount)];
