// SPDX-License-Identifier: Apache-2.0
#include "walk.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>

#include "symbols.h"

namespace walk {

using namespace anycuda::linker;
using anycuda::Linker;

namespace {

// What no Linker may do.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The same numbers with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  bool once_in(std::size_t count) { return below(count) == 0; }
  template <typename List>
  auto& one_of(List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 random_;
};

// A Linker, and what its results must have.
struct Living {
  Linker linker;
  std::set<std::string> kernels;
  bool all_kernels;  // no option lets some of them go
  Options options;
  std::vector<std::string> files;
  std::string story;
};

class Walk {
 public:
  explicit Walk(const Plan& plan) : plan_(plan), dice_(plan.seed) {}

  void step() {
    story_.clear();
    if (living_.size() < 6 && !dice_.once_in(4)) {
      make();
    } else if (!living_.empty()) {
      use(dice_.below(living_.size()));
    }
    if (dice_.once_in(200)) reset_probes();
    ++tally.steps;
  }
  const std::string& story() const { return story_; }

  Tally tally;

 private:
  void tell(const std::string& what) { story_ += (story_.empty() ? "" : "; ") + what; }

  void keep_story() const {
    if (plan_.story.empty()) return;
    write_file(plan_.story, "step " + std::to_string(tally.steps) + ": " + story_ + "\n");
  }

  // Runs it; gives whether it succeeded. What it throws must be an error of the Linker, with words.
  template <typename Action>
  bool succeeds(Action action) {
    try {
      action();
      return true;
    } catch (const LinkError& error) {
      ++tally.failed;
      check_words(error);
    } catch (const Error& error) {
      ++tally.refused;
      check_words(error);
    }  // walk() reports all else
    return false;
  }

  void check_words(const Error& error) {
    const std::string what = error.what();
    tell(what);
    if (what.size() < 20 || what.find('\0') != std::string::npos)
      throw Wrong("an error without words");
  }

  // Bytes of a form, now and then spoilt; `kernels` is what must come of them.
  std::string content(const Form& form, std::set<std::string>* kernels) {
    *kernels = form.kernels;
    std::string bytes = form.bytes;
    // nvJitLink 12.3 does not survive all LTO-IR that is cut, and the Linker cannot see its end.
    if (form.type != InputType::lto_ir &&
        dice_.once_in(12)) {  // cut: what is left of a text or of an archive may be whole
      bytes.resize(dice_.below(bytes.size() + 1));
      kernels->clear();
      tell("cut to " + std::to_string(bytes.size()));
    } else if (dice_.once_in(10)) {
      const Form& other = dice_.one_of(plan_.forms);
      if (other.type == form.type) {
        bytes += std::string(dice_.below(3), '\0') + other.bytes;
        kernels->insert(other.kernels.begin(), other.kernels.end());
        tell("and behind it " + other.name);
      }
    } else if (dice_.once_in(10)) {
      bytes += std::string(1 + dice_.below(40), '\0');
      tell("and zeros");
    }
    return bytes;
  }

  std::string name() {
    switch (dice_.below(8)) {
      case 0:
        return "";
      case 1:
        return "the same";
      case 2:
        return std::string("odd\n\x1b[2J \xc2\x9b ' name");
      case 3:
        return dice_.once_in(4) ? std::string("zero\0byte", 9) : "plain";
      case 4:
        return dice_.once_in(4) ? std::string(40000, 'n') : std::string(30000, 'n');
      default:
        return "input " + std::to_string(dice_.below(1000));
    }
  }

  InputType type_for(InputType right) {
    if (dice_.once_in(3)) return InputType::any;
    return dice_.once_in(15) ? static_cast<InputType>(dice_.below(11)) : right;
  }

  // A form that nvJitLink survives beside the others: Form::is_read.
  const Form& form_beside(const std::set<std::string>& read, const std::set<std::string>& unread) {
    for (;;) {
      const Form& form = dice_.one_of(plan_.forms);
      const auto has = [&form](const std::string& name) {
        return form.kernels.count(name) + form.functions.count(name) != 0;
      };
      if (std::any_of(unread.begin(), unread.end(), has)) continue;
      if (form.is_read() || std::none_of(read.begin(), read.end(), has)) return form;
    }
  }

  // When each name is defined by a form that is not read, no other form is left.
  std::size_t most_unread() const {
    std::set<std::string> names;
    for (const Form& form : plan_.forms) names.insert(form.kernels.begin(), form.kernels.end());
    return names.size();
  }

  Input input(const Form& form, std::set<std::string>* kernels) {
    const InputType type = type_for(form.type);
    tell(std::string(name_of(type)) + " of " + form.name);
    std::string bytes = content(form, kernels);
    if (!dice_.once_in(4)) return Input::bytes(type, std::move(bytes), name());
    // Long after a Linker has forgotten them their names come again.
    const std::string path = plan_.folder + "/" + std::to_string(next_file_++ % 4096);
    write_file(path, bytes);
    files_.push_back(path);
    tell("in a file");
    return Input::file(type, path);
  }

