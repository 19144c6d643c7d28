// SPDX-License-Identifier: Apache-2.0

// Makes a first call step by step. At each instruction of the stub that is reached, a look up the
// stack must lead back to here, as for a debugger or a profiler that stops the program there.
// Prints how many of them do not, and where the first ones are.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime.h"

namespace {

constexpr std::uintptr_t kMostCode = std::uintptr_t{4} << 20;
constexpr greg_t kTrapFlag = 0x100;

// The stub's code, and its instructions that were reached.
std::uintptr_t begin = 0;
std::uintptr_t end = 0;
bool is_seen[kMostCode];
const void* way_back = nullptr;
int reached = 0;
int lost = 0;
std::uintptr_t first_lost[8];

_Unwind_Reason_Code look_for_way_back(_Unwind_Context* context, void* found) {
  if (reinterpret_cast<const void*>(_Unwind_GetIP(context)) != way_back) return _URC_NO_REASON;
  *static_cast<bool*>(found) = true;
  return _URC_END_OF_STACK;
}

void step(int, siginfo_t*, void* context) {
  const greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto place = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (place < begin || place >= end || is_seen[place - begin]) return;
  is_seen[place - begin] = true;
  ++reached;
  bool found = false;
  _Unwind_Backtrace(look_for_way_back, &found);
  if (found) return;
  if (lost < 8) first_lost[lost] = place - begin;
  ++lost;
}

int find_code(dl_phdr_info* info, std::size_t, void* address) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    if (wanted < start || wanted - start >= segment.p_memsz) continue;
    begin = start;
    end = start + segment.p_memsz;
  }
  return 0;
}

__attribute__((noinline)) int call_in_steps() {
  way_back = __builtin_return_address(0);
  int version = 0;
  asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" ::"i"(kTrapFlag) : "memory", "cc");
  const int status = cudaRuntimeGetVersion(&version);
  asm volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq" ::"i"(~kTrapFlag) : "memory", "cc");
  return status;
}

}  // namespace

int main() {
  dl_iterate_phdr(find_code, dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion"));
  if (begin == 0 || end - begin > kMostCode) return 2;
  bool found = false;
  _Unwind_Backtrace(look_for_way_back, &found);  // which takes memory when it is called first
  struct sigaction action = {};
  action.sa_sigaction = step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  const int status = call_in_steps();
  std::printf("status %d, lost %d\n", status, lost);
  std::fprintf(stderr, "%d instructions\n", reached);
  for (int i = 0; i < lost && i < 8; ++i) std::fprintf(stderr, "%lx\n", first_lost[i]);
  return 0;
}
