// SPDX-License-Identifier: Apache-2.0

// Links by the backends' own functions, with nothing of the Linker between: what growth is compared
// with.
#pragma once

#include <string>

#include "linker/fixture.h"

namespace gputest {

// The kernel with its helper, or without (`whole` false), which fails: "" then.
std::string raw_driver_link(Check& check, const Code& parts, bool whole);
std::string raw_nvjitlink_link(Check& check, const Code& parts, bool whole);

}  // namespace gputest