  Options options() {
    Options options;
    const auto rarely = [this] { return dice_.once_in(20); };
    if (!plan_.archs.empty()) options.arch = dice_.one_of(plan_.archs);
    options.lto = dice_.once_in(2);
    options.incremental = dice_.once_in(10);
    if (options.lto) options.output = static_cast<Output>(dice_.below(3));
    if (rarely()) options.output = static_cast<Output>(dice_.below(4));
    if (rarely()) options.arch = dice_.once_in(2) ? "compute_80" : "nothing";
    if (rarely()) options.optimization_level = static_cast<int>(dice_.below(6));
    options.debug = rarely();
    options.line_info = rarely();
    options.verbose = rarely();
    options.time = rarely();
    if (rarely()) options.max_registers = static_cast<int>(dice_.below(64));
    if (rarely()) options.ftz = dice_.once_in(2);
    if (rarely()) options.fma = dice_.once_in(2);
    if (rarely()) options.kernels_used = {"first"};
    if (rarely()) options.optimize_unused_variables = true;
    if (rarely()) options.ptxas_options = {"-v"};
    if (rarely()) options.split_compile = static_cast<int>(dice_.below(3));
    options.no_cache = rarely();
    if (rarely()) options.cache_mode = static_cast<CacheMode>(dice_.below(4));
    if (rarely()) options.log_bytes = dice_.below(4096);
    if (rarely()) options.rule = Rule::same_major;
    if (dice_.once_in(5)) options.backend = static_cast<Backend>(dice_.below(2));
    tell(options.arch + " " + name_of(options.output) + (options.lto ? " lto" : "") +
         (options.incremental ? " incremental" : "") +
         (options.backend ? std::string(" by ") + name_of(*options.backend) : ""));
    return options;
  }

  void make() {
    std::vector<Input> inputs;
    std::set<std::string> kernels;
    files_.clear();
    const std::size_t count = dice_.once_in(30) ? 0 : 1 + dice_.below(3);
    std::set<std::string> read;
    std::set<std::string> unread;
    for (std::size_t i = 0; i < count && unread.size() < most_unread(); ++i) {
      const Form& form = form_beside(read, unread);
      std::set<std::string>& defined = form.is_read() ? read : unread;
      defined.insert(form.kernels.begin(), form.kernels.end());
      defined.insert(form.functions.begin(), form.functions.end());
      std::set<std::string> more;
      inputs.push_back(input(form, &more));
      kernels.insert(more.begin(), more.end());
    }
    Options how = options();
    const bool all = how.kernels_used.empty() && !how.optimize_unused_variables;
    std::optional<Linker> linker;
    keep_story();
    if (!succeeds([&] { linker.emplace(inputs, how); })) return;
    if (inputs.empty()) throw Wrong("a Linker of nothing");
    if (linker->selection_reason().empty()) throw Wrong("a choice without a reason");
    living_.push_back({std::move(*linker), kernels, all, how, files_, story_});
    if (!dice_.once_in(4)) link(&living_.back());
  }

  void link(Living* one) {
    story_ = one->story + "; linked";
    std::string bytes;
    const bool closed = one->linker.closed();
    keep_story();
    if (!succeeds([&] { bytes = one->linker.link(); })) return;
    ++tally.good;
    if (closed) throw Wrong("a closed Linker linked");
    if (bytes.empty()) throw Wrong("a link that gave nothing");
    if (one->linker.backend() == Backend::driver && !plan_.driver_gives) return;
    if (!one->all_kernels) return;
    look(*one, bytes);
  }

  void look(const Living& one, const std::string& bytes) {
    const std::string arch = one.options.arch.empty() ? plan_.archs.front() : one.options.arch;
    std::set<std::string> came;
    if (!succeeds([&] { came = kernels_of(bytes, one.options.output, arch); })) {
      if (one.options.incremental) return;  // whatever is open stays open
      throw Wrong("LTO-IR that cannot be linked");
    }
    load(one, bytes);
    for (const std::string& kernel : one.kernels) {
      if (came.count(kernel) == 0) throw Wrong("a success that lost the kernel " + kernel);
    }
  }

  void load(const Living& one, const std::string& bytes) {
    const bool final = one.options.output == Output::cubin && !one.options.incremental;
    const bool here = one.options.arch.empty() || one.options.arch == plan_.archs.front();
    if (!plan_.load || !final || !here) return;
    const std::string problem = plan_.load(bytes);
    if (!problem.empty()) throw Wrong("a CUBIN that cannot be loaded: " + problem);
  }

  void use(std::size_t which) {
    Living& one = living_[which];
    switch (dice_.below(6)) {
      case 0:
      case 1:
        return link(&one);
      case 2: {
        one.linker.close();
        if (!one.linker.closed()) throw Wrong("it is not closed");
        return link(&one);
      }
      case 3: {
        Living moved = std::move(one);
        if (!one.linker.closed()) throw Wrong("what was moved from is not closed");
        one = std::move(moved);
        return link(&one);
      }
      case 4:  // a file of it is gone, or is another
        if (one.files.empty()) return link(&one);
        if (dice_.once_in(2)) {
          unlink(dice_.one_of(one.files).c_str());
        } else {
          write_file(dice_.one_of(one.files), "something else");
        }
        one.kernels.clear();
        return link(&one);
      default:
        living_.erase(living_.begin() + static_cast<long>(which));
    }
  }

  const Plan& plan_;
  Dice dice_;
  std::vector<Living> living_;
  std::vector<std::string> files_;  // of the Linker that is being made
  unsigned long next_file_ = 0;
  std::string story_;
};

}  // namespace

Tally walk(const Plan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&](long steps) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return (plan.steps > 0 && steps >= plan.steps) ||
           (plan.seconds > 0 && spent.count() >= plan.seconds);
  };
  Walk walk(plan);
  try {
    while (!is_over(walk.tally.steps)) walk.step();
  } catch (const std::exception& error) {
    walk.tally.wrong = std::string(error.what()) + "\n  step " + std::to_string(walk.tally.steps) +
                       ": " + walk.story();
  }
  return walk.tally;
}

std::string told(const Plan& plan, const Tally& tally) {
  return "seed " + std::to_string(plan.seed) + ": " + std::to_string(tally.steps) + " steps, " +
         std::to_string(tally.good) + " links, " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.refused) + " refused";
}

}  // namespace walk
