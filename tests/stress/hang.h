// SPDX-License-Identifier: Apache-2.0

// Names the lock that a hanging child waits for, and the thread that held it at the fork.
//
// The child has its parent's addresses, so the parent can name what the child waits for. A child of
// one thread that sleeps on a futex without a limit never ends: it need not be waited for.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

namespace stress {

// The walks over the list of loaded objects that are under way, by the threads that make them: the
// program's dl_iterate_phdr() (below) is found before libc's. A child reads what was so at the
// fork.
struct Walker {
  std::atomic<pid_t> thread{0};
  std::atomic<const void*> caller{nullptr};
};
constexpr int kMostWalkers = 64;
inline Walker walkers[kMostWalkers];

inline std::string name_of_object(const void* address) {
  Dl_info info = {};
  if (address == nullptr || dladdr(address, &info) == 0) return "no object";
  const char* const slash = std::strrchr(info.dli_fname, '/');
  return slash != nullptr ? slash + 1 : info.dli_fname;
}

inline bool is_of_glibc(const std::string& object) {
  return object.rfind("ld-linux", 0) == 0 || object == "libc.so.6" || object == "libpthread.so.0";
}

// Finds glibc's dl_load_write_lock: the one that this thread holds in a walk. It has no name.
inline const char* load_write_lock() {
  static const char* found = nullptr;
  const auto find = [](dl_phdr_info*, std::size_t, void*) {
    auto* const linker = static_cast<const char*>(dlsym(RTLD_DEFAULT, "_rtld_global"));
    const auto self = static_cast<int>(syscall(SYS_gettid));
    for (int offset = 0; linker != nullptr && found == nullptr && offset < 8192; offset += 8) {
      int words[4];  // the lock, the depth, the owner; the kind comes two words later
      std::memcpy(words, linker + offset, sizeof words);
      if (words[0] == 1 && words[1] == 1 && words[2] == self) found = linker + offset;
    }
    return 1;
  };
  if (found == nullptr) dl_iterate_phdr(find, nullptr);
  return found;
}

class HangingChild {
 public:
  explicit HangingChild(pid_t number)
      : number_(number),
        folder_("/proc/" + std::to_string(number)),
        memory_(open((folder_ + "/mem").c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~HangingChild() { close(memory_); }
  HangingChild(const HangingChild&) = delete;
  HangingChild& operator=(const HangingChild&) = delete;

  // A sleep that is about to end looks the same for a moment.
  bool waits_for_ever() const {
    const std::uintptr_t futex = futex_without_limit();
    if (futex == 0 || thread_count() != 1) return false;
    usleep(10000);
    return futex_without_limit() == futex;
  }
  // What it waits for; of one that has not ended for a long time, whatever it does. Takes the
  // dynamic linker's lock.
  std::string reason() const {
    const std::uintptr_t futex = futex_without_limit();
    if (futex != 0) return describe(futex);
    kill(number_, SIGSTOP);
    waitpid(number_, nullptr, WUNTRACED);
    return "no lock, waited for by " + caller() + "; system call " + system_call();
  }

 private:
  std::string text_of(const char* name) const {
    char text[256] = "";
    const int file = open((folder_ + name).c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) close(file);
    std::string read_text(text, static_cast<std::size_t>(size > 0 ? size : 0));
    while (!read_text.empty() && read_text.back() == '\n') read_text.pop_back();
    return read_text;
  }
  // "202 0x7f... operation value limit ...": proc(5). 0: it does not wait so.
  std::uintptr_t futex_without_limit() const {
    long call = -1;
    unsigned long arguments[4] = {};
    const int count = std::sscanf(text_of("/syscall").c_str(), "%ld %lx %lx %lx %lx", &call,
                                  &arguments[0], &arguments[1], &arguments[2], &arguments[3]);
    const unsigned long operation = arguments[1] & FUTEX_CMD_MASK;
    const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    return count == 5 && call == SYS_futex && waits && arguments[3] == 0 ? arguments[0] : 0;
  }
  int thread_count() const {
    int count = 0;
    std::error_code gone;
    for (std::filesystem::directory_iterator i(folder_ + "/task", gone), end; !gone && i != end;
         i.increment(gone)) {
      ++count;
    }
    return count;
  }
  template <typename Value>
  Value value_at(std::uintptr_t address) const {
    Value value{};
    if (pread(memory_, &value, sizeof value, static_cast<off_t>(address)) != sizeof value) {
      return Value{};
    }
    return value;
  }
  // Behind an instruction that calls? (The parent need not have what is mapped there.)
  bool is_return_address(std::uintptr_t address) const {
#if defined(__x86_64__)
    unsigned char code[8];
    if (pread(memory_, code, sizeof code, static_cast<off_t>(address - sizeof code)) < 8) {
      return false;
    }
    const auto is_indirect = [&](int size) {
      return code[8 - size] == 0xff && (code[9 - size] & 0x38) == 0x10;
    };
    return code[3] == 0xe8 || is_indirect(2) || is_indirect(3) || is_indirect(6);
#else
    return address != 0;
#endif
  }
  std::string system_call() const {
    const std::string call = text_of("/syscall");
    return call.substr(0, call.find(' '));
  }
  // The innermost object that is not glibc's and has a function the child is in: by the addresses
  // on its stack that look like return addresses.
  std::string caller() const {
    unsigned long stack = 0;
    const std::string call = text_of("/syscall");
    const std::size_t end = call.rfind(' ');  // "... stack code"
    if (end != std::string::npos)
      stack = std::strtoul(call.c_str() + call.rfind(' ', end - 1), nullptr, 16);
    for (unsigned long i = 0; stack != 0 && i < 512; ++i) {
      const auto address = value_at<std::uintptr_t>(stack + 8 * i);
      Dl_info info = {};
      if (dladdr(reinterpret_cast<void*>(address), &info) == 0) continue;
      if (!is_return_address(address)) continue;
      const std::string name = name_of_object(reinterpret_cast<void*>(address));
      if (!is_of_glibc(name)) return name;
    }
    return "no known object";
  }
  // A mutex of pthreads: the owner is its third word.
  std::string describe(std::uintptr_t futex) const {
    const auto* const address = reinterpret_cast<const char*>(futex);
    const bool has_name = address == load_write_lock();
    const std::string lock = (has_name ? "dl_load_write_lock in " : "a lock in ") +
                             name_of_object(address) + ", waited for by " + caller();
    const pid_t owner = value_at<pid_t>(futex + 8);
    // While a thread takes or releases a lock, the lock has no owner yet or any more.
    const auto holds = [&](pid_t thread) {
      return owner != 0 ? thread == owner : has_name && thread != 0 && thread != number_;
    };
    for (const Walker& walker : walkers) {
      const auto at = reinterpret_cast<std::uintptr_t>(&walker);
      if (!holds(value_at<pid_t>(at + offsetof(Walker, thread)))) continue;
      const auto* caller = value_at<const void*>(at + offsetof(Walker, caller));
      return lock + ", held by a walk of " + name_of_object(caller);
    }
    if (has_name) return lock + ", held by a dlopen or dlclose";
    return lock + (owner != 0 ? ", held by another thread" : ", whose holder is unknown");
  }

  pid_t number_;
  std::string folder_;
  int memory_;
};

}  // namespace stress

extern "C" inline __attribute__((used, visibility("default"))) int dl_iterate_phdr(
    int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  using Walk = int (*)(int (*)(dl_phdr_info*, std::size_t, void*), void*);
  static const auto real = reinterpret_cast<Walk>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  stress::Walker* mine = nullptr;
  for (stress::Walker& walker : stress::walkers) {
    pid_t none = 0;
    if (mine == nullptr && walker.thread.compare_exchange_strong(none, self)) mine = &walker;
  }
  if (mine != nullptr) mine->caller = __builtin_return_address(0);
  const int result = real(visit, argument);
  if (mine != nullptr) mine->thread = 0;
  return result;
}
