// SPDX-License-Identifier: Apache-2.0

// Plugins that contain or need a stub are loaded, called, forked and unloaded by 16 threads:
//
//     plugins AMOUNT SEED FOLDER KINDS VERSION COUNT_STATUS REAL
//
//   AMOUNT        "processes:N" one after the other, or "seconds:N"
//   SEED          each thread makes the same choices with the same seed; 0: draw one
//   FOLDER        with the plugins (plugin.c): their names begin with shared-, static- or dropin-
//   KINDS         "all", or "static": then no shared copy of the stub is in the process
//   VERSION       what cudaRuntimeGetVersion must answer; 0: no CUDA is installed
//   COUNT_STATUS  what cudaGetDeviceCount must return
//   REAL          NVIDIA's library, or "none"
//
//     plugins read-freed | read-behind | write-behind | free-twice
//
// makes that error, which the guarding allocator (guard.c) must find.
//
// A new process for each plugin, with one thread, makes each request first. The threads must get
// the same answers. They are in processes that are forked one after the other, since the first
// error and the choice of the library happen once in a process. stdout has counts ("#") and each
// failure; the exit status is 0 without failure.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "plugin.h"
__attribute__((weak)) void guard_counts(long counts[2]);  // guard.c, if it is preloaded
}

namespace {

using Path = std::filesystem::path;
using Clock = std::chrono::steady_clock;
using Answers = std::array<int, kAnswers>;
using Ask = void(Request, void*, int*);

constexpr int kThreads = 16;
constexpr int kCopies = 2;  // of each plugin, in files of other names

struct Plugin {
  std::string file;
  std::string name;
  bool is_static = false;
  Answers expected[kRequests] = {};
  std::shared_mutex use;  // shared while a thread has opened the plugin
};

std::deque<Plugin> plugins;
std::string real_library;
bool has_cuda = false;

// A stub's messages go to /dev/null (its code runs), this program's crashes to the real stderr.
int report = STDERR_FILENO;

// In memory that all processes share.
struct Counts {
  std::atomic<long> failures, processes, rounds, calls, loads;
  std::atomic<long> unmapped, still_loaded, static_still_loaded, not_asked;
  std::atomic<long> children, ended, lost_in_linker, lost_in_library, lost_in_stub;
  std::atomic<long> guarded, unguarded;
};
template <typename Type>
Type* share(std::size_t count) {
  return static_cast<Type*>(mmap(nullptr, sizeof(Type) * count, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}
Counts& counts = *share<Counts>(1);
constexpr long kMostFailures = 20;

[[gnu::format(printf, 1, 2)]] void fail(const char* format, ...) {
  if (++counts.failures > kMostFailures) return;
  char text[1000];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  std::printf("FAILED %s\n", text);
  std::fflush(stdout);
}

// ---- crashes and hangs

void print_trace(const char* what) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  // No stdio: the thread may hold its lock.
  (void)!write(report, what, std::strlen(what));
  backtrace_symbols_fd(frames, count, report);
}

void on_crash(int signal) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  alarm(5);  // printing may need a lock that this thread holds
  print_trace("crash:\n");
  raise(signal);
}

void on_hang(int) { print_trace("hanging thread:\n"); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_NODEFER;
  sigaction(signal, &action, nullptr);
}

void handle_signals() {
  void* frame;
  backtrace(&frame, 1);  // loads what it needs
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) handle(signal, on_crash);
  handle(SIGUSR1, on_hang);
}

// ---- opened plugins

// Shared while a thread is in the dynamic linker or in its first call of a plugin. A thread that
// holds it alone forks at a moment when no other thread is there.
class Gate {
 public:
  Gate() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    // Else the forking threads would never have their turn.
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &attributes);
  }
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }
  void lock() { pthread_rwlock_wrlock(&lock_); }
  void unlock() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
} gate;

class Opened {
 public:
  Opened(Plugin* plugin, int flags) : plugin_(plugin) {
    plugin_->use.lock_shared();
    const std::shared_lock<Gate> in(gate);
    handle_ = dlopen(plugin_->file.c_str(), RTLD_NOW | flags);
    if (handle_ == nullptr) {
      fail("dlopen: %s", dlerror());
      return;
    }
    ++counts.loads;
    ask_ = reinterpret_cast<Ask*>(dlsym(handle_, "plugin_ask"));
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    {
      const std::shared_lock<Gate> in(gate);
      if (handle_ != nullptr && dlclose(handle_) != 0) fail("dlclose: %s", dlerror());
    }
    plugin_->use.unlock_shared();
  }
  const Plugin& plugin() const { return *plugin_; }
  void* handle() const { return handle_; }

