// SPDX-License-Identifier: Apache-2.0

// The stubs' own string functions give what libc's give.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "stubs/libc/strings.h"

namespace anycuda {
namespace {

int sign(int number) { return (number > 0) - (number < 0); }

// Texts of all lengths around a word, at all places in one, with what follows a byte above 127.
std::vector<std::string> texts() {
  std::vector<std::string> all = {"",
                                  "a",
                                  "ab",
                                  "ba",
                                  "a\x80",
                                  "\xff",
                                  "libcudart.so.12",
                                  "libcudart.so.13",
                                  "/usr/lib:/opt/lib",
                                  "aab",
                                  "aaab",
                                  "abaabaaab"};
  for (std::size_t length = 1; length < 40; ++length) {
    all.emplace_back(length, 'x');
    all.emplace_back(std::string(length, '\xfe') + 'y');
  }
  return all;
}

TEST(OwnStrings, LengthsAreLibcs) {
  for (const std::string& text : texts()) {
    alignas(16) char room[80];
    for (std::size_t at = 0; at < 16; ++at) {
      std::memset(room, '\x01', sizeof room);
      std::strcpy(room + at, text.c_str());
      EXPECT_EQ(libc::strlen(room + at), std::strlen(room + at)) << text << at;
    }
  }
}

TEST(OwnStrings, OrdersAreLibcs) {
  for (const std::string& a : texts()) {
    for (const std::string& b : texts()) {
      EXPECT_EQ(sign(libc::strcmp(a.c_str(), b.c_str())), sign(std::strcmp(a.c_str(), b.c_str())))
          << a << " " << b;
      for (const std::size_t most : {0, 1, 2, 8, 15, 50}) {
        EXPECT_EQ(sign(libc::strncmp(a.c_str(), b.c_str(), most)),
                  sign(std::strncmp(a.c_str(), b.c_str(), most)))
            << a << " " << b << " " << most;
      }
      const std::size_t size = std::min(a.size(), b.size());
      EXPECT_EQ(sign(libc::memcmp(a.data(), b.data(), size)),
                sign(std::memcmp(a.data(), b.data(), size)));
    }
  }
}

TEST(OwnStrings, PositionsAreLibcs) {
  for (const std::string& text : texts()) {
    for (const std::string& part : texts()) {
      EXPECT_EQ(libc::strstr(text.c_str(), part.c_str()), std::strstr(text.c_str(), part.c_str()))
          << text << " " << part;
      EXPECT_EQ(libc::memmem(text.data(), text.size(), part.data(), part.size()),
                ::memmem(text.data(), text.size(), part.data(), part.size()))
          << text << " " << part;
      EXPECT_EQ(libc::strcspn(text.c_str(), part.c_str()), std::strcspn(text.c_str(), part.c_str()))
          << text << " " << part;
    }
    for (const int wanted : {int{'a'}, int{'/'}, int{'x'}, 0x80, 0xfe, 0}) {
      EXPECT_EQ(libc::strrchr(text.c_str(), wanted), std::strrchr(text.c_str(), wanted));
    }
  }
}

TEST(OwnStrings, CopiesAreLibcs) {
  for (const std::string& text : texts()) {
    for (const std::size_t size : {0, 1, 5, 8, 50}) {
      char own[64];
      char other[64];
      std::memset(own, '#', sizeof own);
      std::memset(other, '#', sizeof other);
      libc::strncpy(own, text.c_str(), size);
      std::strncpy(other, text.c_str(), size);
      EXPECT_EQ(std::string(own, sizeof own), std::string(other, sizeof other)) << text << size;
      EXPECT_EQ(libc::memset(own, 0x1ff, size), own);
      EXPECT_EQ(std::string(own, size), std::string(size, '\xff'));
    }
    char own[64];
    EXPECT_EQ(libc::strcpy(own, text.c_str()), own);
    EXPECT_EQ(std::string(own), text);
    std::string moved = text + text;
    libc::memmove(moved.data() + 1, moved.data(), text.size());
    EXPECT_EQ(moved.substr(text.empty() ? 0 : 1, text.size()), text);
    libc::memmove(moved.data(), moved.data() + 1, text.size());
    EXPECT_EQ(moved.substr(0, text.size()), text);
  }
}

}  // namespace
}  // namespace anycuda
