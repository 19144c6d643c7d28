// SPDX-License-Identifier: Apache-2.0
#include "compat/base/shortage.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace anycuda {
namespace {

// The errno that is noted for this failure; 0: none is.
template <typename Failure>
int noted(Failure failure) {
  const std::uint64_t before = shortages();
  note_shortage(failure);
  return shortage_since(before);
}

TEST(Shortage, IsAStateThatAnotherCallMayNotMeet) {
  for (const int error : {EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR}) EXPECT_EQ(noted(error), error);
  for (const int error : {0, ENOENT, EACCES, EIO, ELOOP}) EXPECT_EQ(noted(error), 0);
}

TEST(Shortage, IsReadFromTheLinkersMessage) {
  const std::string open = "libx.so: cannot open shared object file: ";
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    EXPECT_EQ(noted((open + std::strerror(error)).c_str()), error);
  }
  EXPECT_EQ(noted("libx.so: out of memory"), ENOMEM);
  EXPECT_EQ(noted((open + std::strerror(ENOENT)).c_str()), 0);
  EXPECT_EQ(noted("libx.so: cannot allocate memory in static TLS block"), 0) << "for ever";
}

TEST(Shortage, OfTheSameKindIsSeenAgain) {
  EXPECT_EQ(noted(EMFILE), EMFILE);
  const std::uint64_t before = shortages();
  EXPECT_EQ(shortage_since(before), 0);
  EXPECT_EQ(noted(EMFILE), EMFILE);
}

}  // namespace
}  // namespace anycuda