  Answers ask(Request request) const {
    alignas(16) thread_local char memory[kPluginMemory];
    Answers answers{};
    if (ask_ != nullptr) ask_(request, memory, answers.data());
    return answers;
  }
  // The stub's answer for NVIDIA's runtime of CUDA 11 is the release, if it knows that, or else the
  // first of the major: another copy of the stub may have loaded the library.
  static bool is_right(const Answers& answers, const Answers& expected, Request request) {
    if (answers == expected) return true;
    return request == kVersion && expected[1] / 1000 == 11 &&
           answers == Answers{0, expected[1] / 1000 * 1000};
  }
  void check(Request request) {
    std::shared_lock<Gate> in(gate, std::defer_lock);
    // Later calls go to NVIDIA's library at once; without one each call may look for it.
    if (!has_asked_ || !has_cuda) in.lock();
    has_asked_ = true;
    const Answers answers = ask(request);
    ++counts.calls;
    const Answers& expected = plugin_->expected[request];
    if (is_right(answers, expected, request)) return;
    fail("%s, request %d: %d %d %d %d %d instead of %d %d %d %d %d", plugin_->name.c_str(), request,
         answers[0], answers[1], answers[2], answers[3], answers[4], expected[0], expected[1],
         expected[2], expected[3], expected[4]);
  }

 private:
  Plugin* plugin_;
  void* handle_ = nullptr;
  Ask* ask_ = nullptr;
  bool has_asked_ = false;
};

// A static stub goes with its plugin as soon as nobody has the plugin open.
void expect_gone(Plugin* plugin) {
  const std::unique_lock<std::shared_mutex> nobody(plugin->use, std::try_to_lock);
  if (!nobody.owns_lock()) {
    ++counts.not_asked;
    return;
  }
  const std::shared_lock<Gate> in(gate);
  void* handle = dlopen(plugin->file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    ++counts.unmapped;
    return;
  }
  dlclose(handle);
  ++(plugin->is_static ? counts.static_still_loaded : counts.still_loaded);
}

// ---- forked children

// Where a child is, in memory that it shares with its parent.
enum class Stage { start, linker, library, stub, wrong, end };
struct ChildState {
  std::atomic<Stage> stage;
};
ChildState* const child_states = share<ChildState>(kThreads);

// NVIDIA's library itself, as soon as a stub has opened it.
struct RealLibrary {
  explicit RealLibrary(void* library) : handle(library) {}
  template <typename Type>
  Type* find(const char* name) const {
    return reinterpret_cast<Type*>(dlsym(handle, name));
  }
  void* handle;
  int (*version)(int*) = find<int(int*)>("cudaRuntimeGetVersion");
  int (*count)(int*) = find<int(int*)>("cudaGetDeviceCount");
  void** (*begin)(void*) = find<void**(void*)>("__cudaRegisterFatBinary");
  void (*variable)(void**, void*, void*, const char*, int, std::size_t, int, int) =
      find<void(void**, void*, void*, const char*, int, std::size_t, int, int)>(
          "__cudaRegisterVar");
  void (*function)(void**, void*, void*, const char*, int, void*, void*, void*, void*, int*) =
      find<void(void**, void*, void*, const char*, int, void*, void*, void*, void*, int*)>(
          "__cudaRegisterFunction");
  void (*end)(void**) = find<void(void**)>("__cudaRegisterFatBinaryEnd");
  void (*unregister)(void**) = find<void(void**)>("__cudaUnregisterFatBinary");
};
std::atomic<const RealLibrary*> real{nullptr};

void look_for_real_library() {
  if (!has_cuda || real != nullptr) return;
  void* handle = dlopen(real_library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) real = new RealLibrary(handle);  // both stay
}

// Does this thread wait in a call of NVIDIA's library?
bool is_in_real_library() {
  const RealLibrary* library = real;
  Dl_info real_file{}, file{};
  if (library == nullptr || dladdr(reinterpret_cast<void*>(library->version), &real_file) == 0) {
    return false;
  }
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    if (dladdr(frames[i], &file) != 0 && file.dli_fbase == real_file.dli_fbase) return true;
  }
  return false;
}

