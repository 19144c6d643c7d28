// SPDX-License-Identifier: Apache-2.0

// NVML's facts about the GPUs, against the CUDA runtime's.
#include "nvml_support.h"

namespace maths {
namespace {

void versions(Check& check) {
  Guarded<Text> driver, own;
  Guarded<int> cuda;
  NEED(check, nvmlSystemGetDriverVersion(*driver, kText));
  NEED(check, nvmlSystemGetNVMLVersion(*own, kText));
  NEED(check, nvmlSystemGetCudaDriverVersion_v2(cuda.get()));
  INTACT(check, driver);
  INTACT(check, own);
  INTACT(check, cuda);
  EXPECT(check,
         std::strstr(*own, *driver) != nullptr);  // 12.535.183.01 is of the driver 535.183.01
  int known = 0;
  NEED(check, cudaDriverGetVersion(&known));
  check.equal("CUDA of the driver", *cuda, known);
  EXPECT(check,
         std::strcmp(nvmlErrorString(NVML_SUCCESS), nvmlErrorString(NVML_ERROR_UNKNOWN)) != 0);
}

void device(Check& check) {
  cudaDeviceProp properties;
  NEED(check, cudaGetDeviceProperties(&properties, 0));
  const nvmlDevice_t handle = first_device(check);
  if (handle == nullptr) return;
  Guarded<Text> name, uuid;
  NEED(check, nvmlDeviceGetName(handle, *name, kText));
  NEED(check, nvmlDeviceGetUUID(handle, *uuid, kText));
  INTACT(check, name);
  INTACT(check, uuid);
  EXPECT(check, std::strcmp(*name, properties.name) == 0);
  EXPECT(check, std::strncmp(*uuid, "GPU-", 4) == 0 || std::strncmp(*uuid, "MIG-", 4) == 0);
  Guarded<int> major, minor;
  NEED(check, nvmlDeviceGetCudaComputeCapability(handle, major.get(), minor.get()));
  check.equal("major", *major, properties.major);
  check.equal("minor", *minor, properties.minor);
  INTACT(check, major);
  INTACT(check, minor);
  Guarded<nvmlPciInfo_t> bus;
  NEED(check, nvmlDeviceGetPciInfo_v3(handle, bus.get()));
  INTACT(check, bus);
  check.equal("bus", bus->bus, properties.pciBusID);
  check.equal("device", bus->device, properties.pciDeviceID);
  Guarded<nvmlDevice_t> again;
  NEED(check, nvmlDeviceGetHandleByUUID(*uuid, again.get()));
  INTACT(check, again);
  EXPECT(check, *again == handle);
}

void memory(Check& check) {
  std::size_t free = 0, total = 0;
  NEED(check, cudaMemGetInfo(&free, &total));
  const nvmlDevice_t handle = first_device(check);
  if (handle == nullptr) return;
  Guarded<nvmlMemory_t> first;
  NEED(check, nvmlDeviceGetMemoryInfo(handle, first.get()));
  INTACT(check, first);
  const double all = static_cast<double>(first->total);
  EXPECT(check, all >= static_cast<double>(total) && all < static_cast<double>(total) * 1.05);
  nvmlMemory_v2_t asked{};
  asked.version = nvmlMemory_v2;
  Guarded<nvmlMemory_v2_t> second(asked);
  NEED(check, nvmlDeviceGetMemoryInfo_v2(handle, second.get()));
  INTACT(check, second);
  check.equal("total", static_cast<double>(second->total), all);
}

// What it measures is chance; that it is there, and stays in its place, is not.
void measurements(Check& check) {
  const nvmlDevice_t handle = first_device(check);
  if (handle == nullptr) return;
  Guarded<nvmlUtilization_t> use;
  Guarded<unsigned> temperature, power, clock, limit;
  NEED(check, nvmlDeviceGetUtilizationRates(handle, use.get()));
  NEED(check, nvmlDeviceGetTemperature(handle, NVML_TEMPERATURE_GPU, temperature.get()));
  NEED(check, nvmlDeviceGetPowerUsage(handle, power.get()));
  NEED(check, nvmlDeviceGetClockInfo(handle, NVML_CLOCK_SM, clock.get()));
  NEED(check, nvmlDeviceGetEnforcedPowerLimit(handle, limit.get()));
  INTACT(check, use);
  INTACT(check, temperature);
  INTACT(check, power);
  INTACT(check, clock);
  INTACT(check, limit);
  EXPECT(check, use->gpu <= 100 && use->memory <= 100);
  EXPECT(check, *temperature > 5 && *temperature < 120);
  EXPECT(check, *power > 1000 && *power < 2000000);
  EXPECT(check, *clock > 0 && *limit > 0);
}

void processes(Check& check) {
  const nvmlDevice_t handle = first_device(check);
  if (handle == nullptr) return;
  constexpr unsigned kMost = 64;
  Guarded<nvmlProcessInfo_t[kMost]> all;
  Guarded<unsigned> count(kMost);
  NEED(check, nvmlDeviceGetComputeRunningProcesses(handle, count.get(), *all));
  INTACT(check, all);
  INTACT(check, count);
  EXPECT(check, *count <= kMost);
}

void refusals(Check& check) {
  Guarded<nvmlDevice_t> handle;
  REFUSED(check, NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex_v2(9999, handle.get()));
  EXPECT(check, handle.intact());
  Guarded<Text> name;
  const nvmlDevice_t first = first_device(check);
  if (first == nullptr) return;
  REFUSED(check, NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(first, *name, 1));
  EXPECT(check, name.intact());
}

}  // namespace

void run() {
  {
    Check check("nvml.init");
    Guarded<unsigned> count;
    NEED(check, nvmlInit_v2());
    NEED(check, nvmlDeviceGetCount_v2(count.get()));
    INTACT(check, count);
    check.value("devices", *count);
    EXPECT(check, *count >= 1);
  }
  run_topics<>("nvml", {{"versions", versions},
                        {"device", device},
                        {"memory", memory},
                        {"measurements", measurements},
                        {"processes", processes},
                        {"refusals", refusals}});
  Check check("nvml.shutdown");
  CALL(check, nvmlShutdown());
  Guarded<unsigned> count;
  REFUSED(check, NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount_v2(count.get()));
  INTACT(check, count);
}

}  // namespace maths
