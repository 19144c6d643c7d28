// SPDX-License-Identifier: Apache-2.0
#include "compat/library/guard_rails_messages.h"

namespace anycuda::compat {
namespace {

using Lines = std::vector<std::string>;

// Beside the first candidate so many are named. A system can have tens of thousands of folders.
constexpr std::size_t kMostOthers = 20;

// A line below a headline: "  found: ...".
std::string line(const char* title, const std::string& text) {
  return std::string("  ") + title + ": " + text;
}

// A refused library that is in the process stays there.
void note_if_loaded(bool loaded, Lines* text) {
  if (!loaded) return;
  text->push_back(
      line("note", "the library is already loaded, and stays loaded until the process ends"));
}

// A refusal's headline, then the candidate, then what the message adds.
class Message {
 public:
  explicit Message(std::string headline) { refusal_.headline = std::move(headline); }
  Message& line(const char* title, const std::string& text) {
    refusal_.facts.push_back(compat::line(title, text));
    return *this;
  }
  Message& hint(std::string text) {
    refusal_.hint = std::move(text);
    return *this;
  }
  const Refusal& refusal() const { return refusal_; }
  Lines text() const {
    Lines all = refusal_.facts;
    all.insert(all.begin(), refusal_.headline);
    all.push_back(compat::line("what to do", refusal_.hint));
    return all;
  }