thread_local ChildState* own_state = nullptr;  // of a child

void on_hanging_child(int) {
  alarm(5);
  if (is_in_real_library()) own_state->stage = Stage::library;
  if (own_state->stage != Stage::library) print_trace("hanging child:\n");
  _exit(9);
}

// Takes the locks that calls and registrations take there.
void call_without_stub(const RealLibrary& library) {
  static const std::uint64_t code[2] = {0x00100001ba55ed50, 0};
  static struct {
    int magic = 0x466243b1, version = 1;
    const void* data = code;
    void* unused = nullptr;
  } fat_binary;
  static char kernel[] = "kernel", variable[] = "variable";
  int answer = 0;
  library.version(&answer);
  library.count(&answer);
  void** handle = library.begin(&fat_binary);
  library.function(handle, kernel, kernel, kernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  library.variable(handle, variable, variable, variable, 0, 8, 0, 0);
  library.end(handle);
  library.unregister(handle);
}

// glibc's locks stay locked in a child if another thread had them at the fork, and so do NVIDIA's.
// The stub has none. So a child that gets through the dynamic linker and NVIDIA's library without
// the stub must get through the stub, too, unless it then waits inside NVIDIA's library.
[[noreturn]] void be_a_child(const Opened& opened, ChildState* state) {
  own_state = state;
  handle(SIGUSR2, on_hanging_child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a crash of the parent leaves none behind
  state->stage = Stage::linker;
  dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 0; }, nullptr);
  if (dlsym(opened.handle(), "plugin_ask") == nullptr) _exit(1);
  if (void* library = dlopen("libresolv.so.2", RTLD_NOW)) dlclose(library);
  state->stage = Stage::library;
  look_for_real_library();  // another thread may have opened it just before the fork
  if (const RealLibrary* library = real) call_without_stub(*library);
  state->stage = Stage::stub;
  for (const Request request : {kVersion, kCount, kRefused}) {
    const Answers& expected = opened.plugin().expected[request];
    if (Opened::is_right(opened.ask(request), expected, request)) continue;
    state->stage = Stage::wrong;
    _exit(1);
  }
  state->stage = Stage::end;
  _exit(0);
}

// A child that has not reached the stub is given up soon; this never counts as a failure.
constexpr std::chrono::seconds kBeforeStub{1};
constexpr std::chrono::seconds kGenerous{20};

// The wait status; a child that hangs is asked for a trace and killed.
int wait_for(pid_t child, const ChildState& state) {
  const Clock::time_point begin = Clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const bool in_stub = state.stage >= Stage::stub;
    if (Clock::now() > begin + (in_stub ? kGenerous : kBeforeStub)) {
      if (in_stub) kill(child, SIGUSR2);
      for (int i = 0; in_stub && i < 50; ++i) {
        if (waitpid(child, &status, WNOHANG) != 0) return status;
        usleep(100000);
      }
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return status;
    }
    usleep(500);
  }
  return status;
}

void fork_child(const Opened& opened, bool at_rest, ChildState* state) {
  state->stage = Stage::start;
  std::unique_lock<Gate> in(gate, std::defer_lock);
  if (at_rest) in.lock();
  const pid_t child = fork();
  if (child == 0) be_a_child(opened, state);
  if (at_rest) in.unlock();
  if (child < 0) return;
  ++counts.children;
  const int status = wait_for(child, *state);
  const Stage stage = state->stage;
  if (status == 0) {
    ++counts.ended;
  } else if (stage <= Stage::linker) {
    ++counts.lost_in_linker;
  } else if (stage == Stage::library) {
    ++counts.lost_in_library;
  } else {
    ++counts.lost_in_stub;
    fail("a child of %s: %s, wait status %x", opened.plugin().name.c_str(),
         stage == Stage::wrong ? "wrong answer" : "lost in the stub", status);
  }
}

// ---- threads

