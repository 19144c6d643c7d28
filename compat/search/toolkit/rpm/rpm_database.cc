// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/rpm/rpm_database.h"

namespace anycuda {
namespace {

// The table Packages: a row's number, and the header as a blob.
//
// Source: "Database File Format" (sqlite.org): B-tree pages, their cells, records.
class SqliteTables {
 public:
  SqliteTables(PagedFile* file, RpmVisit visit, void* argument)
      : file_(*file), visit_(visit), argument_(argument) {}

  // The first page is the table of the tables.
  void read() {
    walk(1, 0);
    of_tables_ = false;
    walk(packages_, 0);
  }

 private:
  static constexpr int kMostLevels = 20;  // sqlite's own limit
  static constexpr std::uint32_t kBranch = 5, kLeaf = 13;

  void walk(std::uint32_t page, int level) {
    const std::uint64_t start = file_.start_of(page);
    const std::uint64_t at = page == 1 ? 100 : start;  // behind the file's header
    const std::uint32_t type = page != 0 && level < kMostLevels ? file_.number(at, 1) : 0;
    const std::uint32_t cells = file_.number(at + 3, 2);
    if (type != kBranch && type != kLeaf) file_.fail();
    std::uint64_t pointer = at + (type == kBranch ? 12 : 8);
    for (std::uint32_t i = 0; i < cells && file_.sound(); ++i, pointer += 2) {
      const std::uint64_t cell = start + file_.number(pointer, 2);
      if (type == kBranch) {
        walk(file_.number(cell, 4), level + 1);
      } else {
        read_row(cell);
      }
    }
    if (type == kBranch && file_.sound()) walk(file_.number(at + 8, 4), level + 1);
  }

  // Seven bits a byte, the highest first. (Nine bytes: larger than anything in a file.)
  std::uint64_t take_number(std::uint64_t* at) {
    std::uint64_t number = 0;
    for (int i = 0; i < 9; ++i) {
      const std::uint32_t byte = file_.number((*at)++, 1);
      number = number << 7 | (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return number;
  }

  // A cell: the record's size, the row's number, the record. The beginning of a record is always
  // here.
  void read_row(std::uint64_t cell) {
    const std::uint64_t size = take_number(&cell);
    take_number(&cell);
    if (size > 0x7fffffff) return file_.fail();
    const auto left = static_cast<std::uint32_t>(size);
    PagedValue row{cell, left, 0, left};
    const std::uint32_t usable = file_.usable();
    if (left > usable - 35) {
      const std::uint32_t least = (usable - 12) * 32 / 255 - 23;
      row.here = least + (left - least) % (usable - 4);
      if (row.here > usable - 35) row.here = least;
      row.next = file_.number(cell + row.here, 4);
    }
    if (of_tables_) {
      note_table(row.at);
    } else {
      read_package(row);
    }
  }

  // A record: the size of the record's header, a number for each column that gives type and size,
  // the columns. Those of the table Packages are: type, name and table's name, the first page.
  // Texts as short as these have numbers of one byte.
  void note_table(std::uint64_t record) {
    constexpr char kColumns[] = "tablePackagesPackages";
    std::uint64_t at = record + file_.number(record, 1);
    for (const char* c = kColumns; *c != '\0'; ++c, ++at) {
      if (file_.number(at, 1) != static_cast<unsigned char>(*c)) return;
    }
    const std::uint32_t bytes = file_.number(record + 4, 1);
    if (bytes <= 4) packages_ = file_.number(at, static_cast<int>(bytes));
  }

  // The first column is the row's number, which the record need not repeat.
  void read_package(PagedValue row) {
    std::uint64_t at = row.at;
    const std::uint64_t start = take_number(&at);
    const bool nothing_first = take_number(&at) == 0;
    const std::uint64_t blob = take_number(&at);
    if (!nothing_first || start > row.here || blob != 12 + 2 * (row.left - start)) file_.fail();
    if (!file_.sound()) return;
    row.at += start;
    row.here -= static_cast<std::uint32_t>(start);
    row.left -= static_cast<std::uint32_t>(start);
    visit_(&row, argument_);
  }

  PagedFile& file_;
  RpmVisit visit_;
  void* argument_;
  bool of_tables_ = true;
  std::uint32_t packages_ = 0;
};

// Keys are packages' numbers, values headers; page by page, independent of buckets.
//
// Source: Berkeley DB, db_page.h: PAGE, HKEYDATA, HOFFPAGE.
void each_hash_value(PagedFile* file, RpmVisit visit, void* argument) {
  constexpr std::uint32_t kUnsortedPage = 2, kHashPage = 13;
  constexpr std::uint32_t kHere = 1, kOnOtherPages = 3;
  constexpr std::uint32_t kHeader = 26, kNumber = 4;
  const std::uint32_t size = file->page_size();
  for (std::uint64_t page = size; page + size <= file->size() && file->sound(); page += size) {
    const std::uint32_t type = file->number(page + 25, 1);
    if (type != kHashPage && type != kUnsortedPage) continue;
    const std::uint32_t entries = file->number(page + 20, 2);
    // Items fill the page from its end; each ends where the one before begins.
    for (std::uint32_t i = 1; i < entries && file->sound(); i += 2) {
      const std::uint64_t place = page + kHeader + std::uint64_t{2} * i;
      const std::uint32_t end = file->number(place - 2, 2);
      const std::uint32_t at = file->number(place, 2);
      if (at >= end || end > size) return file->fail();
      const std::uint64_t item = page + at;
      PagedValue value{item + 1, end - at - 1, 0, end - at - 1};
      switch (file->number(item, 1)) {
        case kOnOtherPages:
          value = {0, 0, file->number(item + 4, 4), file->number(item + 8, 4)};
          break;
        case kHere:
          if (value.left != kNumber) break;  // the key 0 has the last number
          [[fallthrough]];
        default:
          continue;
      }
      visit(&value, argument);
    }
  }
}

}  // namespace

bool each_rpm_header(PagedFile* file, RpmVisit visit, void* argument) {
  if (file->format() == PageFormat::sqlite) {
    SqliteTables(file, visit, argument).read();
  } else {
    each_hash_value(file, visit, argument);
  }
  return file->sound();
}

}  // namespace anycuda
