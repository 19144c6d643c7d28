// SPDX-License-Identifier: Apache-2.0

// The computer's equipment by its files: containers, WSL, GPUs, device files, limits. This file
// only collects facts; packaging/python/anycuda/doctor/ decides which of them matter.
//
// Sources: proc(5), cgroups(7), sysfs-bus-pci (the kernel's ABI documentation); NVIDIA driver
// README, "The /proc Interface" (/proc/driver/nvidia); NVIDIA's "CUDA on WSL" (/usr/lib/wsl/lib,
// /dev/dxg); Apptainer's "GPU Support" (--nv: /.singularity.d/libs).
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/base/environment.h"
#include "compat/base/folder_entries.h"
#include "compat/doctor/ask.h"
#include "compat/doctor/files.h"
#include "compat/doctor/record_writer.h"

namespace anycuda::doctor {
namespace {

// Below the root. Files that are read, and names of which only the presence is known.
struct Fact {
  const char* name;
  const char* path;
};
constexpr Fact kTexts[] = {
    {"os_release", "etc/os-release"},
    {"kernel", "proc/version"},
    {"kernel_driver", "proc/driver/nvidia/version"},
    {"init_cgroup", "proc/1/cgroup"},
    {"cgroup", "proc/self/cgroup"},
    {"mounts", "proc/self/mountinfo"},
    {"overcommit", "proc/sys/vm/overcommit_memory"},
};
constexpr Fact kNames[] = {
    {"docker", ".dockerenv"},
    {"podman", "run/.containerenv"},
    {"apptainer", ".singularity.d"},
    {"apptainer_driver", ".singularity.d/libs/libcuda.so.1"},
    {"kubernetes", "var/run/secrets/kubernetes.io"},
    {"kubernetes", "run/secrets/kubernetes.io"},
    {"wsl_driver", "usr/lib/wsl/lib/libcuda.so.1"},
    {"wsl_device", "dev/dxg"},
    {"nouveau", "sys/module/nouveau"},
};

constexpr char kNvidia[] = "0x10de";  // PCI's vendor
constexpr char kDisplay[] = "0x03";   // PCI's class of display controllers, with what follows
constexpr int kMostEntries = 4096;    // of a folder: no computer has as many devices

struct Walk {
  const char* folder;
  Arena* arena;
  RecordWriter* records;
  int entries = 0;

  // A name of the folder that counts; nullptr else.
  const char* path_of(const char* name) {
    const bool counts = *name != '.' && ++entries <= kMostEntries;
    return counts ? arena->join(folder, name) : nullptr;
  }
};

char text[1 << 16];  // one question in a process (ask.h)

void write_texts(const char* root, Arena* arena, RecordWriter* records) {
  for (const Fact& fact : kTexts) {
    const std::size_t mark = arena->mark();
    const char* path = arena->join(root, fact.path);
    if (path == nullptr) continue;
    const int error = read_text(path, text, sizeof text);
    records->begin("fact")
        .field("name", fact.name)
        .field("path", path)
        .field("error", error)
        .field("text", text)
        .end();
    arena->rewind(mark);
  }
}

void write_names(const char* root, Arena* arena, RecordWriter* records) {
  for (const Fact& fact : kNames) {
    const std::size_t mark = arena->mark();
    const char* path = arena->join(root, fact.path);
    if (path != nullptr && access(path, F_OK) == 0) {
      records->begin("fact").field("name", fact.name).field("path", path).end();
    }
    arena->rewind(mark);
  }
}

const char* read_below(Walk* walk, const char* device, const char* name, char* buffer,
                       std::size_t size) {
  const char* path = walk->arena->join(device, name);
  if (path == nullptr || read_text(path, buffer, size) != 0) return "";
  buffer[std::strcspn(buffer, "\n")] = '\0';
  return buffer;
}

void write_pci_device(const char* name, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const std::size_t mark = walk->arena->mark();
  char vendor[16];
  char kind[16];
  const char* device = walk->path_of(name);
  const bool gpu =
      device != nullptr &&
      std::strcmp(read_below(walk, device, "vendor", vendor, sizeof vendor), kNvidia) == 0 &&
      std::strncmp(read_below(walk, device, "class", kind, sizeof kind), kDisplay,
                   sizeof kDisplay - 1) == 0;
  if (gpu) {
    char driver[PATH_MAX];
    const char* link = walk->arena->join(device, "driver");
    const ssize_t length = link != nullptr ? readlink(link, driver, sizeof driver - 1) : -1;
    driver[length > 0 ? length : 0] = '\0';
    const char* slash = std::strrchr(driver, '/');
    walk->records->begin("pci_gpu")
        .field("address", name)
        .field("driver", slash != nullptr ? slash + 1 : driver)
        .end();
  }
  walk->arena->rewind(mark);
}

void write_driver_gpu(const char* name, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const std::size_t mark = walk->arena->mark();
  const char* device = walk->path_of(name);
  const char* path = device != nullptr ? walk->arena->join(device, "information") : nullptr;
  if (path != nullptr) {
    read_text(path, text, 4096);
    walk->records->begin("driver_gpu").field("address", name).field("text", text).end();
  }
  walk->arena->rewind(mark);
}

void write_device_file(const char* name, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const std::size_t mark = walk->arena->mark();
  if (const char* path = walk->path_of(name)) {
    const int error = access(path, R_OK | W_OK) == 0 ? 0 : errno;
    walk->records->begin("device").field("name", name).field("error", error).end();
  }
  walk->arena->rewind(mark);
}

void write_folder(const char* root, const char* folder, const char* prefix,
                  void (*visit)(const char*, void*), Arena* arena, RecordWriter* records) {
  Walk walk{arena->join(root, folder), arena, records};
  if (walk.folder != nullptr) each_entry(walk.folder, prefix, arena, visit, &walk);
}

void write_limits(RecordWriter* records) {
  rlimit limit;
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  records->begin("limit")
      .field("name", "address_space")
      .field("bytes", limited ? static_cast<long long>(limit.rlim_cur) : -1LL)
      .end();
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_machine(int file) {
  using namespace anycuda::doctor;  // NOLINT(google-build-using-namespace)
  anycuda::Arena arena;
  if (!arena.usable()) return ENOMEM;
  RecordWriter records(file);
  const char* root = anycuda::system_root();
  write_limits(&records);
  write_texts(root, &arena, &records);
  write_names(root, &arena, &records);
  write_folder(root, "dev", "nvidia", write_device_file, &arena, &records);
  write_folder(root, "proc/driver/nvidia/gpus", "", write_driver_gpu, &arena, &records);
  write_folder(root, "sys/bus/pci/devices", "", write_pci_device, &arena, &records);
  return records.complete() ? 0 : EIO;
}
