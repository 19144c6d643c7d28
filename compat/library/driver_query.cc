#include "anycuda/compat/driver_query.h"

#include <utility>

#include "loader/branch.h"
#include "loader/driver.h"
#include "loader/reason.h"

namespace anycuda::compat {
namespace {

// The driver as the stubs look for it (stubs/cuda/library.json).
constexpr MajorRow kMajors[] = {{1, "libcuda.so.1", nullptr}};
const char* const kNoFolders[] = {nullptr};
const LibraryDescriptor kDriverLibrary = {"cuda",
                                          "CUDA driver",
                                          "ANYCUDA_CUDA",
                                          "libcuda.so",
                                          "install NVIDIA's display driver (its libcuda.so.1)",
                                          kMajors,
                                          1,
                                          kNoFolders,
                                          true,
                                          {1, false, false},
                                          nullptr};

std::string nothing_found(Search* search) {
  std::string text = "no libcuda.so.1 in LD_LIBRARY_PATH or in the system's folders";
  if (search->variable_names_a_file()) text = "ANYCUDA_CUDA names no driver library";
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    text += std::string("; ") + c->path + ": " + reason_of(*c, search);
  }
  return text;
}

Version version_of(const Driver& driver, Search* search) {
  if (driver.status == Driver::kNoFile) throw DriverQueryError(nothing_found(search));
  const std::string file = driver.path;
  if (driver.status == Driver::kNoFunction) {
    throw DriverQueryError(file + " has no function cuDriverGetVersion");
  }
  if (driver.status != 0) {
    throw DriverQueryError("cuDriverGetVersion of " + file + ": error " +
                           std::to_string(driver.status));
  }
  if (!driver.facts.cuda.known()) {
    throw DriverQueryError("cuDriverGetVersion of " + file + " gives no version");
  }
  return driver.facts.cuda;
}

Version ask_machine_for_cuda() {
  Search search(kDriverLibrary);
  if (!search.arena.usable()) throw DriverQueryError("no memory to look for libcuda.so.1");
  return version_of(look_up_driver(&search), &search);
}

BranchAnswer ask_machine_for_branch() {
  Search search(kDriverLibrary);
  if (!search.arena.usable()) return {0, "no memory to look for libcuda.so.1"};
  const Driver driver = look_up_driver(&search);
  const BranchFound found = find_branch(driver.path, &search.arena);
  return {found.number, found.cause};
}

std::function<Version()> always(const DriverFacts& given) {
  return [given]() -> Version {
    if (!given.present) throw DriverQueryError("there is no driver, says who gave its facts");
    if (!given.cuda.known())
      throw DriverQueryError("the facts that were given name no CUDA version");
    return given.cuda;
  };
}

std::function<BranchAnswer()> always_or_machine(const DriverFacts& given) {
  if (given.branch == 0) return ask_machine_for_branch;
  return [given] { return BranchAnswer{given.branch, ""}; };
}

}  // namespace

DriverQuery::DriverQuery() : DriverQuery(ask_machine_for_cuda, ask_machine_for_branch) {}

DriverQuery::DriverQuery(const DriverFacts& given)
    : DriverQuery(always(given), always_or_machine(given)) {}

DriverQuery::DriverQuery(std::function<Version()> cuda, std::function<BranchAnswer()> branch)
    : ask_cuda_(std::move(cuda)), ask_branch_(std::move(branch)) {}

// A library's constructor may come here on another thread while this one opens a library: a lock
// held over that would wait for itself.
template <typename Answer>
Answer DriverQuery::answer(const std::function<Answer()>& ask, std::optional<Answer>* kept) {
  unsigned before = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept->has_value()) return **kept;
    before = clears_;
  }
  Answer mine = ask();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (clears_ != before) return mine;
  if (!kept->has_value()) *kept = mine;
  return **kept;
}

Version DriverQuery::cuda() { return answer(ask_cuda_, &cuda_); }

BranchAnswer DriverQuery::branch() { return answer(ask_branch_, &branch_); }

// What was given is asked for again, and is the same.
void DriverQuery::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++clears_;
  cuda_.reset();
  branch_.reset();
}

}  // namespace anycuda::compat