// A quiet round makes no call that fails.
void make_round(std::mt19937* random, bool is_quiet, ChildState* state) {
  const auto draw = [random](unsigned below) { return (*random)() % below; };
  // NVIDIA's library keeps memory for each registration, so these are rarer.
  const auto request = [&] {
    const Request drawn = draw(16) == 0 ? kRegister : static_cast<Request>(draw(kRegister));
    return !is_quiet ? drawn : has_cuda && drawn != kRegister ? kVersion : kRegister;
  };
  Plugin* plugin = &plugins[draw(static_cast<unsigned>(plugins.size()))];
  Plugin* second = &plugins[draw(static_cast<unsigned>(plugins.size()))];
  const int flags = draw(8) == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  const bool has_second = draw(4) == 0 && second != plugin;
  const unsigned requests = draw(8) == 0 && !is_quiet ? 100 : draw(5);
  const bool forks = draw(16) == 0 && !is_quiet;
  const bool at_rest = draw(2) == 0;
  {
    Opened opened(plugin, flags);
    for (unsigned i = 0; i < requests; ++i) opened.check(request());
    if (has_second) {
      Opened other(second, RTLD_LOCAL);
      other.check(request());
      opened.check(request());
    }
    if (forks) fork_child(opened, at_rest, state);
  }
  expect_gone(plugin);
  if (has_second) expect_gone(second);
  ++counts.rounds;
}

// Ends the process if no thread gets through a round for long.
class Watch {
 public:
  void look(std::vector<std::thread>& threads) {
    const long rounds = counts.rounds;
    if (rounds != rounds_) {
      rounds_ = rounds;
      since_ = Clock::now();
    }
    if (Clock::now() < since_ + std::chrono::minutes(3)) return;
    std::printf("FAILED all threads hang\n");
    std::fflush(stdout);
    for (std::thread& thread : threads) {
      pthread_kill(thread.native_handle(), SIGUSR1);
      usleep(200000);
    }
    _exit(3);
  }

 private:
  long rounds_ = -1;
  Clock::time_point since_ = Clock::now();
};

void run_threads(long rounds, long quiet_rounds, unsigned seed) {
  std::atomic<int> working{kThreads};
  std::atomic<bool> begin{false};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      std::mt19937 random(seed + number * 7919);
      while (!begin) std::this_thread::yield();
      for (long i = 0; i < rounds && counts.failures < kMostFailures; ++i) {
        make_round(&random, i < quiet_rounds, &child_states[number]);
      }
      --working;
    });
  }
  begin = true;
  Watch watch;
  while (working != 0) {
    watch.look(threads);
    usleep(10000);
  }
  for (std::thread& thread : threads) thread.join();
}

// In a process in which no stub has been called yet. In some the first error comes when many
// plugins have come and gone.
void run_process(unsigned seed) {
  const pid_t process = fork();
  if (process == 0) {
    std::mt19937 random(seed);
    const long rounds = std::array<long, 4>{5, 20, 50, 200}[random() % 4];
    run_threads(rounds, random() % 2 == 0 ? rounds / 2 : 0, static_cast<unsigned>(random()));
    long blocks[2] = {0, 0};
    if (guard_counts != nullptr) guard_counts(blocks);
    counts.guarded += blocks[0];
    counts.unguarded += blocks[1];
    std::exit(0);  // with the destructors of what is still loaded
  }
  int status = -1;
  waitpid(process, &status, 0);
  ++counts.processes;
  if (status != 0) fail("the process of seed %u: wait status %x", seed, status);
}

// ---- what is right

