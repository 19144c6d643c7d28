// SPDX-License-Identifier: Apache-2.0

// The doctor's records, one per line: its kind, then `name=value` fields, separated by tabs. In a
// value "\\", "\t" and "\n" stand for a backslash, a tab and the end of a line.
#pragma once

#include <cstddef>

namespace anycuda::doctor {

class RecordWriter {
 public:
  explicit RecordWriter(int file) : file_(file) {}
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  RecordWriter& begin(const char* kind);
  RecordWriter& field(const char* name, const char* text);  // nullptr: ""
  RecordWriter& field(const char* name, long long number);
  RecordWriter& flag(const char* name, bool value) { return field(name, value ? 1LL : 0LL); }
  // The record is written at once: the next step may crash.
  void end();

  // Have all records been written completely?
  bool complete() const { return complete_; }

 private:
  void put(char byte);
  void put_plain(const char* text);
  void put_escaped(const char* text);
  void flush();

  int file_;
  std::size_t used_ = 0;
  bool complete_ = true;
  char buffer_[4096];
};

}  // namespace anycuda::doctor
