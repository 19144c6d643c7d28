// SPDX-License-Identifier: Apache-2.0

// Temporary failures: file descriptors or memory have run out, a call was interrupted. A search
// that met one may have missed files, so its failure is not remembered.
#pragma once

#include <cerrno>
#include <cstdint>

namespace anycuda {

// Notes the errno of a failed call, if it is one of those.
void note_shortage(int error);
// The same for a message of the dynamic linker, which leaves no errno.
void note_shortage(const char* dlerror_text);

// Notes the shortage of a call of the system that failed, and passes its answer on.
inline long noted(long answer) {
  if (answer < 0) note_shortage(errno);
  return answer;
}
inline char* noted(char* answer) {
  if (answer == nullptr) note_shortage(errno);
  return answer;
}

// The shortages of this process so far. Counted for the process and not for each search, since
// every layer down to the readers of files meets them: a shortage that another thread meets in the
// same moment costs one more search.
std::uint64_t shortages();
// The errno of the last shortage since shortages() returned `before`; 0 without one.
int shortage_since(std::uint64_t before);

}  // namespace anycuda
