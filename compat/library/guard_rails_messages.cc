#include "compat/library/guard_rails_messages.h"

#include "compat/library/guard_rails_words.h"

namespace anycuda::compat {
namespace {

std::string piece_name(const Item& item) { return std::string(item.piece->name); }

// A library and its headers have the same name.
std::string name_beside(const Item& item, const Item& other) {
  if (piece_name(item) != piece_name(other)) return piece_name(item);
  return piece_name(item) + " (" + std::string(name_of(item.piece->kind)) + ")";
}

std::string of_major(const Item& item, int major) {
  return "install " + piece_name(item) + " of CUDA " + std::to_string(major);
}

std::string flow_headline(const BrokenFlow& flow) {
  const std::string ends = piece_name(flow.producer) + " -> " + piece_name(flow.consumer);
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

std::string flow_help(const BrokenFlow& flow) {
  const std::string producer = words(flow.producer.version);
  if (flow.verdict == PipelineVerdict::not_exact) {
    return "install both of one CUDA Toolkit: " + producer + " or " + words(flow.consumer.version);
  }
  const std::string next = std::to_string(flow.producer.version.major + 1);
  return "install " + piece_name(flow.consumer) + " of CUDA " + producer +
         " or newer, but before " + next + ", or let the pipeline carry PTX";
}

Message flow_message(const BrokenFlow& flow) {
  return Message(flow_headline(flow))
      .line("producer", words(flow.producer))
      .line("consumer", words(flow.consumer));
}

std::string item_headline(const Item& item, const Judgement& judgement) {
  const Item& other = judgement.other;
  const std::string pair = name_beside(item, other) + " and " + name_beside(other, item);
  if (judgement.item == ItemVerdict::two_runtimes) {
    return "a process may have CUDA runtimes (cudart) of one major alone";
  }
  if (companions(item, other)) {
    return pair + " must be of exactly the same CUDA Toolkit, major and minor";
  }
  return pair + " must be of one CUDA major";
}

std::string item_help(const Item& item, const Judgement& judgement) {
  const Item& other = judgement.other;
  if (judgement.item == ItemVerdict::two_runtimes) {
    return "let everything in the process use CUDA " +
           std::to_string(other.soname_major != 0 ? other.soname_major : other.version.major) +
           "; no pipeline and no option allows two";
  }
  if (companions(item, other)) {
    return "install " + name_beside(item, other) + " of CUDA " + words(other.version);
  }
  return of_major(item, other.version.major) +
         "; or declare a pipeline between the two that carries only PTX, ELF or CUBIN; or name the "
         "pair in Options::allow_mixed_majors";
}

std::string driver_words(const DriverFacts& facts, const DriverKnown& driver) {
  const int branch = facts.branch != 0 || !driver.branch ? facts.branch : driver.branch->branch;
  std::string text = "supports up to CUDA " + words(facts.cuda);
  return branch == 0 ? text : text + ", branch " + std::to_string(branch);
}

std::string driver_headline(const Item& item, const DriverFacts& facts, DriverVerdict verdict) {
  const std::string toolkit = words(item.version);
  const std::string cuda = words(facts.cuda);
  const std::string major = std::to_string(item.version.major);
  if (verdict == DriverVerdict::too_old) {
    return "the driver is too old for " + piece_name(item) + ": CUDA " + toolkit +
           " is of a newer major than the driver's CUDA " + cuda;
  }
  const std::string newer = "CUDA " + toolkit + " is newer than the driver's CUDA " + cuda;
  const int minimum = minimum_branch(item.version.major);
  if (minimum == 0) {
    return newer + ", and no driver branch is known that serves every CUDA " + major + ".x";
  }
  return newer + ", and every CUDA " + major + ".x runs on drivers of branch " +
         std::to_string(minimum) + " or newer";
}

std::string driver_help(const Item& item, const DriverFacts& facts, DriverVerdict verdict) {
  const int minimum = minimum_branch(item.version.major);
  std::string text = "update the driver";
  if (minimum != 0) text += " to branch " + std::to_string(minimum) + " or newer";
  if (verdict == DriverVerdict::too_old) {
    return text + "; or " + of_major(item, facts.cuda.major) +
           " or older; or, where NVIDIA's forward-compatibility package (cuda-compat) is in use, "
           "declare it: " +
           kDriverCompatVariable + "=assume_forward_compat";
  }
  return text + "; or install " + piece_name(item) + " of CUDA " + words(facts.cuda) + " or older";
}

Message driver_message(const Policy& policy, const Finding& finding, const DriverKnown& driver,
                       const Judgement& judgement) {
  const DriverFacts& facts = *driver.facts;
  Message message(driver_headline(finding.item, facts, judgement.driver));
  message.line("found", words(finding.item)).line("driver", driver_words(facts, driver));
  if (judgement.step == Step::no_branch) {
    message.line("its branch", "not known: " + driver.branch->problem);
    return message.line("what would help",
                        "give it in Options::driver; or " + std::string(policy.mode_variable) +
                            "=best_effort, which lets pass what cannot be known");
  }
  return message.line("what would help", driver_help(finding.item, facts, judgement.driver));
}

Message metadata_message(const Policy& policy, const Finding& finding, Step step) {
  const Item& item = finding.item;
  const std::string lenient =
      policy.mode_variable +
      std::string("=best_effort (Options::mode), which lets pass what cannot be known");
  if (step == Step::packaged_elsewhere) {
    return Message(piece_name(item) +
                   " is released apart from the CUDA Toolkit: nothing says with which it goes, and "
                   "strict accepts only what is known")
        .line("found", words(item))
        .line("what would help", lenient);
  }
  return Message("nothing says of which CUDA Toolkit " + piece_name(item) +
                 " is, and strict accepts only what is known")
      .line("found", words(item))
      .line("looked at", finding.problem)
      .line("what would help",
            "NVIDIA's wheel of it, or a CUDA Toolkit with its cuda.h; or " + lenient);
}

Message mismatch_message(const Policy& policy, const Finding& finding, const Judgement& judgement) {
  const Item& item = finding.item;
  switch (judgement.step) {
    case Step::constraint:
      return Message(piece_name(item) + " of CUDA " + words(item.version) +
                     " does not satisfy the constraint " + policy.constraint->text())
          .line("found", words(item))
          .line("what would help",
                "install it of a CUDA that the constraint allows, or change Options::constraint");
    case Step::flow:
      return flow_message(judgement.flow).line("what would help", flow_help(judgement.flow));
    case Step::runtime_loaded:
      return Message(item_headline(item, judgement))
          .line("found", words(item))
          .line("in this process", judgement.other.path + " (CUDA " +
                                       std::to_string(judgement.other.soname_major) + ")")
          .line("what would help", item_help(item, judgement));
    default:
      return Message(item_headline(item, judgement))
          .line("found", words(item))
          .line("accepted before", words(judgement.other))
          .line("what would help", item_help(item, judgement));
  }
}

}  // namespace

void refuse(const Policy& policy, const Finding& finding, const DriverKnown& driver,
            const Judgement& judgement, bool loaded) {
  switch (judgement.step) {
    case Step::packaged_elsewhere:
    case Step::no_metadata:
      throw InsufficientMetadataError(
          metadata_message(policy, finding, judgement.step).note_if_loaded(loaded).text());
    case Step::no_branch:
      throw InsufficientMetadataError(
          driver_message(policy, finding, driver, judgement).note_if_loaded(loaded).text());
    case Step::driver:
      throw DriverToolkitError(
          driver_message(policy, finding, driver, judgement).note_if_loaded(loaded).text());
    default:
      throw ToolkitMismatchError(
          mismatch_message(policy, finding, judgement).note_if_loaded(loaded).text());
  }
}

void refuse_pipeline(const BrokenFlow& flow) {
  throw ToolkitMismatchError(flow_message(flow)
                                 .line("what would help", flow_help(flow))
                                 .line("note",
                                       "both are accepted already, and stay so; the pipeline "
                                       "is not declared")
                                 .text());
}

void refuse_without_driver(const Policy& policy, const Finding& finding, const std::string& cause,
                           bool loaded) {
  throw DriverQueryError(
      Message("whether the driver can run " + piece_name(finding.item) + " of CUDA " +
              words(finding.item.version) + " cannot be known: the driver does not answer")
          .line("found", words(finding.item))
          .line("driver", cause)
          .line("what would help",
                "install NVIDIA's driver; or say which it will be, in Options::driver; or " +
                    std::string(policy.mode_variable) + "=off, which checks nothing")
          .note_if_loaded(loaded)
          .text());
}

void refuse_unopened(const Item& item, const std::string& cause) {
  throw LoadError(
      Message("the dynamic linker refused " + piece_name(item))
          .line("found", words(item))
          .line("it said", cause)
          .line("what would help", "install what it lacks, or install the library again")
          .text());
}

}  // namespace anycuda::compat
