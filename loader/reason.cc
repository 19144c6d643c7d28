#include "loader/reason.h"

#include <cstring>

namespace anycuda {
namespace {

const char* or_unknown(const char* text) { return text != nullptr ? text : "no memory to say why"; }

const char* reason_of_file(const Candidate& candidate, Search* search) {
  const ImageFacts& image = candidate.image;
  Arena& arena = search->arena;
  switch (image.state) {
    case FileState::usable:
      return "usable";
    case FileState::missing:
      return "no such file";
    case FileState::unreadable:
      return or_unknown(arena.format("cannot be read (%s)", std::strerror(image.error)));
    case FileState::not_a_file:
      return "not a regular file";
    case FileState::not_absolute:
      return "not a full path: it must begin with /";
    case FileState::not_elf:
      return "not an ELF shared library";
    case FileState::other_architecture:
      return "built for another CPU architecture than this program";
    case FileState::truncated:
      return "truncated: it ends before its own segments do; install it again";
    case FileState::other_library:
      return or_unknown(arena.format("not a %s: it calls itself '%s'", search->library.product,
                                     image.detail != nullptr ? image.detail : ""));
    case FileState::anycuda_stub:
      return "an anycuda stub, not the library itself";
    case FileState::core_symbol_missing:
      return or_unknown(
          arena.format("incomplete: it lacks %s, which every program needs", image.detail));
    case FileState::out_of_memory:
      return "no memory to read it";
    case FileState::open_failed:
      return or_unknown(arena.format("the dynamic linker refused it: %s", image.detail));
  }
  return "unknown";
}

const char* reason_of_verdict(const Candidate& candidate, Search* search) {
  const Version version = candidate.image.version;
  const DriverFacts& driver = search->driver;
  Arena& arena = search->arena;
  switch (candidate.verdict) {
    case Verdict::accepted:
      return candidate.tried ? "usable" : "not needed";
    case Verdict::newer_than_known:
      return or_unknown(arena.format(
          "CUDA %d is newer than this anycuda knows (up to %d); update anycuda or install CUDA %d",
          version.major, search->library.rules.newest_known_major,
          search->library.rules.newest_known_major));
    case Verdict::other_major:
      return or_unknown(arena.format(
          "of CUDA %d, and ANYCUDA_CROSS_MAJOR=reject allows the caller's own CUDA %d only",
          version.major, search->caller_major));
    case Verdict::other_loaded:
      return or_unknown(
          arena.format("of CUDA %d, and the process has loaded another, of CUDA %d: two in one "
                       "process break each other",
                       version.major, search->loaded_major));
    case Verdict::driver_too_old:
      return or_unknown(arena.format(
          "needs a driver for CUDA %d; %s supports up to CUDA %d.%d (update the driver, or install "
          "a CUDA %d runtime)",
          version.major, search->driver_path, driver.cuda.major, driver.cuda.minor,
          driver.cuda.major));
    case Verdict::driver_branch_short:
      return or_unknown(arena.format(
          "CUDA %d.x runs on drivers from branch %d on; %s is of branch %d (update the driver)",
          version.major, minimum_branch(version.major), search->driver_path, driver.branch));
    case Verdict::driver_branch_unknown:
      return or_unknown(arena.format(
          "newer than the driver's CUDA %d.%d, nobody can say the branch of %s, and "
          "ANYCUDA_COMPAT=strict goes by what is known alone (unset it, or update the driver)",
          driver.cuda.major, driver.cuda.minor, search->driver_path));
    case Verdict::driver_major_unknown:
      return or_unknown(arena.format(
          "newer than the driver's CUDA %d.%d, and no minimum driver branch is known for CUDA %d "
          "(update the driver, or anycuda)",
          driver.cuda.major, driver.cuda.minor, version.major));
  }
  return "unknown";
}

}  // namespace

const char* reason_of(const Candidate& candidate, Search* search) {
  return candidate.image.state == FileState::usable ? reason_of_verdict(candidate, search)
                                                    : reason_of_file(candidate, search);
}

}  // namespace anycuda
