#include "loader/advice.h"

#include <initializer_list>

namespace anycuda {
namespace {

bool any(const Search& search, Verdict verdict) {
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    if (c->image.state == FileState::usable && c->verdict == verdict) return true;
  }
  return false;
}

bool refused_by_driver(const Search& search) {
  for (const Verdict verdict :
       {Verdict::driver_too_old, Verdict::driver_branch_short, Verdict::driver_branch_unknown,
        Verdict::driver_major_unknown, Verdict::no_metadata}) {
    if (any(search, verdict)) return true;
  }
  return false;
}

// What an older release of the library would do for, a newer driver does too.
const char* advice_on_driver(Search* search) {
  const LibraryDescriptor& library = search->library;
  const Version driver = search->driver.cuda;
  Arena& arena = search->arena;
  if (any(*search, Verdict::driver_too_old) || any(*search, Verdict::driver_branch_short)) {
    return arena.format("update the driver, or install a %s of CUDA %d or older%s", library.product,
                        driver.major,
                        library.rules.output == Output::none
                            ? ""
                            : "; where what it makes is for another machine, ANYCUDA_COMPAT=off");
  }
  if (any(*search, Verdict::driver_major_unknown)) {
    return arena.format("update the driver or anycuda, or install a %s of CUDA %d.%d or older",
                        library.product, driver.major, driver.minor);
  }
  return arena.format(
      "unset %s (best_effort lets pass what nothing speaks against), or install a %s of CUDA %d.%d "
      "or older with its metadata",
      kModeVariable, library.product, driver.major, driver.minor);
}

}  // namespace

const char* advice_after(Search* search) {
  const LibraryDescriptor& library = search->library;
  Arena& arena = search->arena;
  const char* text = nullptr;
  if (search->policy.wrong_count != 0) {
    const WrongSetting& wrong = search->policy.wrong[0];
    text = arena.format("set %s to %s, or unset it", wrong.variable, values_of(wrong.variable));
  } else if (any(*search, Verdict::other_loaded)) {
    text =
        arena.format("unset %s: the process has its %s already", library.variable, library.product);
  } else if (search->variable_names_a_file()) {
    text = arena.format("correct %s or unset it: where it is set, no other place is looked at",
                        library.variable);
  } else if (refused_by_driver(*search)) {
    text = advice_on_driver(search);
  } else if (any(*search, Verdict::other_major)) {
    text = arena.format("install a %s of CUDA %d, or unset ANYCUDA_CROSS_MAJOR", library.product,
                        search->caller_major);
  } else {
    text =
        arena.format("%s, or set %s to the library's full path", library.advice, library.variable);
  }
  return text != nullptr ? text : library.advice;
}

FunctionAdvice advice_for(int caller_major, int library_major) {
  const bool own = caller_major == kNativeCaller || caller_major == library_major;
  return own ? FunctionAdvice::newer_library : FunctionAdvice::own_major;
}

}  // namespace anycuda
