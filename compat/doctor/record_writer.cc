// SPDX-License-Identifier: Apache-2.0
#include "compat/doctor/record_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace anycuda::doctor {

RecordWriter& RecordWriter::begin(const char* kind) {
  put_plain(kind);
  return *this;
}

RecordWriter& RecordWriter::field(const char* name, const char* text) {
  put('\t');
  put_plain(name);
  put('=');
  put_escaped(text != nullptr ? text : "");
  return *this;
}

RecordWriter& RecordWriter::field(const char* name, long long number) {
  char text[24];
  std::snprintf(text, sizeof text, "%lld", number);
  return field(name, text);
}

void RecordWriter::end() {
  put('\n');
  flush();
}

void RecordWriter::put(char byte) {
  if (used_ == sizeof buffer_) flush();
  buffer_[used_++] = byte;
}

void RecordWriter::put_plain(const char* text) {
  for (; *text != '\0'; ++text) put(*text);
}

void RecordWriter::put_escaped(const char* text) {
  for (; *text != '\0'; ++text) {
    const bool special = *text == '\\' || *text == '\t' || *text == '\n';
    if (special) put('\\');
    put(*text == '\t' ? 't' : *text == '\n' ? 'n' : *text);
  }
}

void RecordWriter::flush() {
  std::size_t done = 0;
  while (complete_ && done < used_) {
    const ssize_t size = write(file_, buffer_ + done, used_ - done);
    if (size < 0 && errno == EINTR) continue;
    complete_ = size > 0;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  used_ = 0;
}

}  // namespace anycuda::doctor
