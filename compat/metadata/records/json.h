// SPDX-License-Identifier: Apache-2.0

// A reader of JSON, member by member. Pure, only libc, no allocation; safe for any text: invalid
// JSON fails, and so does deeper nesting than such files have.
//
// Source: RFC 8259.
#pragma once

#include <string_view>

namespace anycuda {

// A string as it is written, without its quotes.
struct JsonString {
  std::string_view written;

  // Is it this text, which is ASCII? Escapes are decoded.
  bool is(std::string_view text) const;
  // Has it no escapes, so that `written` is the text itself?
  bool is_plain() const;
};

// Each value has to be taken or skipped before the next member or element is asked for.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  // Into an object; false: the value here is another, and is still to be skipped.
  bool enter_object() { return enter('{'); }
  // To its next member, whose value follows; false: it has no more members, and is left.
  bool next_member(JsonString* name);
  bool enter_array() { return enter('['); }
  bool next_element() { return next(']'); }
  bool take_string(JsonString* value);
  void skip() { skip(0); }

  // Was all of the text one good value? To be asked at the end.
  bool finished();

 private:
  char here();  // the next character that is not blank; '\0' at the end, or if the text is bad
  bool take(char c);
  bool enter(char open);
  bool next(char close);
  void skip(int depth);
  void fail();

  std::string_view rest_;
  bool fresh_ = false;  // just entered: no comma is due
  bool failed_ = false;
};

}  // namespace anycuda
