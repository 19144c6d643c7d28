// SPDX-License-Identifier: Apache-2.0

// What plugins.cc asks its plugins: plugin_ask(request, memory, answers). The memory (kPluginMemory
// bytes) stays the calling thread's.
#pragma once

enum Request { kVersion, kCount, kRefused, kRegister };
enum { kRequests = 4, kAnswers = 5, kPluginMemory = 64 };
