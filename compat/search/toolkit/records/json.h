// JSON, read member by member, without memory of its own. Pure, libc alone, no allocation; safe for
// any text: what is not JSON fails, and so does what is nested deeper than such files are.
//
// Source: RFC 8259.
#pragma once

#include <string_view>

namespace anycuda {

// A string as it is written, without its quotes.
struct JsonString {
  std::string_view written;

  // Is it this text, which is ASCII? Escapes are what they stand for.
  bool is(std::string_view text) const;
  // Without escapes, so that what is written is the text itself?
  bool is_plain() const;
};

// Each value has to be taken or skipped before the next member or element is asked for.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  // Into an object; false: the value here is not one, and is still to be skipped.
  bool enter_object() { return enter('{'); }
  // To its next member; false: it has none, and is left. Then the value follows.
  bool next_member(JsonString* name);
  bool enter_array() { return enter('['); }
  bool next_element() { return next(']'); }
  bool take_string(JsonString* value);
  void skip() { skip(0); }

  // Was all of the text one good value? To be asked at the end.
  bool finished();

 private:
  char here();  // the next character that is not blank; '\0': there is none, or the text is bad
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
