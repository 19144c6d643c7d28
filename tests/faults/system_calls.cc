// SPDX-License-Identifier: Apache-2.0
#include "system_calls.h"

#include <sys/syscall.h>

#include <cerrno>
#include <map>

namespace anycuda::test {
namespace {

constexpr Answer of(const char* name, int error) {
  const bool transient =
      error == ENOMEM || error == EMFILE || error == ENFILE || error == EINTR || error == EAGAIN;
  return {name, -error, transient, false};
}
// What a filter (seccomp) answers: for good.
constexpr Answer kDenied = of("EPERM", EPERM);
constexpr Answer kUnknown = of("ENOSYS", ENOSYS);
constexpr Answer kNoMemory = of("ENOMEM", ENOMEM);
constexpr Answer kNoAccess = of("EACCES", EACCES);
constexpr Answer kBroken = of("EIO", EIO);
constexpr Answer kInterrupted = of("EINTR", EINTR);
// The file or the folder has become empty.
constexpr Answer kNothing = {"nothing", 0, false, false};
// Descriptor and memory are gone whatever the answer is: close(2), munmap(2).
constexpr Answer kDoneAndBroken = {"EIO", -EIO, false, true};
constexpr Answer kDoneAndInterrupted = {"EINTR", -EINTR, true, true};

struct Call {
  const char* name;
  std::vector<Answer> answers;
};

// The manual page of each call has its errors.
const std::map<long, Call>& calls() {
  static const std::map<long, Call> all = {
      {SYS_openat,
       {"openat",
        {of("EMFILE", EMFILE), of("ENFILE", ENFILE), kNoMemory, kInterrupted, kNoAccess, kBroken,
         of("ENOENT", ENOENT), of("ELOOP", ELOOP), kDenied, kUnknown}}},
      {SYS_read, {"read", {kBroken, kInterrupted, kNothing, kDenied}}},
      {SYS_pread64, {"pread64", {kBroken, kInterrupted, kNothing, kDenied}}},
      {SYS_fstat, {"fstat", {kBroken, kNoMemory, kDenied, kUnknown}}},
      {SYS_stat, {"stat", {kBroken, kNoMemory, kNoAccess, of("ENOENT", ENOENT), kDenied}}},
      {SYS_newfstatat,
       {"newfstatat", {kBroken, kNoMemory, kNoAccess, of("ENOENT", ENOENT), kDenied, kUnknown}}},
      {SYS_statx, {"statx", {kBroken, kNoMemory, kNoAccess, kDenied, kUnknown}}},
      {SYS_mmap, {"mmap", {kNoMemory, of("ENODEV", ENODEV), of("EAGAIN", EAGAIN), kDenied}}},
      {SYS_mprotect, {"mprotect", {kNoMemory, kNoAccess, kDenied}}},
      {SYS_brk, {"brk", {}}},  // malloc() takes its memory elsewhere then
      {SYS_munmap, {"munmap", {kDoneAndBroken}}},
      {SYS_close, {"close", {kDoneAndBroken, kDoneAndInterrupted}}},
      {SYS_getdents64, {"getdents64", {kBroken, kNoMemory, kNothing, kDenied, kUnknown}}},
      {SYS_readlink, {"readlink", {kBroken, kNoMemory, kNoAccess, kDenied}}},
      {SYS_readlinkat, {"readlinkat", {kBroken, kNoMemory, kNoAccess, kDenied}}},
      {SYS_access, {"access", {kBroken, kNoMemory, kNoAccess, kDenied}}},
      {SYS_faccessat, {"faccessat", {kBroken, kNoMemory, kNoAccess, kDenied}}},
      {SYS_faccessat2, {"faccessat2", {kBroken, kNoMemory, kNoAccess, kDenied, kUnknown}}},
      {SYS_lseek, {"lseek", {kBroken, kDenied}}},
      {SYS_getcwd, {"getcwd", {of("ENOENT", ENOENT), kNoMemory, kDenied}}},
      {SYS_prlimit64, {"prlimit64", {kDenied, kUnknown}}},
      {SYS_futex, {"futex", {}}},  // without it libc ends the process
      {SYS_write, {"write", {kBroken, kInterrupted, of("EAGAIN", EAGAIN), kDenied}}},
  };
  return all;
}

}  // namespace

const std::vector<Answer>& answers_of(long number) {
  static const std::vector<Answer> others = {kDenied, kUnknown};
  const auto found = calls().find(number);
  return found != calls().end() ? found->second.answers : others;
}

std::string name_of(long number) {
  const auto found = calls().find(number);
  return found != calls().end() ? found->second.name : "call " + std::to_string(number);
}

}  // namespace anycuda::test
