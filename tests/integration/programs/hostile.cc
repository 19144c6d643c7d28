// SPDX-License-Identifier: Apache-2.0

// A program that gives up rights, or gets invalid variables, before its first call. The arguments
// are steps (steps.h).
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdlib>

#include "steps.h"

extern "C" {
int cudaGetDeviceCount(int*);
int cudaPeekAtLastError();
int cudaFree(void*);
}

namespace {

using Text = const std::string&;

std::string failure(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

std::string count(Text) {
  int value = 77;
  const std::string result = steps::status("count", [&] { return cudaGetDeviceCount(&value); });
  return result + " " + std::to_string(value);
}
std::string peek(Text) { return steps::status("peek", cudaPeekAtLastError); }
std::string free_nothing(Text) {
  return steps::status("free", [] { return cudaFree(nullptr); });
}

// Makes a folder the root of the process, as a daemon does once it has started.
std::string change_root(Text folder) {
  if (chroot(folder.c_str()) != 0) {
    if (unshare(CLONE_NEWUSER) != 0) return failure("not permitted");
    if (chroot(folder.c_str()) != 0) return failure("not permitted");
  }
  return chdir("/") == 0 ? "done" : failure("chdir");
}

// "openat=EPERM": from now on the system call fails so, or ends the process ("KILL").
std::string deny(Text text) {
  const std::size_t equals = text.find('=');
  const std::string call = text.substr(0, equals);
  const std::string how = text.substr(equals + 1);
  std::vector<unsigned> calls;
  if (call == "openat") calls = {SYS_openat};
  if (call == "getdents") calls = {SYS_getdents64};
#ifdef SYS_open
  if (call == "openat") calls.push_back(SYS_open);
  if (call == "getdents") calls.push_back(SYS_getdents);
#endif
  unsigned action = SECCOMP_RET_ERRNO | (how == "ENOSYS" ? ENOSYS : EPERM);
  if (how == "KILL") action = SECCOMP_RET_KILL_PROCESS;
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned number : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("not permitted");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return failure("not permitted");
  return "done";
}

std::string repeated(Text part, std::size_t size) {
  std::string text;
  while (text.size() < size) text += part;
  return text;
}

// "NAME=kind": sets a variable to a hostile value.
std::string set(Text text) {
  constexpr std::size_t kHuge = 1 << 20;
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(equals + 1);
  std::string value;
  if (kind == "colons") value = repeated(":", kHuge);
  if (kind == "folders") value = repeated("/nowhere:", kHuge);
  if (kind == "one-name") value = "/" + repeated("a", kHuge);
  if (kind == "deep") value = repeated("/a", kHuge);
  if (kind == "bytes") value = "/\xff\xfe\x80:\xc3\x28:/\xed\xa0\x80/lib\xf0";
  if (kind == "newlines") value = "/a\nanycuda: forged\r\n:/b\x1b[2J\x7f:\n";
  if (kind == "formats") value = "%s%s%n:%1000000d:/%n$s";
  if (kind == "dots") value = "/../../..:/.:/..:..:.";
  if (kind == "tokens") value = "$ORIGIN:${ORIGIN:$LIB/${PLATFORM}:/$$ORIGIN}{";
  if (value.empty() && kind != "empty") return "no such kind";
  return setenv(text.substr(0, equals).c_str(), value.c_str(), 1) == 0 ? "done" : failure("setenv");
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"count", count},
                          {"peek", peek},
                          {"free", free_nothing},
                          {"chroot", change_root},
                          {"deny", deny},
                          {"set", set}});
}
