// Dynamic libraries: judged before they are opened, remembered once they are.
#include <utility>

#include "compat/library/guard_rails_core.h"
#include "compat/library/guard_rails_messages.h"

namespace anycuda::compat {

struct Core::Choice {
  Finding finding;
  std::string name;  // what the dynamic linker opens it by
  bool loaded = false;
  bool by_others = false;
};

bool Core::opened_here(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return opened_.count(path) != 0;
}

// What the process has loaded is taken before any file: a second copy would be worse than any
// version.
Core::Choice Core::choose(const Piece& piece) {
  const std::vector<LoadedImage> images = seams_.loaded(piece);
  Choice choice;
  Located located;
  if (images.empty()) {
    located = seams_.find(piece);
    choice.name = located.path;
  } else {
    located = {images.front().path, images.front().soname, Found::loaded};
    choice.name = images.front().name;
    choice.loaded = true;
    choice.by_others = !opened_here(choice.name);
  }
  choice.finding = finding_of(piece, located);
  if (is_runtime(piece)) choice.finding.runtimes = images;
  return choice;
}

LoadedLibrary Core::open(const Choice& choice) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!choice.by_others) opened_.insert(choice.name);
  }
  std::string cause;
  void* handle = seams_.open(choice.name, &cause);
  if (handle == nullptr) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto mine = opened_.find(choice.name);
      if (mine != opened_.end() && !choice.by_others) opened_.erase(mine);
    }
    refuse_unopened(choice.finding.item, cause);
  }
  return {handle, choice.finding.item.path, choice.by_others};
}

LoadedLibrary Core::load(std::string_view name) {
  const Piece& piece = piece_named(Kind::dynamic_library, name);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = libraries_.find(&piece);
    if (before != libraries_.end()) return before->second;
  }
  Choice choice = choose(piece);
  DriverKnown driver;
  evaluate(choice.finding, &driver, choice.loaded, false);
  const LoadedLibrary library = open(choice);
  // While it was being opened, other threads and its own constructors may have had pieces accepted,
  // and other code may have loaded a runtime.
  if (is_runtime(piece)) choice.finding.runtimes = seams_.loaded(piece);
  evaluate(choice.finding, &driver, true, true);
  const std::lock_guard<std::mutex> lock(mutex_);
  return libraries_.emplace(&piece, library).first->second;
}

}  // namespace anycuda::compat
