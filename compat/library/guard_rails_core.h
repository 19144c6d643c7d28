// The guard rails themselves, with the machine behind seams.
//
// One lock guards what is remembered. It is never held while something is looked for, read, asked
// or opened, since a library's constructor may come back to the guard rails: so a piece is found
// and its facts are gathered first, judged and remembered then. Where judging needs a fact of the
// driver, that is asked for without the lock and all is judged again.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "compat/library/guard_rails_order.h"
#include "compat/library/guard_rails_seams.h"

namespace anycuda::compat {

class Core {
 public:
  Core(const Options& options, Policy policy, Seams seams);

  Located locate(Kind kind, std::string_view name);
  LoadedLibrary load(std::string_view name);
  void declare(const Pipeline& pipeline);
  void clear();
  Mode mode() const { return policy_.mode; }

 private:
  struct Choice;  // a dynamic library that is to be opened

  Finding finding_of(const Piece& piece, const Located& located);
  Choice choose(const Piece& piece);
  LoadedLibrary open(const Choice& choice);
  // Throws if the finding is refused. `remember`: else it is only judged.
  void evaluate(const Finding& finding, DriverKnown* driver, bool loaded, bool remember);
  Judgement judge_once(const Finding& finding, const DriverKnown& driver, bool remember);
  void ask_driver(const Finding& finding, DriverKnown* driver, bool loaded);
  bool opened_here(const std::string& path);

  const Policy policy_;
  const Seams seams_;

  std::mutex mutex_;
  Remembered known_;
  std::map<const Piece*, LoadedLibrary> libraries_;
  std::multiset<std::string> opened_;  // what this instance has opened, or is about to
};

}  // namespace anycuda::compat
