// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "marks.h"

namespace anycuda::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

// A program's output, without a reader while it runs.
class Output {
 public:
  Output() : file_(memfd_create("output", MFD_CLOEXEC)) {
    if (file_ < 0) fail("memfd_create");
  }
  ~Output() { close(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  int file() const { return file_; }
  std::string text() const {
    std::string text(65536, '\0');
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  int file_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become(char* const* argv, char* const* envp, unsigned seconds, int out, int err) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(seconds);  // outlives execve: a program that hangs is ended by it
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 &&
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
    execve(argv[0], argv, envp);
  }
  _exit(127);
}

class Tracer {
 public:
  Tracer(pid_t pid, const Injection& injection, TracedRun* run)
      : pid_(pid), injection_(injection), run_(*run) {}

  // Returns the state that the program ended with.
  int follow() {
    int state = wait();
    if (!WIFSTOPPED(state)) return state;
    if (ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
      fail("PTRACE_SETOPTIONS");
    }
    for (int signal = 0;;) {
      if (ptrace(is_between_ ? PTRACE_SYSCALL : PTRACE_CONT, pid_, nullptr, signal) != 0) {
        fail("PTRACE_CONT");
      }
      state = wait();
      if (!WIFSTOPPED(state)) return state;
      signal = WSTOPSIG(state);
      if (signal == kBeginSignal && !has_begun_) {
        has_begun_ = is_between_ = true;
        signal = 0;
      } else if (signal == (SIGTRAP | 0x80)) {
        signal = 0;
        on_stop();
      } else if (signal == SIGTRAP) {
        signal = 0;  // of execve()
      }
    }
  }

 private:
  int wait() {
    int state = 0;
    while (waitpid(pid_, &state, __WALL) < 0) {
      if (errno != EINTR) fail("waitpid");
    }
    return state;
  }
  user_regs_struct registers() {
    user_regs_struct values;
    if (ptrace(PTRACE_GETREGS, pid_, nullptr, &values) != 0) fail("PTRACE_GETREGS");
    return values;
  }
  void set(const user_regs_struct& values) {
    if (ptrace(PTRACE_SETREGS, pid_, nullptr, &values) != 0) fail("PTRACE_SETREGS");
  }

  void on_stop() {
    is_inside_ = !is_inside_;
    if (is_inside_) {
      on_entry();
    } else {
      on_exit();
    }
  }
  void on_entry() {
    user_regs_struct values = registers();
    const auto number = static_cast<long>(values.orig_rax);
    if (number == kEndCall) is_between_ = false;
    if (!is_between_) return;
    const int occurrence = static_cast<int>(run_.calls.size());
    run_.calls.push_back(number);
    answer_ = injection_(occurrence, number);
    if (!answer_ || answer_->runs) return;
    values.orig_rax = ~0ULL;  // a call that there is not: nothing happens
    set(values);
  }
  void on_exit() {
    if (!answer_) return;
    user_regs_struct values = registers();
    values.rax = static_cast<unsigned long long>(answer_->value);
    set(values);
    answer_.reset();
  }

  pid_t pid_;
  const Injection& injection_;
  TracedRun& run_;
  std::optional<Answer> answer_;  // to the call that the program is in
  bool has_begun_ = false;
  bool is_between_ = false;
  bool is_inside_ = false;
};

}  // namespace

TracedRun run_traced(const ProcessSpec& spec, const Injection& injection) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : spec.env) settings.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(spec.argv), envp = pointers(settings);
  const Output out, err;
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    become(argv.data(), envp.data(), static_cast<unsigned>(spec.timeout.count()), out.file(),
           err.file());
  }
  TracedRun run;
  const int state = Tracer(pid, injection, &run).follow();
  if (WIFEXITED(state)) run.result.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) run.result.signal = WTERMSIG(state);
  run.result.timed_out = run.result.signal == SIGALRM;
  run.result.out = out.text();
  run.result.err = err.text();
  if (run.result.status == 127) throw std::runtime_error("cannot trace " + spec.argv[0]);
  return run;
}

}  // namespace anycuda::test
