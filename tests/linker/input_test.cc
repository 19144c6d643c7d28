// SPDX-License-Identifier: Apache-2.0

// An Input from each kind of bytes.
#include "anycuda/linker/input.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

using namespace anycuda::linker;

namespace {

const std::string kBytes("one\0two", 7);

void expect(const Input& input, InputType type, const std::string& name) {
  EXPECT_EQ(input.content(), kBytes);
  EXPECT_EQ(input.type(), type);
  EXPECT_EQ(input.name(), name);
  EXPECT_FALSE(input.is_file());
}

template <typename Content>
void expect_all(const Content& content) {
  expect(Input::bytes(content), InputType::any, "");
  expect(Input::bytes(content, "name"), InputType::any, "name");
  expect(Input::bytes(InputType::cubin, content), InputType::cubin, "");
  expect(Input::bytes(InputType::cubin, content, "name"), InputType::cubin, "name");
}

TEST(Input, TakesRangesOfBytes) {
  expect_all(kBytes);
  expect_all(std::string_view(kBytes));
  expect_all(std::vector<char>(kBytes.begin(), kBytes.end()));
  expect_all(std::vector<unsigned char>(kBytes.begin(), kBytes.end()));
  expect_all(std::array<signed char, 7>{'o', 'n', 'e', 0, 't', 'w', 'o'});
  const unsigned char array[] = {'o', 'n', 'e', 0, 't', 'w', 'o'};
  expect_all(array);
  std::vector<std::byte> bytes;
  for (const char c : kBytes) bytes.push_back(static_cast<std::byte>(c));
  expect_all(bytes);
}

TEST(Input, TakesAPointerAndASize) {
  const char* content = kBytes.data();
  expect(Input::bytes(content, 7), InputType::any, "");
  expect(Input::bytes(content, 7, "name"), InputType::any, "name");
  expect(Input::bytes(InputType::cubin, content, 7), InputType::cubin, "");
  expect(Input::bytes(InputType::cubin, content, 7, "name"), InputType::cubin, "name");
  char array[] = "one\0two";
  expect(Input::bytes(array, 7), InputType::any, "");
  EXPECT_EQ(Input::bytes(nullptr, 0).content(), "");
}

TEST(Input, TakesText) {
  const char* pointer = "text";
  EXPECT_EQ(Input::bytes(pointer).content(), "text");
  EXPECT_EQ(Input::bytes(pointer, "name").name(), "name");
  EXPECT_EQ(Input::bytes("text", "name").content(), "text");
  EXPECT_EQ(Input::bytes("text").type(), InputType::any);
}

TEST(Input, TakesAFile) {
  EXPECT_EQ(Input::file("a.o").type(), InputType::any);
  EXPECT_EQ(Input::file("a.o").name(), "a.o");
  EXPECT_TRUE(Input::file("a.o").is_file());
  EXPECT_EQ(Input::file(InputType::object, "a.o").type(), InputType::object);
}

template <typename Content, typename = void>
struct Accepts : std::false_type {};
template <typename Content>
struct Accepts<Content, std::void_t<decltype(Input::bytes(std::declval<const Content&>()))>>
    : std::true_type {};

// Elements of several bytes would be read in the machine's byte order.
TEST(Input, OtherElementsDoNotCompile) {
  EXPECT_TRUE(Accepts<std::vector<char>>::value);
  EXPECT_FALSE(Accepts<std::vector<int>>::value);
  EXPECT_FALSE(Accepts<std::u32string>::value);
  EXPECT_FALSE(Accepts<InputType>::value);
}

}  // namespace
