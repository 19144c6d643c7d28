// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/find.h"

#include <new>
#include <set>
#include <utility>

#include "compat/base/lexical_path.h"
#include "compat/library/find_file.h"
#include "compat/library/find_locations.h"
#include "compat/library/find_message.h"

namespace anycuda::compat {
namespace {

// A usable file and where it was found.
struct Hit {
  Located located;
  FileAnswer answer;
};

class Look {
 public:
  Look(const Component& component, SearchLocations locations)
      : component_(component), locations_(std::move(locations)) {
    if (!arena_.usable()) throw std::bad_alloc();
  }

  // Calls visit(Hit) for the usable files of all locations, in order, until it returns false.
  template <typename Visit>
  void each(Visit visit) {
    for (std::size_t i = 0; i < locations_.locations.size(); ++i) {
      const SearchLocation& location = locations_.locations[i];
      if (location.is_file) {
        if (!look_at(location.path, anycuda::name_of(location.path), i, visit)) return;
        continue;
      }
      for (const std::string_view file : component_.files) {
        if (!look_at((location.path + "/").append(file), file, i, visit)) return;
      }
    }
  }

  NotFoundError nothing() const { return not_found(component_, locations_, passed_); }
  const std::vector<PassedFile>& passed() const { return passed_; }

 private:
  template <typename Visit>
  bool look_at(const std::string& path, std::string_view file, std::size_t location, Visit visit) {
    FileAnswer answer = examine_file(path, component_, &arena_);
    if (!answer.usable() || lacks_run_bit(component_, answer)) {
      if (!answer.absent()) passed_.push_back({path, std::move(answer)});
      return true;
    }
    Located located{path, std::string(file), locations_.locations[location].where};
    if (component_.kind == Kind::headers) {
      // The folder for -I, above the header that proves it.
      located.path.resize(path.size() - file.size() - 1);
      located.file.clear();
    }
    return visit(Hit{std::move(located), std::move(answer)});
  }

  const Component& component_;
  SearchLocations locations_;
  std::vector<PassedFile> passed_;
  Arena arena_;
};

std::variant<Located, NotFoundError> look(const Component& component) {
  Look look(component, locations_of(component));
  std::vector<Hit> hits;
  look.each([&](Hit hit) {
    hits.push_back(std::move(hit));
    return false;
  });
  if (hits.empty()) return look.nothing();
  return std::move(hits.front().located);
}

Located located_or_throw(const std::variant<Located, NotFoundError>& outcome) {
  if (const auto* error = std::get_if<NotFoundError>(&outcome)) throw NotFoundError(*error);
  return std::get<Located>(outcome);
}

}  // namespace

FoundFiles files_in(const Component& component, SearchLocations locations) {
  FoundFiles found;
  std::set<std::pair<dev_t, ino_t>> seen;
  Look look(component, std::move(locations));
  look.each([&](Hit hit) {
    if (seen.emplace(hit.answer.device, hit.answer.inode).second) {
      found.usable.push_back(std::move(hit.located));
    }
    return true;
  });
  for (const PassedFile& file : look.passed()) {
    if (found.passed.size() == FoundFiles::kMostPassed) break;
    found.passed.push_back(describe_passed(file));
  }
  return found;
}

const char* name_of(Found where) {
  switch (where) {
    case Found::loaded:
      return "loaded already";
    case Found::beside:
      return "beside a companion";
    case Found::library_path:
      return "LD_LIBRARY_PATH";
    case Found::wheel:
      return "wheel";
    case Found::conda:
      return "conda";
    case Found::toolkit_variable:
      return "a variable such as CUDA_PATH";
    case Found::system:
      return "system";
  }
  return "?";
}

Located Finder::find(const Component& component) {
  std::uint64_t cleared = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = outcomes_.find(&component);
    if (known != outcomes_.end()) return located_or_throw(known->second);
    cleared = cleared_;
  }
  Outcome outcome = look(component);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The result of another thread is kept: all callers get the same.
    if (cleared == cleared_)
      outcome = outcomes_.emplace(&component, std::move(outcome)).first->second;
  }
  return located_or_throw(outcome);
}

std::vector<Located> Finder::find_all(const Component& component) {
  return files_in(component, locations_of(component)).usable;
}

void Finder::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  outcomes_.clear();
  ++cleared_;
}

}  // namespace anycuda::compat
