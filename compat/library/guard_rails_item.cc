#include "compat/library/guard_rails_item.h"

#include <charconv>

namespace anycuda::compat {

int major_of_soname(std::string_view soname) {
  const std::size_t at = soname.find(".so.");
  if (at == std::string_view::npos) return 0;
  const std::string_view number = soname.substr(at + 4);
  int major = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), major);
  const bool whole = end == number.data() + number.size() || *end == '.';
  return error == std::errc() && whole && major > 0 ? major : 0;
}

bool is_runtime(const Piece& piece) {
  return piece.kind == Kind::dynamic_library && piece.name == "cudart";
}

bool companions(const Item& a, const Item& b) {
  return a.piece == b.piece || same_component(*a.piece, *b.piece);
}

bool same(const Item& a, const Item& b) {
  return a.piece == b.piece && a.path == b.path && a.version.major == b.version.major &&
         a.version.minor == b.version.minor;
}

}  // namespace anycuda::compat
