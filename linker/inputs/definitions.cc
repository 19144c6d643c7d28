// SPDX-License-Identifier: Apache-2.0

// PTX ISA, "Linking Directives": .visible; a definition has a body or is a variable.
#include "linker/inputs/definitions.h"

#include <cctype>
#include <vector>

#include "device_code/sections.h"
#include "linker/inputs/detect_type.h"

namespace anycuda::linker {
namespace {

using Tokens = std::vector<std::string_view>;
using Definitions = std::map<std::string, Definition>;

// The position after the parenthesis that begins at `at`.
std::size_t behind_parentheses(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at] == "(") ++depth;
    if (tokens[at] == ")" && --depth == 0) return at + 1;
  }
  return at;
}

// What a statement from .visible or .weak on defines; without a name: nothing.
struct Named {
  std::string_view name;
  SymbolKind kind = SymbolKind::variable;
};
Named defined_by(const Tokens& tokens, bool has_body) {
  Named named;
  std::string_view& name = named.name;
  bool function = false;
  for (std::size_t at = 1; at < tokens.size();) {
    const std::string_view token = tokens[at];
    if (token == "(") {
      if (function && !name.empty()) break;  // its parameters
      at = behind_parentheses(tokens, at);   // what it returns, or an attribute
      continue;
    }
    if (token == "[" || token == "=" || token == ",") break;
    if (token == ".entry") named.kind = SymbolKind::kernel;
    if (token == ".func") named.kind = SymbolKind::function;
    function = named.kind != SymbolKind::variable;
    if (token[0] != '.') name = token;
    ++at;
  }
  if (function && !has_body) name = {};
  return named;
}

class PtxScanner {
 public:
  PtxScanner(std::string_view text, Definitions* out) : text_(text), out_(*out) {}

  void run() {
    while (at_ < text_.size()) {
      if (skip("//", "\n") || skip("/*", "*/") || skip("\"", "\"")) continue;
      const std::size_t start = at_++;
      const char c = text_[start];
      if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
      if (c == '{') {
        if (depth_++ == 0) end_statement(true);
      } else if (c == '}') {
        if (depth_ > 0) --depth_;
      } else if (c == ';') {
        if (depth_ == 0) end_statement(false);
      } else {
        while (is_word(c) && at_ < text_.size() && is_word(text_[at_])) ++at_;
        token(text_.substr(start, at_ - start));
      }
    }
  }

 private:
  static constexpr std::size_t kMostTokens = 4096;  // of parameters there are fewer

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
           c == '%';
  }
  bool skip(std::string_view begin, std::string_view end) {
    if (text_.compare(at_, begin.size(), begin) != 0) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return true;
  }
  void token(std::string_view text) {
    if (depth_ != 0) return;
    if (text == ".visible" || text == ".weak") statement_.clear();
    if (statement_.size() < kMostTokens) statement_.push_back(text);
  }
  void end_statement(bool has_body) {
    const bool weak = !statement_.empty() && statement_[0] == ".weak";
    if (weak || (!statement_.empty() && statement_[0] == ".visible")) {
      const Named named = defined_by(statement_, has_body);
      if (!named.name.empty()) out_.emplace(named.name, Definition{named.kind, weak});
    }
    statement_.clear();
  }

  std::string_view text_;
  Definitions& out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Tokens statement_;
};

using device_code::Bytes;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// What of a CUBIN is looked at.
struct Tables {
  Bytes symbols;
  Bytes names;
  Bytes attributes;  // .nv.info

  std::string name_of(const Elf64_Sym& symbol) const {
    const Bytes name = names.from(symbol.st_name);
    return {reinterpret_cast<const char*>(name.data), name.find("", 1)};
  }
};

Tables tables_of(Bytes cubin) {
  Tables tables;
  Elf64_Ehdr header;
  if (!cubin.read(0, &header) || !device_code::has_our_sections(header)) return tables;
  const device_code::Sections sections = device_code::sections_of(cubin, header);
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    Elf64_Shdr section;
    Elf64_Shdr names;
    if (!sections.header(i, &section)) break;
    if (sections.has_name(section, ".nv.info")) tables.attributes = sections.content(section);
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.count) continue;
    if (!sections.header(section.sh_link, &names)) break;
    tables.symbols = sections.content(section);
    tables.names = sections.content(names);
  }
  return tables;
}

constexpr unsigned kEntry = 0x10;  // in st_other of kernels (read from CUBINs of 11.8 to 13.5)

void read_symbols(Bytes cubin, Definitions* out) {
  const Tables tables = tables_of(cubin);
  Elf64_Sym symbol;
  for (std::size_t at = 0; tables.symbols.read(at, &symbol); at += sizeof symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const unsigned binding = ELF64_ST_BIND(symbol.st_info);
    const bool named = type != STT_NOTYPE && type != STT_SECTION && type != STT_FILE;
    if (!named || (binding != STB_GLOBAL && binding != STB_WEAK)) continue;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON) continue;
    SymbolKind kind = SymbolKind::variable;
    if (type == STT_FUNC) {
      kind = (symbol.st_other & kEntry) != 0 ? SymbolKind::kernel : SymbolKind::function;
    }
    out->emplace(tables.name_of(symbol), Definition{kind, binding == STB_WEAK});
  }
}

// An attribute: its format and number, then a value of two bytes, or its size and as many more.
struct Attribute {
  std::uint8_t format;
  std::uint8_t number;
  std::uint16_t value;
};
constexpr std::uint8_t kSized = 4;
constexpr std::uint8_t kRegisters = 0x2f;  // of a function, by its symbol's index

}  // namespace

std::string defined_twice(std::string_view cubin) {
  const Tables tables = tables_of(bytes_of(cubin));
  std::set<std::uint32_t> seen;
  Attribute attribute;
  for (std::size_t at = 0; tables.attributes.read(at, &attribute);) {
    at += sizeof attribute;
    if (attribute.format != kSized) continue;
    std::uint32_t index = 0;
    Elf64_Sym symbol;
    if (attribute.number == kRegisters && tables.attributes.read(at, &index) &&
        !seen.insert(index).second && tables.symbols.read(index * sizeof symbol, &symbol)) {
      return tables.name_of(symbol);
    }
    at += attribute.value;
  }
  return "";
}

Definitions all_definitions_of(std::string_view bytes, InputType type) {
  Definitions all;
  if (type == InputType::ptx) PtxScanner(bytes, &all).run();
  if (type == InputType::cubin) read_symbols(bytes_of(bytes), &all);
  return all;
}

std::set<std::string> definitions_of(std::string_view bytes, InputType type) {
  std::set<std::string> names;
  for (const auto& [name, definition] : all_definitions_of(bytes, type)) {
    if (!definition.weak) names.insert(name);
  }
  return names;
}

const char* name_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kernel:
      return "kernel";
    case SymbolKind::function:
      return "function";
    case SymbolKind::variable:
      return "variable";
  }
  return "unknown";
}

std::map<std::string, SymbolKind> Code::symbols() const {
  const InputType kind = type == InputType::any ? detect_type(*this).value_or(type) : type;
  std::map<std::string, SymbolKind> all;
  for (const auto& [symbol, definition] : all_definitions_of(*this, kind)) {
    all.emplace(symbol, definition.kind);
  }
  return all;
}

}  // namespace anycuda::linker
