// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/record.h"

namespace anycuda::linker {
namespace {

// The last character is the version of the format.
constexpr std::string_view kMagic = "anycudaCode1";
constexpr std::size_t kNumber = 8;
constexpr std::size_t kHeader = kMagic.size() + 2 * kNumber;

void append_number(std::string* bytes, std::uint64_t number) {
  for (std::size_t i = 0; i < kNumber; ++i) {
    *bytes += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  }
}

void append(std::string* bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes->append(text);
}

// Takes numbers and texts from the front. After the first that does not fit, `ok` is false.
struct Reader {
  std::string_view rest;
  bool ok = true;

  std::string_view take(std::uint64_t size) {
    ok = ok && size <= rest.size();
    if (!ok) return {};
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t number = 0;
    const std::string_view bytes = take(kNumber);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
  }
  std::string_view text() { return take(number()); }
};

}  // namespace

std::string encode(const Fields& fields) {
  std::string bytes;
  for (const std::string& field : fields) append(&bytes, field);
  return bytes;
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

std::string entry_of(std::string_view key, const Fields& value) {
  std::string content;
  append(&content, key);
  content += encode(value);
  std::string entry(kMagic);
  append_number(&entry, content.size());
  append_number(&entry, hash_of(content));
  return entry + content;
}

Entry read_entry(std::string_view bytes, std::string_view key) {
  Entry entry;
  entry.damaged = true;
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < kHeader) return entry;
  Reader reader{bytes.substr(kMagic.size())};
  const std::uint64_t size = reader.number();
  const std::uint64_t hash = reader.number();
  if (reader.rest.size() != size || hash_of(reader.rest) != hash) return entry;
  const bool same = reader.text() == key;
  Fields value;
  while (reader.ok && !reader.rest.empty()) value.emplace_back(reader.text());
  if (!reader.ok) return entry;
  entry.damaged = false;
  if (same) entry.value = std::move(value);
  return entry;
}

}  // namespace anycuda::linker