 private:
  Refusal refusal_;
};

std::string describe(Version version) {
  const std::string major = std::to_string(version.major);
  return version.minor < 0 ? major : major + "." + std::to_string(version.minor);
}

std::string describe(const ComponentInstance& instance) {
  std::string text =
      std::string(instance.component->name) + " (" + std::string(name_of(instance.component->kind));
  text += instance.version.known() ? ") of CUDA " + describe(instance.version) + ": " : "): ";
  text += instance.path;
  if (instance.source.empty()) return text;
  // All other sources name the distribution or file that has the version.
  const char* const by = instance.source == kOwnVersionFunction ? "version by " : "";
  text += " (";
  text += by + instance.source + ")";
  return text;
}

std::string component_name(const ComponentInstance& instance) {
  return std::string(instance.component->name);
}

// A library and its headers have the same name.
std::string name_beside(const ComponentInstance& instance, const ComponentInstance& other) {
  if (component_name(instance) != component_name(other)) return component_name(instance);
  return component_name(instance) + " (" + std::string(name_of(instance.component->kind)) + ")";
}

std::string of_major(const ComponentInstance& instance, int major) {
  return "install " + component_name(instance) + " of CUDA " + std::to_string(major);
}

std::string flow_headline(const BrokenFlow& flow) {
  const std::string ends = component_name(flow.producer) + " -> " + component_name(flow.consumer);
  const std::string carries = "the pipeline " + ends + " carries " + name_of(flow.format) + ", ";
  switch (flow.verdict) {
    case PipelineVerdict::other_major:
      return carries + "which does not cross majors: both ends must be of one CUDA major";
    case PipelineVerdict::consumer_older:
      return carries + "which needs a consumer at least as new as its producer";
    default:
      return carries + "and with libNVVM both ends must be of exactly the same CUDA Toolkit";
  }
}

std::string flow_hint(const BrokenFlow& flow) {
  const std::string producer = describe(flow.producer.version);
  if (flow.verdict == PipelineVerdict::not_exact) {
    return "install both of one CUDA Toolkit: " + producer + " or " +
           describe(flow.consumer.version);
  }
  const std::string next = std::to_string(flow.producer.version.major + 1);
  return "install " + component_name(flow.consumer) + " of CUDA " + producer +
         " or newer, but before " + next + "; or let the pipeline carry PTX";
}

Message flow_message(const BrokenFlow& flow) {
  return Message(flow_headline(flow))
      .line("producer", describe(flow.producer))
      .line("consumer", describe(flow.consumer));
}

std::string pair_headline(const ComponentInstance& instance, const Decision& decision) {
  const ComponentInstance& other = decision.other;
  const std::string pair = name_beside(instance, other) + " and " + name_beside(other, instance);
  if (decision.pair == PairVerdict::two_runtimes) {
    return "only one major of the CUDA runtime (cudart) may be loaded per process";
  }
  if (companions(instance, other)) {
    return pair + " must be of exactly the same CUDA Toolkit, major and minor";
  }
  return pair + " must be of one CUDA major";
}

std::string pair_hint(const ComponentInstance& instance, const Decision& decision) {
  const ComponentInstance& other = decision.other;
  if (decision.pair == PairVerdict::two_runtimes) {
    return "use CUDA " +
           std::to_string(other.soname_major != 0 ? other.soname_major : other.version.major) +
           " for everything in the process; neither a pipeline nor Options::allow_mixed_majors "
           "allows two majors of the runtime";
  }
  if (companions(instance, other)) {
    return "install " + name_beside(instance, other) + " of CUDA " + describe(other.version);
  }
  return of_major(instance, other.version.major) +
         "; or declare a pipeline between the two that carries only PTX, ELF or CUBIN; or name the "
         "pair in Options::allow_mixed_majors";
}

std::string describe_driver(const DriverFacts& facts, const DriverKnown& driver) {
  const int branch = facts.branch != 0 || !driver.branch ? facts.branch : driver.branch->branch;
  std::string text = "supports up to CUDA " + describe(facts.cuda);
  if (branch == 0) return text;
  text += ", branch " + std::to_string(branch);
  const bool is_given = facts.branch != 0 || !driver.branch;
  return is_given || driver.branch->version.empty() ? text
                                                    : text + " (" + driver.branch->version + ")";
}

std::string driver_headline(const ComponentInstance& instance, const DriverFacts& facts,
                            DriverVerdict verdict) {
  const std::string toolkit = describe(instance.version);
  const std::string cuda = describe(facts.cuda);
  const std::string major = std::to_string(instance.version.major);
  if (verdict == DriverVerdict::too_old) {
    return "the driver is too old for " + component_name(instance) + ": CUDA " + toolkit +
           " is of a newer major than the driver's CUDA " + cuda;
  }
  const std::string newer = "CUDA " + toolkit + " is newer than the driver's CUDA " + cuda;
  const int minimum = minimum_branch(instance.version.major);
  if (minimum == 0) {
    return newer + ", and no driver branch is known that serves every CUDA " + major + ".x";
  }
  return newer + ", so it needs a driver of branch " + std::to_string(minimum) + " or newer";
}

std::string driver_hint(const ComponentInstance& instance, const DriverFacts& facts,
                        DriverVerdict verdict) {
  const int minimum = minimum_branch(instance.version.major);
  std::string text = "update the driver";
  if (minimum != 0) text += " to branch " + std::to_string(minimum) + " or newer";
  if (verdict == DriverVerdict::too_old) {
    return text + "; or " + of_major(instance, facts.cuda.major) +
           " or older; or, if NVIDIA's forward-compatibility package (cuda-compat) is in use, "
           "set " +
           kDriverCompatVariable + "=assume_forward_compat";
  }
  return text + "; or install " + component_name(instance) + " of CUDA " + describe(facts.cuda) +
         " or older";
}

Message driver_message(const ComponentInstance& instance, const DriverKnown& driver,
                       const Decision& decision) {
  const DriverFacts& facts = *driver.facts;
  Message message(driver_headline(instance, facts, decision.driver));
  message.line("found", describe(instance)).line("driver", describe_driver(facts, driver));
  if (decision.step == Step::no_branch) {
    message.line("driver branch", "unknown: " + driver.branch->problem);
    return message.hint(
        std::string("describe the driver, with its branch, in Options::driver; or set ") +
        kApiModeVariable + "=best_effort, which accepts unknown versions");
  }
  return message.hint(driver_hint(instance, facts, decision.driver));
}

Message metadata_message(const ComponentInstance& instance, Step step) {
  const std::string lenient = std::string("set ") + kApiModeVariable +
                              "=best_effort (Options::mode), which accepts unknown versions";
  if (step == Step::packaged_elsewhere) {
    return Message(component_name(instance) +
                   " is released apart from the CUDA Toolkit: the toolkit that it belongs to is "
                   "unknown, and strict mode requires it")
        .line("found", describe(instance))
        .hint(lenient);
  }
  return Message("the CUDA Toolkit of " + component_name(instance) +
                 " is unknown, and strict mode requires it")
      .line("found", describe(instance))
      .line("why unknown", instance.problem)
      .hint("install NVIDIA's wheel of " + component_name(instance) +
            ", or a CUDA Toolkit with its cuda.h; or " + lenient);
}

Message mismatch_message(const Policy& policy, const ComponentInstance& instance,
                         const Decision& decision) {
  switch (decision.step) {
    case Step::constraint:
      return Message(component_name(instance) + " of CUDA " + describe(instance.version) +
                     " does not satisfy the constraint " + policy.constraint->text())
          .line("found", describe(instance))
          .hint("install a release that the constraint allows, or change Options::constraint");
    case Step::flow:
      return flow_message(decision.flow).hint(flow_hint(decision.flow));
    case Step::runtime_loaded:
      return Message(pair_headline(instance, decision))
          .line("found", describe(instance))
          .line("in this process",
                decision.other.path + " (CUDA " + std::to_string(decision.other.soname_major) + ")")
          .hint(pair_hint(instance, decision));
    default:
      return Message(pair_headline(instance, decision))
          .line("found", describe(instance))
          .line("accepted before", describe(decision.other))
          .hint(pair_hint(instance, decision));
  }
}

Message message_of(const Policy& policy, const ComponentInstance& instance,
                   const DriverKnown& driver, const Decision& decision) {
  switch (decision.step) {
    case Step::packaged_elsewhere:
    case Step::no_metadata:
      return metadata_message(instance, decision.step);
    case Step::no_branch:
    case Step::driver:
      return driver_message(instance, driver, decision);
    default:
      return mismatch_message(policy, instance, decision);
  }
}

Refusal refusal_with(Step step, const ComponentInstance& instance, const Message& message) {
  Refusal refusal = message.refusal();
  refusal.step = step;
  refusal.candidate = describe(instance);
  return refusal;
}

}  // namespace

Refusal refusal_of(const Policy& policy, const ComponentInstance& instance,
                   const DriverKnown& driver, const Decision& decision) {
  return refusal_with(decision.step, instance, message_of(policy, instance, driver, decision));
}

void refuse(const std::vector<Refusal>& candidates, const std::set<std::string>& passed,
            bool loaded) {
  const Refusal& first = candidates.front();
  Lines text = first.facts;
  text.insert(text.begin(), first.headline);
  for (std::size_t i = 1; i < candidates.size() && i <= kMostOthers; ++i) {
    text.push_back(line("also refused", candidates[i].candidate + ": " + candidates[i].headline));
  }
  if (candidates.size() > kMostOthers + 1) {
    text.push_back(
        line("also refused", std::to_string(candidates.size() - kMostOthers - 1) + " more files"));
  }
  for (const std::string& file : passed) text.push_back(line("passed over", file));
  text.push_back(line("what to do", first.hint));
  note_if_loaded(loaded, &text);
  switch (first.step) {
    case Step::packaged_elsewhere:
    case Step::no_metadata:
    case Step::no_branch:
      throw InsufficientMetadataError(text);
    case Step::driver:
      throw DriverToolkitError(text);
    case Step::not_opened:
    case Step::not_its_file:
      throw LoadError(text);
    default:
      throw ToolkitMismatchError(text);
  }
}

void refuse_pipeline(const BrokenFlow& flow) {
  Lines text = flow_message(flow).hint(flow_hint(flow)).text();
  text.push_back(line("note", "both components stay accepted; the pipeline is not declared"));
  throw ToolkitMismatchError(text);
}

void refuse_without_driver(const ComponentInstance& instance, const std::string& cause,
                           bool loaded) {
  Lines text = Message("it is unknown whether the driver can run " + component_name(instance) +
                       " of CUDA " + describe(instance.version) + ": the driver does not answer")
                   .line("found", describe(instance))
                   .line("driver", cause)
                   .hint(
                       "install NVIDIA's driver; or describe the driver to expect in "
                       "Options::driver; or set " +
                       std::string(kApiModeVariable) + "=off, which checks nothing")
                   .text();
  note_if_loaded(loaded, &text);
  throw DriverQueryError(text);
}

NotFoundError also_searched(const NotFoundError& error, const std::vector<ComponentRoot>& roots) {
  if (roots.empty()) return error;
  Lines text = {std::string()};
  for (const char* letter = error.what(); *letter != '\0'; ++letter) {
    if (*letter == '\n') text.emplace_back();
    if (*letter != '\n') text.back() += *letter;
  }
  std::vector<std::string> searched;
  for (const ComponentRoot& root : roots) {
    searched.push_back(root.path.empty() ? "/" : root.path);
    text.push_back("a companion was found below " + searched.back() +
                   ", but no usable file is there");
  }
  searched.insert(searched.end(), error.searched().begin(), error.searched().end());
  return {text, std::move(searched)};
}

Refusal refusal_unopened(const ComponentInstance& instance, const std::string& cause) {
  return refusal_with(
      Step::not_opened, instance,
      Message("the dynamic linker refused " + component_name(instance))
          .line("found", describe(instance))
          .line("its message", cause)
          .hint("remove the cause that this message names, or install the library again"));
}

Refusal refusal_of_mismatch(const ComponentInstance& instance, const std::string& mismatch) {
  return refusal_with(
      Step::not_its_file, instance,
      Message(component_name(instance) +
              " is not the library that its file seems to be: " + mismatch)
          .line("found", describe(instance))
          .hint("remove that file, or install the library again from NVIDIA's package"));
}

Refusal staying(Refusal refusal) {
  refusal.stays_open = true;
  refusal.headline += "; it cannot be closed again, so no other file is opened";
  return refusal;
}

}  // namespace anycuda::compat
