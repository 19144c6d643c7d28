// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/wheel_record.h"

#include "compat/base/lexical_path.h"
#include "compat/base/text.h"

namespace anycuda {
namespace {

// A row's first field, without its quotes. CSV doubles a quote within quotes; such a name is never
// looked for, but a row that has one must still end where it ends.
struct Row {
  std::string_view field;
  std::size_t end;  // where the next row begins
};

std::size_t end_of_line(std::string_view text, std::size_t from) {
  const std::size_t end = text::find(text, "\n", from);
  return end != text::kNowhere ? end + 1 : text.size();
}

std::size_t closing_quote(std::string_view text, std::size_t from) {
  for (std::size_t at = text::find(text, "\"", from); at != text::kNowhere;
       at = text::find(text, "\"", at + 2)) {
    if (at + 1 >= text.size() || text[at + 1] != '"') return at;
  }
  return text.size();
}

Row row_at(std::string_view text, std::size_t at) {
  if (text[at] == '"') {
    const std::size_t close = closing_quote(text, at + 1);
    if (close == text.size()) return {"", close};  // cut off
    return {text::first(text::without(text, at + 1), close - at - 1), end_of_line(text, close)};
  }
  std::size_t end = at;
  while (end < text.size() && text[end] != ',' && text[end] != '\n' && text[end] != '\r') ++end;
  return {text::first(text::without(text, at), end - at), end_of_line(text, end)};
}

class Search {
 public:
  Search(Arena* arena, std::string_view site, std::string_view path, bool is_folder)
      : arena_(arena), site_(site), wanted_(arena, path), is_folder_(is_folder) {}

  bool in(std::string_view record) const {
    if (!wanted_.usable()) return false;
    // Rows end where lines do, but for quoted fields, which may hold any character.
    const bool quoted = text::find(record, "\"") != text::kNowhere;
    return quoted ? in_every_row(record) : in_rows_with_the_name(record);
  }

 private:
  bool matches(std::string_view field) const {
    if (text::find(field, name_of(wanted_.text())) == text::kNowhere) return false;
    const LexicalPath listed(arena_, site_, field);
    return is_folder_ ? is_below(listed.text(), wanted_.text()) : listed.text() == wanted_.text();
  }

  bool in_every_row(std::string_view record) const {
    for (std::size_t at = 0; at < record.size();) {
      const Row row = row_at(record, at);
      if (matches(row.field)) return true;
      at = row.end;
    }
    return false;
  }

  // Records have thousands of rows. Few contain the name, and only those are parsed.
  bool in_rows_with_the_name(std::string_view record) const {
    const std::string_view name = name_of(wanted_.text());
    for (std::size_t at = text::find(record, name); at != text::kNowhere;) {
      std::size_t start = at;
      while (start > 0 && record[start - 1] != '\n') --start;
      const Row row = row_at(record, start);
      if (matches(row.field)) return true;
      at = text::find(record, name, row.end);
    }
    return false;
  }

  Arena* arena_;
  std::string_view site_;
  LexicalPath wanted_;
  bool is_folder_;
};

}  // namespace

bool record_lists(Arena* arena, std::string_view record, std::string_view site,
                  std::string_view path, bool is_folder) {
  return Search(arena, site, path, is_folder).in(record);
}

}  // namespace anycuda
