// SPDX-License-Identifier: Apache-2.0

// The settings of the policy, and the meanings of their texts. Pure; safe from any thread.
#pragma once

#include <cstdint>

namespace anycuda {

// `strict` refuses a library of insufficient metadata; `best_effort` accepts it and enforces the
// known facts; `off` checks nothing. ANYCUDA_STUB_COMPAT is the mode of the stubs, the Linker and
// the doctor; ANYCUDA_API_COMPAT is the mode of the C++ guard rails; ANYCUDA_COMPAT is the mode of
// both, except where the specific variable is set.
enum class Mode : std::uint8_t { strict, best_effort, off };

// ANYCUDA_CROSS_MAJOR: may a caller of one major be served by a library of another?
enum class CrossMajor : std::uint8_t { adapt, reject };

// ANYCUDA_DRIVER_COMPAT: `assume_forward_compat` declares that NVIDIA's cuda-compat package is in
// use, which lets an older driver run a newer major (only Linux has it).
enum class DriverCompat : std::uint8_t { as_reported, assume_forward_compat };

inline constexpr char kModeVariable[] = "ANYCUDA_COMPAT";
inline constexpr char kStubModeVariable[] = "ANYCUDA_STUB_COMPAT";
inline constexpr char kApiModeVariable[] = "ANYCUDA_API_COMPAT";
inline constexpr char kCrossMajorVariable[] = "ANYCUDA_CROSS_MAJOR";
inline constexpr char kDriverCompatVariable[] = "ANYCUDA_DRIVER_COMPAT";

template <typename Value>
struct Setting {
  Value value;
  bool understood;  // false: the text is not one of the values, and `value` is the default
};

// nullptr and "" are the default. Values are compared exactly: no blanks, no other case.
Setting<Mode> parse_mode(const char* text, Mode unset);
Setting<CrossMajor> parse_cross_major(const char* text);
Setting<DriverCompat> parse_driver_compat(const char* text);

// For messages: "strict, best_effort or off".
const char* values_of(const char* variable);
const char* name_of(Mode mode);

}  // namespace anycuda
