// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gputest {

// Runs the case of exits.cc that the argument names (`exit:live_graphs`), in this process, which is
// to end then. False if it names none.
bool exit_case(const char* argument);

}  // namespace gputest
