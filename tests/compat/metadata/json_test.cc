// SPDX-License-Identifier: Apache-2.0

// The JSON of package records: what is accepted, and that all else is refused.
#include "compat/metadata/records/json.h"

#include <gtest/gtest.h>

#include <string>

#include "compat/metadata/records/version_file.h"

namespace anycuda {
namespace {

bool is_json(std::string_view text) {
  JsonReader json(text);
  json.skip();
  return json.finished();
}

TEST(Json, OfAnyKindIsSkipped) {
  for (const char* good : {"{}", "[]", " \t\r\n{ } ", "0", "-1.5e+3", "true", "null", "\"\"",
                           "[[],{},[{}]]", R"({"a": 1, "b": [1, "x", {"c": null}], "d": {}})",
                           R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")", "\"caf\xC3\xA9\""}) {
    EXPECT_TRUE(is_json(good)) << good;
  }
}

TEST(Json, ThatIsNotWholeOrNotGoodFails) {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "[",
                          "]",
                          "}",
                          "{]",
                          "[}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\" 1}",
                          "{a: 1}",
                          "{1: 1}",
                          "{\"a\": 1,}",
                          "[1,]",
                          "[,1]",
                          "[1 2]",
                          "{\"a\": 1 \"b\": 2}",
                          "{,}",
                          "[]]",
                          "{} {}",
                          "[] x",
                          "\"",
                          "\"a",
                          "\"\\\"",
                          "\"\\x\"",
                          "\"\\u12\"",
                          "\"\\u12g4\"",
                          "\"\\u0000\"",
                          "\"a\nb\"",
                          "'a'",
                          "//",
                          "{\"a\": [1, 2}",
                          "[{\"a\": 1]"}) {
    EXPECT_FALSE(is_json(bad)) << bad;
  }
  EXPECT_FALSE(is_json(std::string_view("[]\0", 3)));
  EXPECT_FALSE(is_json(std::string(1000000, '[')));
  std::string deep = std::string(20, '[') + std::string(20, ']');
  EXPECT_TRUE(is_json(deep));
}

TEST(Json, StringEscapesAreDecoded) {
  const auto string_in = [](std::string_view text) {
    JsonReader json(text);
    JsonString string;
    EXPECT_TRUE(json.take_string(&string));
    EXPECT_TRUE(json.finished());
    return string;
  };
  EXPECT_TRUE(string_in(R"("lib\/a\u002eso")").is("lib/a.so"));
  EXPECT_FALSE(string_in(R"("lib\/a\u002eso")").is("lib/a.s"));
  EXPECT_FALSE(string_in(R"("lib\/a\u002eso")").is("lib/a.so.1"));
  EXPECT_FALSE(string_in(R"("a\\b")").is("a"));
  EXPECT_TRUE(string_in(R"("a\\b")").is("a\\b"));
  EXPECT_FALSE(string_in(R"("\u00e9")").is("e"));
  EXPECT_FALSE(string_in(R"("a\\b")").is_plain());
  EXPECT_TRUE(string_in(R"("")").is(""));
}

std::string version_of(std::string_view text) {
  const Version version = version_in_version_file(text);
  return version.known() ? std::to_string(version.major) + "." + std::to_string(version.minor) : "";
}

TEST(VersionFile, StatesTheVersionOfCuda) {
  EXPECT_EQ(version_of(R"json({
   "cuda" : {
      "name" : "CUDA SDK",
      "version" : "12.9.1"
   },
   "cuda_cudart" : {
      "name" : "CUDA Runtime (cudart)",
      "version" : "12.9.79"
}
})json"),
            "12.9");
  EXPECT_EQ(version_of(R"({"cuda_cudart": {"version": "12.8.1"}, "cuda": {"version": "13.0"}})"),
            "13.0");
}

TEST(VersionFile, ThatIsNotSuchAFileStatesNone) {
  for (const char* bad :
       {"", "{}", "[]", R"({"cuda": "12.9.1"})", R"({"cuda": {"version": 12.9}})",
        R"({"cuda": {"version": "12"}})", R"({"cuda": {"version": "twelve"}})",
        R"({"cuda": {"version": "12.9.1"})", R"({"cuda": {"version": "12.9.1"}}})",
        R"({"cuda": {"version": "12.9.1", "version": "12.8.1"}})",
        R"({"cuda": {"version": "12.9.1"}, "cuda": {"version": "12.9.1"}})",
        R"({"cuda_cudart": {"version": "12.9.79"}})", R"({"version": "12.9"})",
        R"({"cuda": {"name": {"version": "12.9"}}})"}) {
    EXPECT_EQ(version_of(bad), "") << bad;
  }
}

}  // namespace
}  // namespace anycuda
