// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "under.h"

namespace anycuda::test {
namespace {

// A pipe whose ends close themselves, so that later children inherit none of them.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) {
      throw std::runtime_error(std::string("pipe2: ") + strerror(errno));
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }

 private:
  void close_end(int which) {
    if (ends_[which] >= 0) close(std::exchange(ends_[which], -1));
  }
  int ends_[2];
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// Between fork and exec only what is safe in a copy of a threaded process: system calls on data
// made before the fork.
[[noreturn]] void become(char* const* argv, char* const* envp, const char* folder, bool secure,
                         int out, int err, int failure) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // programs that crash are an expected subject of the tests
  setpgid(0, 0);                     // a new group, so that a time limit also ends its children
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 &&
      (*folder == '\0' || chdir(folder) == 0) &&
      (!secure || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0)) {
    execve(argv[0], argv, envp);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
  _exit(127);
}

// Where the process that has just been started finds argc: proc(5), field 28 of /proc/PID/stat.
std::uint64_t start_of_stack(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));  // from the third field on
  std::string field;
  for (int i = 3; i <= 28; ++i) fields >> field;
  return std::stoull(field);
}

// Sets AT_SECURE in the auxiliary vector of a process that stands at its first instruction. It lies
// behind the arguments and variables, each with a null behind them (System V ABI, "Initial Process
// Stack").
void make_secure(pid_t pid) {
  const int memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  if (memory < 0)
    throw std::runtime_error(std::string("cannot open its memory: ") + strerror(errno));
  std::uint64_t at = start_of_stack(pid), word = 0;
  const auto next = [&] {
    if (pread(memory, &word, sizeof word, static_cast<off_t>(at)) != sizeof word) {
      throw std::runtime_error(std::string("cannot read the stack: ") + strerror(errno));
    }
    at += sizeof word;
    return word;
  };
  for (int nulls = (next(), 0); nulls < 2;) nulls += next() == 0 ? 1 : 0;
  while (next() != AT_SECURE) next();
  const std::uint64_t yes = 1;
  const ssize_t written = pwrite(memory, &yes, sizeof yes, static_cast<off_t>(at));
  close(memory);
  if (written != sizeof yes) throw std::runtime_error("cannot write the auxiliary vector");
}

// Lets a traced process run on from execve.
void start_secure(pid_t pid) {
  int state = 0;
  if (waitpid(pid, &state, 0) != pid || !WIFSTOPPED(state)) return;  // it could not be started
  try {
    make_secure(pid);
  } catch (const std::runtime_error&) {
    kill(pid, SIGKILL);
    waitpid(pid, &state, 0);
    throw;
  }
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
}

using Clock = std::chrono::steady_clock;

// Reads both outputs until both are closed; false when the deadline came first.
bool read_outputs(int out, int err, Clock::time_point deadline, ProcessResult& result) {
  pollfd files[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[] = {&result.out, &result.err};
  int open_files = 2;
  while (open_files > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (poll(files, 2, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    for (int i = 0; i < 2; ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      char buffer[16384];
      const ssize_t size = read(files[i].fd, buffer, sizeof buffer);
      if (size > 0) {
        texts[i]->append(buffer, static_cast<size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        files[i].fd = -1;  // poll passes over it from now on
        --open_files;
      }
    }
  }
  return true;
}

// Waits for the process itself: one that has closed its outputs may still be running.
bool wait_until(pid_t pid, Clock::time_point deadline, int& state) {
  for (;;) {
    const pid_t done = waitpid(pid, &state, WNOHANG);
    if (done == pid) return true;
    if (done < 0 && errno != EINTR) {
      throw std::runtime_error(std::string("waitpid: ") + strerror(errno));
    }
    if (Clock::now() >= deadline) return false;
    usleep(1000);
  }
}

}  // namespace

ProcessResult run_process(const ProcessSpec& asked) {
  if (asked.argv.empty()) throw std::runtime_error("run_process: no program given");
  ProcessSpec spec = asked;
  run_under(spec);
  std::vector<std::string> settings;
  for (const auto& [name, value] : spec.env) settings.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(spec.argv), envp = pointers(settings);
  const std::string folder = spec.folder.string();

  Pipe out, err, failure;
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + strerror(errno));
  if (pid == 0) {
    become(argv.data(), envp.data(), folder.c_str(), spec.secure, out.writing(), err.writing(),
           failure.writing());
  }
  setpgid(pid, pid);  // here too: whichever of the two comes first
  out.close_writing();
  err.close_writing();
  failure.close_writing();

  int reason = 0;
  if (read(failure.reading(), &reason, sizeof reason) == sizeof reason) {
    waitpid(pid, nullptr, 0);
    throw std::runtime_error("could not start " + spec.argv[0] +
                             (folder.empty() ? "" : " in " + folder) + ": " + strerror(reason));
  }

  if (spec.secure) start_secure(pid);
  ProcessResult result;
  const Clock::time_point deadline = Clock::now() + spec.timeout;
  int state = 0;
  if (!read_outputs(out.reading(), err.reading(), deadline, result) ||
      !wait_until(pid, deadline, state)) {
    result.timed_out = true;
    kill(-pid, SIGKILL);
    waitpid(pid, &state, 0);
  }
  if (WIFEXITED(state)) result.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) result.signal = WTERMSIG(state);
  return result;
}

std::string ProcessResult::describe() const {
  std::string text;
  if (timed_out) {
    text = "killed because its time was up";
  } else if (signal != 0) {
    text = "ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  } else {
    text = "exit status " + std::to_string(status);
  }
  return text + "\n--- stdout\n" + out + "--- stderr\n" + err + "---\n";
}

}  // namespace anycuda::test
