// SPDX-License-Identifier: Apache-2.0

// Tables of options: each row joins a field of a struct with its spelling on a command line, for
// both directions. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/options.h"
#include "anycuda/linker/program.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {

// A word that stands for one value of a field, such as -ptx.
template <typename Target>
struct OneValue {
  bool (*is_set)(const Target&);
  void (*set)(Target*);
};

template <typename Target>
struct OptionRow {
  const char* field;  // "max_registers"
  // As it is written: "-lto" alone; "-arch=" and "-O" (no blank before a number) with a value.
  const char* spelling;
  std::variant<bool Target::*, std::optional<bool> Target::*, std::optional<int> Target::*,
               std::string Target::*, std::vector<std::string> Target::*, OneValue<Target>>
      member;
  const char* also = "";  // more spellings that are read, with blanks between them
  Version since = {};     // the first release with this option; not known(): all
};

template <typename Target>
struct OptionTable {
  const OptionRow<Target>* rows;
  std::size_t count;
  const char* yes;  // the values of a boolean option
  const char* no;

  const OptionRow<Target>* begin() const { return rows; }
  const OptionRow<Target>* end() const { return rows + count; }
};

// The words of one row for these options: none if the field is not set.
template <typename Target>
std::vector<std::string> words_for(const OptionTable<Target>& table, const OptionRow<Target>& row,
                                   const Target& options) {
  const std::string spelling = row.spelling;
  const auto answer = [&table](bool value) { return value ? table.yes : table.no; };
  const auto words = [&](const auto& member) -> std::vector<std::string> {
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, OneValue<Target>>) {
      if (member.is_set(options)) return {spelling};
    } else if constexpr (std::is_same_v<Member, bool Target::*>) {
      if (options.*member) return {spelling.back() == '=' ? spelling + table.yes : spelling};
    } else if constexpr (std::is_same_v<Member, std::optional<bool> Target::*>) {
      if (options.*member) return {spelling + answer(*(options.*member))};
    } else if constexpr (std::is_same_v<Member, std::optional<int> Target::*>) {
      if (options.*member) return {spelling + std::to_string(*(options.*member))};
    } else if constexpr (std::is_same_v<Member, std::string Target::*>) {
      if (!(options.*member).empty()) return {spelling + options.*member};
    } else {
      std::vector<std::string> all;
      for (const std::string& value : options.*member) all.push_back(spelling + value);
      return all;
    }
    return {};
  };
  return std::visit(words, row.member);
}

template <typename Target>
std::vector<std::string> words_for(const OptionTable<Target>& table, const Target& options) {
  std::vector<std::string> all;
  for (const OptionRow<Target>& row : table) {
    for (std::string& word : words_for(table, row, options)) all.push_back(std::move(word));
  }
  return all;
}

// Throws UnsupportedOptionError if the library of this version lacks an option that is set.
template <typename Target>
void check_versions(const OptionTable<Target>& table, const Target& options, const char* library,
                    Version version) {
  for (const OptionRow<Target>& row : table) {
    if (!row.since.known() || !older(version, row.since)) continue;
    if (words_for(table, row, options).empty()) continue;
    throw UnsupportedOptionError(std::string("the option ") + row.field + " needs " + library +
                                     " " + describe(row.since) + " or later; this is " +
                                     describe(version) +
                                     ": install a newer one, or do without this option",
                                 row.field);
  }
}

// Reads words into a Target.
template <typename Target>
class OptionReader {
 public:
  OptionReader(const OptionTable<Target>& table, const std::vector<std::string>& words)
      : table_(table), words_(words) {}

  // `unknown(word, options)` gets each word that begins no option of the table.
  template <typename Unknown>
  Target read(Unknown unknown) {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (!read_one(word)) unknown(word, &options_);
    }
    return std::move(options_);
  }

 private:
  using Row = OptionRow<Target>;

  bool read_one(const std::string& word) {
    std::string_view text = word;
    if (text.substr(0, 2) == "--") text.remove_prefix(1);
    for (const Row& row : table_) {
      const std::string all = std::string(row.spelling) + " " + row.also;
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find(' ', at), all.size());
        if (end > at && read_as(row, std::string_view(all).substr(at, end - at), text)) return true;
        at = end + 1;
      }
    }
    return false;
  }

  static bool takes_value(const Row& row, std::string_view spelling) {
    return spelling.back() == '=' || !(std::holds_alternative<bool Target::*>(row.member) ||
                                       std::holds_alternative<OneValue<Target>>(row.member));
  }

  bool read_as(const Row& row, std::string_view spelling, std::string_view text) {
    if (!takes_value(row, spelling)) {
      if (text != spelling) return false;
      set(row, table_.yes);
      return true;
    }
    std::string_view name = spelling;
    if (name.back() == '=') name.remove_suffix(1);
    if (text == name) {
      if (at_ == words_.size()) fail(row, "has no value after " + linker::quoted(name));
      // Written behind its option, an empty word would be the option alone.
      const std::string& value = words_[at_++];
      if (value.empty()) fail(row, "has an empty value after " + linker::quoted(name));
      set(row, value);
      return true;
    }
    if (text.substr(0, spelling.size()) != spelling) return false;
    set(row, std::string(text.substr(spelling.size())));
    return true;
  }

  void set(const Row& row, const std::string& value) {
    const auto put = [&](const auto& member) {
      using Member = std::decay_t<decltype(member)>;
      if constexpr (std::is_same_v<Member, OneValue<Target>>) {
        member.set(&options_);
      } else if constexpr (std::is_same_v<Member, std::optional<int> Target::*>) {
        options_.*member = number(row, value);
      } else if constexpr (std::is_same_v<Member, std::string Target::*>) {
        options_.*member = value;
      } else if constexpr (std::is_same_v<Member, std::vector<std::string> Target::*>) {
        (options_.*member).push_back(value);
      } else {
        options_.*member = truth(row, value);
      }
    };
    std::visit(put, row.member);
  }

  static int number(const Row& row, const std::string& value) {
    int number = 0;
    const char* end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stopped != end) {
      fail(row, "cannot be " + linker::quoted(value) + ": expected a number");
    }
    return number;
  }

  static bool truth(const Row& row, const std::string& value) {
    if (value == "1" || value == "true") return true;
    if (value != "0" && value != "false") {
      fail(row, "cannot be " + linker::quoted(value) + ": expected 1, 0, true or false");
    }
    return false;
  }

  [[noreturn]] static void fail(const Row& row, const std::string& why) {
    throw OptionError(std::string("the option ") + row.field + " " + why, row.field);
  }

  const OptionTable<Target>& table_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  Target options_;
};

// The tables.
const OptionTable<Options>& link_option_table();
const OptionTable<ProgramOptions>& program_option_table();

}  // namespace anycuda::linker
