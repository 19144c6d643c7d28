// SPDX-License-Identifier: Apache-2.0

// The order of dotted numbers: "12.9.79" comes before "12.10". Pure, no allocation.
#pragma once

namespace anycuda {

// Below zero, zero, above zero. Texts are compared letter by letter from where they stop being
// dotted numbers.
int compare_dotted(const char* a, const char* b);

}  // namespace anycuda