// In a process that uses only this plugin, so that it chooses by itself.
void learn(Plugin* plugin, int version, int count_status) {
  constexpr std::size_t kSize = sizeof plugin->expected;
  auto* learned = share<Answers>(kRequests);
  const pid_t child = fork();
  if (child == 0) {
    const Opened opened(plugin, RTLD_LOCAL);
    for (int i = 0; i < kRequests; ++i) learned[i] = opened.ask(static_cast<Request>(i));
    _exit(opened.handle() != nullptr ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) fail("%s by itself: wait status %x", plugin->name.c_str(), status);
  std::memcpy(plugin->expected, learned, kSize);
  munmap(learned, kSize);

  const std::size_t dash = plugin->name.find('-');
  const int major = std::atoi(plugin->name.c_str() + dash + 1);
  constexpr int kNoLibrary = 35, kRejected = 801;
  const Answers& of_version = plugin->expected[kVersion];
  const Answers& of_count = plugin->expected[kCount];
  const Answers& of_refused = plugin->expected[kRefused];
  // NVIDIA's own runtime of CUDA 11 needs a device to tell its version.
  const bool asks_device = has_cuda && version / 1000 == 11 && major == 11;
  const int version_status = !has_cuda ? kNoLibrary : asks_device ? count_status : 0;
  bool is_right = of_version[0] == version_status && of_version[1] == (asks_device ? 0 : version) &&
                  of_count[0] == count_status && of_count[1] == 0 && of_count[2] == count_status &&
                  of_count[3] == count_status;
  if (!has_cuda) {
    is_right = is_right && of_refused[0] == kNoLibrary;
  } else if (major != version / 1000) {
    is_right = is_right && of_refused[0] == kRejected && of_refused[2] == kRejected &&
               of_refused[3] == kRejected;
  }
  if (is_right) return;
  fail("%s by itself: version %d %d, count %d %d %d %d, refused %d %d %d %d", plugin->name.c_str(),
       of_version[0], of_version[1], of_count[0], of_count[1], of_count[2], of_count[3],
       of_refused[0], of_refused[1], of_refused[2], of_refused[3]);
}

// Copies in a new folder: the dynamic linker identifies a file by its inode.
Path copy_plugins(const Path& folder, bool only_static) {
  std::string name = std::filesystem::temp_directory_path() / "plugins-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) std::exit(2);
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool is_static = entry.path().filename().string().rfind("static-", 0) == 0;
    const bool is_wanted = is_static || !only_static;
    if (is_wanted && entry.path().extension() == ".so") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const Path& file : files) {
    for (int copy = 0; copy < kCopies; ++copy) {
      Plugin& plugin = plugins.emplace_back();
      plugin.name = file.stem().string() + "-" + std::to_string(copy);
      plugin.file = Path(name) / (plugin.name + ".so");
      plugin.is_static = plugin.name.compare(0, 7, "static-") == 0;
      std::filesystem::copy_file(file, plugin.file);
    }
  }
  return name;
}

void print_counts() {
  std::printf("# %ld processes, %ld rounds, %ld loads, %ld calls\n", counts.processes.load(),
              counts.rounds.load(), counts.loads.load(), counts.calls.load());
  std::printf(
      "# after a round: %ld plugins unmapped, %ld static ones and %ld others still loaded, "
      "%ld used by other threads\n",
      counts.unmapped.load(), counts.static_still_loaded.load(), counts.still_loaded.load(),
      counts.not_asked.load());
  std::printf(
      "# %ld children: %ld ended, %ld lost in the dynamic linker, %ld in NVIDIA's library, "
      "%ld in the stub\n",
      counts.children.load(), counts.ended.load(), counts.lost_in_linker.load(),
      counts.lost_in_library.load(), counts.lost_in_stub.load());
  std::printf("# %ld blocks guarded, %ld not\n", counts.guarded.load(), counts.unguarded.load());
}

int make_error(const std::string& error) {
  // Volatile: the compiler is not to see the error.
  static volatile std::size_t size = 40;
  static char* volatile block = static_cast<char*>(std::malloc(size));
  if (error == "read-behind") return block[size + 8];
  if (error == "write-behind") block[size] = 1;
  std::free(block);
  if (error == "read-freed") return block[1];
  if (error == "free-twice") std::free(block);
  return 0;
}

}  // namespace

int main(int words, char** arguments) {
  if (words == 2) return make_error(arguments[1]);
  if (words != 8) return 2;
  unsigned seed = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  if (seed == 0) seed = std::random_device{}();
  const int version = std::atoi(arguments[5]);
  has_cuda = version != 0;
  real_library = arguments[7];
  std::printf("# seed %u\n", seed);
  std::fflush(stdout);

  report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (report < 0 || nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0) return 2;
  handle_signals();
  const Path folder = copy_plugins(arguments[3], std::strcmp(arguments[4], "static") == 0);
  for (Plugin& plugin : plugins) learn(&plugin, version, std::atoi(arguments[6]));
  const char* number = std::strchr(arguments[1], ':');
  if (number == nullptr) return 2;
  const long amount = std::atol(number + 1);
  const bool counts_seconds = arguments[1][0] == 's';
  const Clock::time_point end = Clock::now() + std::chrono::seconds(amount);
  for (long i = 0; counts_seconds ? Clock::now() < end : i < amount; ++i) {
    if (counts.failures != 0) break;
    run_process(seed + static_cast<unsigned>(i));
  }
  if (counts.static_still_loaded != 0) fail("static plugins stay loaded");
  print_counts();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return counts.failures == 0 ? 0 : 1;
}
