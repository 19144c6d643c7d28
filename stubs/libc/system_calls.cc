// SPDX-License-Identifier: Apache-2.0

// The functions of libc that are system calls with little around them. errno is libc's, which
// syscall() sets.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace {

// The kernel's set of signals: the first word of libc's.
constexpr std::size_t kSetBytes = 8;
std::uint64_t& word_of(sigset_t* set) { return *reinterpret_cast<std::uint64_t*>(set); }
constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }

void* as_pointer(long result) { return reinterpret_cast<void*>(result); }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int close(int file) { return static_cast<int>(syscall(SYS_close, file)); }
ssize_t read(int file, void* into, std::size_t size) { return syscall(SYS_read, file, into, size); }
ssize_t write(int file, const void* text, std::size_t size) {
  return syscall(SYS_write, file, text, size);
}
ssize_t pread(int file, void* into, std::size_t size, off_t offset) {
  return syscall(SYS_pread64, file, into, size, offset);
}
int fstat(int file, struct stat* status) {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}
int stat(const char* path, struct stat* status) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}
ssize_t readlink(const char* path, char* into, std::size_t size) {
  return syscall(SYS_readlinkat, AT_FDCWD, path, into, size);
}
ssize_t getxattr(const char* path, const char* name, void* into, std::size_t size) {
  return syscall(SYS_getxattr, path, name, into, size);
}
// The kernel's answer for a folder outside the process's root does not begin with '/'.
char* getcwd(char* into, std::size_t size) {
  if (syscall(SYS_getcwd, into, size) <= 0) return nullptr;
  if (*into == '/') return into;
  errno = ENOENT;
  return nullptr;
}
pid_t getpid() { return static_cast<pid_t>(syscall(SYS_getpid)); }
uid_t geteuid() { return static_cast<uid_t>(syscall(SYS_geteuid)); }
int getrlimit(__rlimit_resource_t resource, rlimit* limit) {
  return static_cast<int>(syscall(SYS_prlimit64, 0, resource, nullptr, limit));
}
int nanosleep(const timespec* time, timespec* left) {
  return static_cast<int>(syscall(SYS_nanosleep, time, left));
}

void* mmap(void* place, std::size_t size, int protection, int flags, int file, off_t offset) {
  return as_pointer(syscall(SYS_mmap, place, size, protection, flags, file, offset));
}
void* mremap(void* place, std::size_t size, std::size_t new_size, int flags, ...) {
  return as_pointer(syscall(SYS_mremap, place, size, new_size, flags, 0));
}
int munmap(void* place, std::size_t size) {
  return static_cast<int>(syscall(SYS_munmap, place, size));
}
int mprotect(void* place, std::size_t size, int protection) {
  return static_cast<int>(syscall(SYS_mprotect, place, size, protection));
}
int madvise(void* place, std::size_t size, int advice) {
  return static_cast<int>(syscall(SYS_madvise, place, size, advice));
}
int munlock(const void* place, std::size_t size) {
  return static_cast<int>(syscall(SYS_munlock, place, size));
}

int sigemptyset(sigset_t* set) {
  *set = {};
  return 0;
}
int sigaddset(sigset_t* set, int signal) {
  word_of(set) |= bit(signal);
  return 0;
}
int sigismember(const sigset_t* set, int signal) {
  return (word_of(const_cast<sigset_t*>(set)) & bit(signal)) != 0 ? 1 : 0;
}
int sigpending(sigset_t* set) {
  return static_cast<int>(syscall(SYS_rt_sigpending, set, kSetBytes));
}
int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  return static_cast<int>(syscall(SYS_rt_sigprocmask, how, set, before, kSetBytes));
}
int sigtimedwait(const sigset_t* set, siginfo_t* what, const timespec* most) {
  return static_cast<int>(syscall(SYS_rt_sigtimedwait, set, what, most, kSetBytes));
}
}
