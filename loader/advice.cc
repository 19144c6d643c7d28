#include "loader/advice.h"

namespace anycuda {
namespace {

bool any(const Search& search, Verdict verdict) {
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    if (c->image.state == FileState::usable && c->verdict == verdict) return true;
  }
  return false;
}

}  // namespace

const char* advice_after(Search* search) {
  const LibraryDescriptor& library = search->library;
  Arena& arena = search->arena;
  const char* text = nullptr;
  if (search->wrong_setting != nullptr) {
    text = "set ANYCUDA_CROSS_MAJOR to adapt (the default) or reject";
  } else if (any(*search, Verdict::other_loaded)) {
    text =
        arena.format("unset %s: the process has its %s already", library.variable, library.product);
  } else if (search->variable_names_a_file()) {
    text = arena.format("correct %s or unset it: where it is set, no other place is looked at",
                        library.variable);
  } else if (any(*search, Verdict::driver_too_old) || any(*search, Verdict::driver_branch_short)) {
    text = arena.format("update the driver, or install a %s of CUDA %d or older", library.product,
                        search->driver.cuda.major);
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
