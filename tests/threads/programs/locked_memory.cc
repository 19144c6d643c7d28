// SPDX-License-Identifier: Apache-2.0

// Registers kernels and calls CUDA in a process that locks all memory it will ever map
// (MCL_FUTURE), as real-time programs do. The argument limits what may be locked: bytes, or "most",
// as much as this user may.
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime.h"

namespace {

struct Memory {
  long mapped = 0;  // KB
  long locked = 0;
};

Memory memory() {
  Memory now;
  char line[256];
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) std::abort();
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::sscanf(line, "VmSize: %ld", &now.mapped);
    std::sscanf(line, "VmLck: %ld", &now.locked);
  }
  std::fclose(file);
  return now;
}

void tell(const char* when, const Memory& before) {
  const Memory now = memory();
  const auto say = [](long kilobytes) {
    return kilobytes < 1000 ? std::string("little") : std::to_string(kilobytes) + " KB";
  };
  std::printf("%s: %s mapped, %s locked\n", when, say(now.mapped - before.mapped).c_str(),
              say(now.locked - before.locked).c_str());
}

// The limit holds for root too once it has given this right up.
void give_up_locking_rights() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  syscall(SYS_capget, &header, data);
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  data[0].permitted &= ~(1U << CAP_IPC_LOCK);
  syscall(SYS_capset, &header, data);
}

int skip(const char* what) {
  std::printf("skip: %s: %s\n", what, std::strerror(errno));
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  constexpr int kKernels = 1000;
  static int fat_binaries[kKernels];
  std::vector<std::string> names;
  for (int i = 0; i < kKernels; ++i) names.push_back("kernel" + std::to_string(i));

  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool most = std::strcmp(arguments[1], "most") == 0;
  limit.rlim_cur = most ? limit.rlim_max : std::strtoul(arguments[1], nullptr, 10);
  if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return skip("RLIMIT_MEMLOCK is too low");
  if (!most) give_up_locking_rights();
  if (mlockall(MCL_FUTURE) != 0) return skip("mlockall is not permitted");

  const Memory before = memory();
  for (int i = 0; i < kKernels; ++i) {
    anycuda::test::register_kernel(&fat_binaries[i], names[static_cast<std::size_t>(i)].c_str());
  }
  tell("registered", before);
  int devices = 0;
  const int status = cudaGetDeviceCount(&devices);
  std::printf("devices %d:%d\n", status, devices);
  tell("called", before);
  return 0;
}
