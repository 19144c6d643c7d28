// SPDX-License-Identifier: Apache-2.0

// A first call that stops before and after each system call and each atomic instruction. There
// another thread forks a child, which lacks the stopped thread and makes its first call.
//
//     stops LIBRARY EVERY MOST [CLIENT]     of the stops every EVERYth, in the first MOST
//     instructions
//
// The calling thread steps itself by the processor's trap flag. Children that hang are looked at
// when it has returned, since the look needs the dynamic linker's lock. With CLIENT, kernels are
// registered before the first call.
#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <thread>
#include <vector>

#include "hang.h"
#include "library.h"

namespace {

int (*get_count)(int*) = nullptr;
int call_cuda() {
  int count = 0;
  return get_count(&count);
}

// ---- the thread that makes the first call

bool stepping = false;
int every = 1;
long instructions_left = 0;
long points = 0;  // system calls and atomic instructions, counted before and after
long too_late =
    0;  // stops at which the fork waits for the stopped thread, which has a lock of malloc()
enum : int { kNothing, kFork, kForking };
std::atomic<int> request{kNothing};

void futex(int operation, int value, const timespec* limit = nullptr) {
  syscall(SYS_futex, &request, operation | FUTEX_PRIVATE_FLAG, value, limit);
}

// Has the lock prefix, is an exchange with memory, which needs none, or a system call.
[[maybe_unused]] bool is_point(const unsigned char* code) {
  bool is_locked = false;
  for (;
       std::strchr("\x66\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67", *code) != nullptr && *code != 0;
       ++code) {
    is_locked = is_locked || *code == 0xf0;
  }
  if ((*code & 0xf0) == 0x40) ++code;  // REX
  const bool is_exchange = (*code == 0x86 || *code == 0x87) && code[1] >> 6 != 3;
  const bool is_syscall = code[0] == 0x0f && code[1] == 0x05;
  return is_locked || is_exchange || is_syscall;
}

// Waits until the request is another one: false if it takes long.
bool wait_while(int value) {
  const timespec limit{0, 100000000};
  for (int i = 0; i < 4 && request.load() == value; ++i) futex(FUTEX_WAIT, value, &limit);
  return request.load() != value;
}

[[maybe_unused]] void stop() {
  if (points++ % every != 0) return;
  // The fork before may still wait for a lock that this thread has now.
  if (request.load() != kNothing) return;
  request.store(kFork);
  futex(FUTEX_WAKE, INT_MAX);
  if (!wait_while(kFork) || !wait_while(kForking)) ++too_late;
}

#if defined(__x86_64__)
void on_trap(int, siginfo_t* signal, void* context) {
  constexpr greg_t kTrapFlag = 0x100;
  static bool was_point = false;
  const int kept_errno = errno;
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (signal->si_code == TRAP_TRACE && stepping) {
    stepping = --instructions_left > 0;
    const bool is_one = is_point(reinterpret_cast<const unsigned char*>(registers[REG_RIP]));
    if (is_one || was_point) stop();
    was_point = is_one;
  }
  greg_t& flags = registers[REG_EFL];
  flags = stepping ? flags | kTrapFlag : flags & ~kTrapFlag;
  errno = kept_errno;
}
#else
void on_trap(int, siginfo_t*, void*) {}
#endif

void call_in_steps(std::atomic<bool>* returned) {
  stepping = true;
  raise(SIGTRAP);  // on_trap sets the flag
  call_cuda();
  stepping = false;
  raise(SIGTRAP);
  returned->store(true);
  request.store(kFork);  // the last one: nothing is under way
  futex(FUTEX_WAKE, INT_MAX);
}

// ---- the thread that forks

// Where children crashed: the instruction, and what may be its caller. In memory of all processes.
struct Crashes {
  static constexpr int kMost = 1000;
  std::atomic<int> count;
  const void* at[kMost][2];
};
Crashes* crashes = nullptr;
constexpr int kCrashed = 3;

#if defined(__x86_64__)
void on_crash(int, siginfo_t*, void* context) {
  const greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const int number = crashes->count++;
  if (number < Crashes::kMost) {
    crashes->at[number][0] = reinterpret_cast<const void*>(registers[REG_RIP]);
    crashes->at[number][1] = *reinterpret_cast<const void* const*>(registers[REG_RSP]);
  }
  _exit(kCrashed);
}
#else
void on_crash(int, siginfo_t*, void*) { _exit(kCrashed); }
#endif

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal, &action, nullptr);
}

