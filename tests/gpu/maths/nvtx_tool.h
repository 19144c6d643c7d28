// SPDX-License-Identifier: Apache-2.0

// The interface between nvtx.cc and its profiler (nvtx_tool.cc).
#pragma once

namespace nvtx_tool {

// The tool's handles; without a tool NVTX's are null.
constexpr long kDomain = 0x1001, kString = 0x1002, kResource = 0x1003, kSync = 0x1004;
constexpr unsigned long kRange = 0x1005;

// Everything heard since the last call, a line per call of NVTX; the text lives until the next
// call.
using Heard = const char*();
constexpr const char* kHeard = "nvtx_tool_heard";

}  // namespace nvtx_tool
