#include "compat/library/guard_rails_core.h"

#include <utility>

#include "compat/library/guard_rails_messages.h"

namespace anycuda::compat {

Core::Core(const Options& options, Policy policy, Seams seams)
    : policy_(std::move(policy)), seams_(std::move(seams)) {
  for (const Pipeline& pipeline : options.pipelines) declare(pipeline);
}

// Metadata is read for what a rule compares, and for nothing else.
Finding Core::finding_of(const Piece& piece, const Located& located) {
  Finding finding;
  finding.item.piece = &piece;
  finding.item.path = located.path;
  if (piece.kind == Kind::dynamic_library) {
    finding.item.soname_major = major_of_soname(located.file);
  }
  if (policy_.mode == Mode::off || piece.packaging != Packaging::toolkit) return finding;
  const ToolkitAnswer answer = seams_.version_of(piece, located.path);
  finding.item.version = answer.version;
  finding.item.source =
      answer.source == "cuda.h" ? "CUDA_VERSION in " + answer.file : answer.source;
  finding.problem = answer.problem;
  return finding;
}

Judgement Core::judge_once(const Finding& finding, const DriverKnown& driver, bool remember) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Judgement judgement = judge_piece(policy_, known_, finding, driver);
  if (judgement.step == Step::accepted && remember) known_.items.push_back(finding.item);
  return judgement;
}

void Core::ask_driver(const Finding& finding, DriverKnown* driver, bool loaded) {
  if (policy_.driver) {
    driver->facts = policy_.driver;
    return;
  }
  try {
    driver->facts = DriverFacts{true, seams_.driver_cuda(), 0};
  } catch (const DriverQueryError& error) {
    refuse_without_driver(policy_, finding, error.what(), loaded);
  }
}

void Core::evaluate(const Finding& finding, DriverKnown* driver, bool loaded, bool remember) {
  for (;;) {
    const Judgement judgement = judge_once(finding, *driver, remember);
    switch (judgement.step) {
      case Step::accepted:
      case Step::accepted_before:
        return;
      case Step::ask_driver:
        ask_driver(finding, driver, loaded);
        break;
      case Step::ask_branch:
        driver->branch = seams_.driver_branch();
        break;
      default:
        refuse(policy_, finding, *driver, judgement, loaded);
    }
  }
}

Located Core::locate(Kind kind, std::string_view name) {
  const Piece& piece = piece_named(kind, name);
  Located located = seams_.find(piece);
  DriverKnown driver;
  evaluate(finding_of(piece, located), &driver, false, true);
  return located;
}

void Core::declare(const Pipeline& pipeline) {
  Pipeline known = checked(pipeline);
  std::optional<BrokenFlow> broken;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken = judge_pipeline(policy_, known_, known);
    if (!broken) known_.pipelines.push_back(std::move(known));
  }
  if (broken) refuse_pipeline(*broken);
}

void Core::clear() { seams_.forget(); }

}  // namespace anycuda::compat