// A library that another thread was opening at the fork has unbound functions in the child: then
// the crash is at an address of no object, below the library or, if it jumps there, its caller.
void print_crashes() {
  for (int i = 0; i < crashes->count && i < Crashes::kMost; ++i) {
    Dl_info info = {};
    const bool is_known = dladdr(crashes->at[i][0], &info) != 0;
    std::printf("crash: %s %s\n", is_known ? "in" : "at no function, below",
                stress::name_of_object(crashes->at[i][is_known ? 0 : 1]).c_str());
  }
}

struct Counts {
  int children = 0;
  int hanging = 0;
  int refused = 0;  // by a check of the dynamic linker, which was opening a library: status 127
  int crashed = 0;
};
int expected = 0;  // the call's result

class Forks {
 public:
  void start() {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      handle(SIGSEGV, on_crash);
      handle(SIGBUS, on_crash);
      _exit(call_cuda() == expected ? 0 : 1);
    }
    if (child > 0) running_.push_back({child, std::time(nullptr)});
    ++counts_.children;
  }
  void wait_for_room() {
    while (running_.size() >= kAtOnce) look();
  }
  Counts finish() {
    while (!running_.empty()) look();
    for (const pid_t child : stuck_) {
      std::printf("hang: %s\n", stress::HangingChild(child).reason().c_str());
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    counts_.hanging = static_cast<int>(stuck_.size());
    return counts_;
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::time_t kGenerous = 10;
  struct Running {
    pid_t number;
    std::time_t since;
  };

  void look() {
    std::vector<Running> left;
    for (const Running& child : running_) {
      int status = 0;
      if (waitpid(child.number, &status, WNOHANG) == child.number) {
        const bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == 127;
        counts_.refused += is_refused ? 1 : 0;
        counts_.crashed += !is_refused && status != 0 ? 1 : 0;
        const bool is_known = WIFEXITED(status) && WEXITSTATUS(status) == kCrashed;
        if (!is_refused && !is_known && status != 0) std::printf("crash: status %#x\n", status);
      } else if (stress::HangingChild(child.number).waits_for_ever() ||
                 std::time(nullptr) > child.since + kGenerous) {
        stuck_.push_back(child.number);
      } else {
        left.push_back(child);
      }
    }
    running_ = left;
    usleep(1000);
  }

  std::vector<Running> running_;
  std::vector<pid_t> stuck_;
  Counts counts_;
};

int result_in_a_child() {
  const pid_t child = fork();
  if (child == 0) _exit(call_cuda());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

int main(int count, char** arguments) {
  const stress::Library library(arguments[1]);
  every = std::atoi(arguments[2]);
  instructions_left = std::atol(arguments[3]);
  if (count > 4 && dlopen(arguments[4], RTLD_NOW) == nullptr) return 2;
  library.get(&get_count, "cudaGetDeviceCount");
  stress::load_write_lock();
  expected = result_in_a_child();
  void* const shared =
      mmap(nullptr, sizeof(Crashes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  crashes = static_cast<Crashes*>(shared);
  handle(SIGTRAP, on_trap);
  Forks forks;
  std::atomic<bool> returned{false};
  std::thread caller([&] { call_in_steps(&returned); });
  while (!returned) {
    while (request.load() != kFork) futex(FUTEX_WAIT, kNothing);
    request.store(kForking);
    futex(FUTEX_WAKE, INT_MAX);
    forks.start();
    request.store(kNothing);
    futex(FUTEX_WAKE, INT_MAX);
    forks.wait_for_room();
  }
  caller.join();
  const Counts counts = forks.finish();
  print_crashes();
  std::printf("stops %ld children %d hanging %d refused %d crashed %d late %ld\n", points,
              counts.children, counts.hanging, counts.refused, counts.crashed, too_late);
  return 0;
}
