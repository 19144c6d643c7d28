// SPDX-License-Identifier: Apache-2.0

// NVML's facts about a GPU, family by family; numbers that CUDA has too are compared. Nothing
// that changes the GPU is called.
#include "nvml_support.h"

// Later than the drivers of CUDA 13.0: natively these may be missing.
#pragma weak nvmlDeviceGetAdaptiveTgpModeInfo_v1
#pragma weak nvmlDeviceGetBBXTimeData_v1
#pragma weak nvmlDeviceGetGpuUptime_v1
#pragma weak nvmlDeviceGetMemoryLimits_v1
#pragma weak nvmlDevicePerfMetricsGetSamples_v1

namespace maths {
namespace {

double attribute(Check& check, cudaDeviceAttr which) {
  Guarded<int> value;
  CALL(check, cudaDeviceGetAttribute(value.get(), which, 0));
  INTACT(check, value);
  return *value;
}

// The same GPU under each of its names.
void handles(Check& check, nvmlDevice_t device) {
  Guarded<unsigned> index;
  Guarded<nvmlDevice_t> by_index;
  NEED(check, nvmlDeviceGetIndex(device, index.get()));
  NEED(check, nvmlDeviceGetHandleByIndex_v2(*index, by_index.get()));
  INTACT(check, index);
  INTACT(check, by_index);
  EXPECT(check, *by_index == device);
  Guarded<Text> serial;
  if (nvmlDeviceGetSerial(device, *serial, kText) == NVML_SUCCESS) {
    QUERY(check, nvmlDeviceGetHandleBySerial, *serial.get(), kOut);
  }
  INTACT(check, serial);
#if CUDART_VERSION >= 12090
  Guarded<Text> uuid;
  Guarded<nvmlDevice_t> by_uuid;
  NEED(check, nvmlDeviceGetUUID(device, *uuid, kText));
  INTACT(check, uuid);
  nvmlUUID_t asked{};
  asked.version = nvmlUUID_v1;
  asked.type = NVML_UUID_TYPE_ASCII;
  std::memcpy(asked.value.str, *uuid, sizeof asked.value.str);
  Guarded<nvmlUUID_t> name(asked);
  if (NEWER(check, nvmlDeviceGetHandleByUUIDV, name.get(), by_uuid.get()) == NVML_SUCCESS) {
    EXPECT(check, *by_uuid == device);
  }
#endif
}

void identity(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetBrand, device, kOut);
  QUERY(check, nvmlDeviceGetSerial, device, Room<kText>{}, kText);
  QUERY(check, nvmlDeviceGetMinorNumber, device, kOut);
  QUERY(check, nvmlDeviceGetBoardPartNumber, device, Room<kText>{}, kText);
  QUERY(check, nvmlDeviceGetBoardId, device, kOut);
  QUERY(check, nvmlDeviceGetMultiGpuBoard, device, kOut);
  QUERY(check, nvmlDeviceGetVbiosVersion, device, Room<kText>{}, kText);
  QUERY(check, nvmlDeviceGetInforomVersion, device, NVML_INFOROM_OEM, Room<kText>{}, kText);
  QUERY(check, nvmlDeviceGetInforomImageVersion, device, Room<kText>{}, kText);
  QUERY(check, nvmlDeviceGetInforomConfigurationChecksum, device, kOut);
  QUERY(check, nvmlDeviceValidateInforom, device);
  QUERY(check, nvmlDeviceGetBridgeChipInfo, device, kOut);
  QUERY(check, nvmlDeviceGetGspFirmwareVersion, device, Room<kText>{});
  QUERY(check, nvmlDeviceGetGspFirmwareMode, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetGridLicensableFeatures_v4, device, kOut);
  Guarded<nvmlDeviceArchitecture_t> architecture;
  NEED(check, nvmlDeviceGetArchitecture(device, architecture.get()));
  INTACT(check, architecture);
  check.value("architecture", *architecture);
  Guarded<unsigned> cores;
  NEED(check, nvmlDeviceGetNumGpuCores(device, cores.get()));
  INTACT(check, cores);
  EXPECT(check, *cores % static_cast<unsigned>(properties_of(check).multiProcessorCount) == 0);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetModuleId, device, kOut);
  NEWER(check, nvmlDeviceGetNumaNodeId, device, kOut);
  NEWER(check, nvmlDeviceGetCapabilities, device, Asked{1});
  NEWER(check, nvmlDeviceGetPlatformInfo, device, Asked{2});
  NEWER(check, nvmlDeviceGetC2cModeInfoV, device, kOut);
  NEWER(check, nvmlDeviceGetLastBBXFlushTime, device, kOut, kOut);
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetHostname_v1, device, kOut);
  NEWER(check, nvmlDeviceGetPdi, device, Asked{1});
  NEWER(check, nvmlDeviceGetAddressingMode, device, Asked{1});
  NEWER(check, nvmlDeviceGetGpuUptime_v1, device, kOut);
  NEWER(check, nvmlDeviceGetBBXTimeData_v1, device, kOut);
#endif
}

void modes(Check& check, nvmlDevice_t device) {
  Guarded<nvmlComputeMode_t> mode;
  NEED(check, nvmlDeviceGetComputeMode(device, mode.get()));
  INTACT(check, mode);
  check.equal("compute mode", *mode, attribute(check, cudaDevAttrComputeMode));
  QUERY(check, nvmlDeviceGetDisplayMode, device, kOut);
  QUERY(check, nvmlDeviceGetDisplayActive, device, kOut);
  QUERY(check, nvmlDeviceGetPersistenceMode, device, kOut);
  QUERY(check, nvmlDeviceGetDriverModel, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetGpuOperationMode, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetAPIRestriction, device, NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS,
        kOut);
  QUERY(check, nvmlDeviceGetVirtualizationMode, device, kOut);
}

void pcie(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetMaxPcieLinkGeneration, device, kOut);
  QUERY(check, nvmlDeviceGetMaxPcieLinkWidth, device, kOut);
  QUERY(check, nvmlDeviceGetCurrPcieLinkGeneration, device, kOut);
  QUERY(check, nvmlDeviceGetCurrPcieLinkWidth, device, kOut);
  QUERY(check, nvmlDeviceGetPcieThroughput, device, NVML_PCIE_UTIL_TX_BYTES, kOut);
  QUERY(check, nvmlDeviceGetPcieReplayCounter, device, kOut);
  QUERY(check, nvmlDeviceGetPcieLinkMaxSpeed, device, kOut);
  QUERY(check, nvmlDeviceGetPcieSpeed, device, kOut);
  QUERY(check, nvmlDeviceGetBusType, device, kOut);
  QUERY(check, nvmlDeviceGetIrqNum, device, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetGpuMaxPcieLinkGeneration, device, kOut);
  nvmlPciInfoExt_t asked{};
  asked.version = nvmlPciInfoExt_v1;
  Guarded<nvmlPciInfoExt_t> place(asked);
  if (NEWER(check, nvmlDeviceGetPciInfoExt, device, place.get()) == NVML_SUCCESS) {
    const cudaDeviceProp properties = properties_of(check);
    check.equal("domain", place->domain, properties.pciDomainID);
    check.equal("bus", place->bus, properties.pciBusID);
  }
  INTACT(check, place);
#endif
}

void clocks(Check& check, nvmlDevice_t device) {
  Guarded<unsigned> fastest, of_memory;
  NEED(check, nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, fastest.get()));
  NEED(check, nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, of_memory.get()));
  INTACT(check, fastest);
  INTACT(check, of_memory);
  check.equal("clock in kHz", *fastest * 1000.0, attribute(check, cudaDevAttrClockRate));
  check.equal("memory's clock in kHz", *of_memory * 1000.0,
              attribute(check, cudaDevAttrMemoryClockRate));
  constexpr unsigned kMost = 512;
  Guarded<unsigned> count(kMost);
  Guarded<unsigned[kMost]> all;
  NEED(check, nvmlDeviceGetSupportedMemoryClocks(device, count.get(), *all));
  INTACT(check, count);
  INTACT(check, all);
  EXPECT(check, *count > 0 && *count <= kMost && std::count(*all, *all + *count, *of_memory) == 1);
  QUERY(check, nvmlDeviceGetSupportedGraphicsClocks, device, *of_memory, InOut<unsigned>{kMost},
        Room<kMost>{});
  QUERY(check, nvmlDeviceGetClock, device, NVML_CLOCK_SM, NVML_CLOCK_ID_CURRENT, kOut);
  QUERY(check, nvmlDeviceGetMaxCustomerBoostClock, device, NVML_CLOCK_SM, kOut);
  QUERY(check, nvmlDeviceGetApplicationsClock, device, NVML_CLOCK_SM, kOut);
  QUERY(check, nvmlDeviceGetDefaultApplicationsClock, device, NVML_CLOCK_SM, kOut);
  QUERY(check, nvmlDeviceGetAutoBoostedClocksEnabled, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetAdaptiveClockInfoStatus, device, kOut);
  QUERY(check, nvmlDeviceGetClkMonStatus, device, kOut);
  QUERY(check, nvmlDeviceGetGpcClkVfOffset, device, kOut);
  QUERY(check, nvmlDeviceGetMemClkVfOffset, device, kOut);
  QUERY(check, nvmlDeviceGetGpcClkMinMaxVfOffset, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetMemClkMinMaxVfOffset, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetCurrentClocksThrottleReasons, device, kOut);
  QUERY(check, nvmlDeviceGetSupportedClocksThrottleReasons, device, kOut);
  QUERY(check, nvmlDeviceGetViolationStatus, device, NVML_PERF_POLICY_POWER, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetCurrentClocksEventReasons, device, kOut);
  NEWER(check, nvmlDeviceGetSupportedClocksEventReasons, device, kOut);
  NEWER(check, nvmlDeviceGetClockOffsets, device, Asked{1});
  NEWER(check, nvmlDeviceGetCurrentClockFreqs, device, Asked{1});
#endif
}

void performance(Check& check, nvmlDevice_t device) {
  Guarded<nvmlPstates_t> state, again;
  NEED(check, nvmlDeviceGetPerformanceState(device, state.get()));
  NEED(check, nvmlDeviceGetPowerState(device, again.get()));
  INTACT(check, state);
  INTACT(check, again);
  EXPECT(check, *state <= NVML_PSTATE_15 && *again <= NVML_PSTATE_15);
  QUERY(check, nvmlDeviceGetMinMaxClockOfPState, device, NVML_CLOCK_SM, *state, kOut, kOut);
  QUERY(check, nvmlDeviceGetSupportedPerformanceStates, device, Room<NVML_MAX_GPU_PERF_PSTATES>{},
        static_cast<unsigned>(NVML_MAX_GPU_PERF_PSTATES * sizeof(nvmlPstates_t)));
  QUERY(check, nvmlDeviceGetDynamicPstatesInfo, device, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetPerformanceModes, device, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDevicePerfMetricsGetSamples_v1, device, InOut<nvmlPerfMetricsSamples_v1_t>{});
#endif
}

void power(Check& check, nvmlDevice_t device) {
  Guarded<unsigned> lowest, highest, limit;
  NEED(check, nvmlDeviceGetPowerManagementLimitConstraints(device, lowest.get(), highest.get()));
  NEED(check, nvmlDeviceGetPowerManagementLimit(device, limit.get()));
  INTACT(check, lowest);
  INTACT(check, highest);
  INTACT(check, limit);
  check.value("lowest", *lowest);
  check.value("highest", *highest);
  EXPECT(check, *lowest <= *limit && *limit <= *highest);
  QUERY(check, nvmlDeviceGetPowerManagementMode, device, kOut);
  QUERY(check, nvmlDeviceGetPowerManagementDefaultLimit, device, kOut);
  QUERY(check, nvmlDeviceGetPowerSource, device, kOut);
  Guarded<unsigned long long> energy, later;
  if (QUERY(check, nvmlDeviceGetTotalEnergyConsumption, device, energy.get()) == NVML_SUCCESS &&
      CALL(check, nvmlDeviceGetTotalEnergyConsumption(device, later.get()))) {
    EXPECT(check, *later >= *energy);
  }
  INTACT(check, energy);
  INTACT(check, later);
#if CUDART_VERSION < 12000
  NEWER(check, nvmlDeviceGetPowerMode, device, kOut);
  NEWER(check, nvmlDeviceGetSupportedPowerModes, device, kOut);
#else
  NEWER(check, nvmlDeviceWorkloadPowerProfileGetProfilesInfo, device, Asked{1});
  NEWER(check, nvmlDeviceWorkloadPowerProfileGetCurrentProfiles, device, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetPowerMizerMode_v1, device, kOut);
  NEWER(check, nvmlDeviceGetAdaptiveTgpModeInfo_v1, device, InOut<nvmlAdaptiveTgpModeInfo_v1_t>{});
#endif
}

void cooling(Check& check, nvmlDevice_t device) {
  Guarded<unsigned> slowdown;
  if (QUERY(check, nvmlDeviceGetTemperatureThreshold, device, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN,
            slowdown.get()) == NVML_SUCCESS) {
    EXPECT(check, *slowdown > 40 && *slowdown < 150);
  }
  INTACT(check, slowdown);
  QUERY(check, nvmlDeviceGetThermalSettings, device, 0, kOut);
  QUERY(check, nvmlDeviceGetNumFans, device, kOut);
  QUERY(check, nvmlDeviceGetFanSpeed, device, kOut);
  QUERY(check, nvmlDeviceGetFanSpeed_v2, device, 0, kOut);
  QUERY(check, nvmlDeviceGetTargetFanSpeed, device, 0, kOut);
  QUERY(check, nvmlDeviceGetMinMaxFanSpeed, device, kOut, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetFanControlPolicy_v2, device, 0, kOut);
  NEWER(check, nvmlDeviceGetFanSpeedRPM, device, Asked{1});
  NEWER(check, nvmlDeviceGetCoolerInfo, device, Asked{1});
  NEWER(check, nvmlDeviceGetTemperatureV, device, Asked{1});
  NEWER(check, nvmlDeviceGetMarginTemperature, device, Asked{1});
#endif
}

void memory(Check& check, nvmlDevice_t device) {
  Guarded<nvmlBAR1Memory_t> window;
  NEED(check, nvmlDeviceGetBAR1MemoryInfo(device, window.get()));
  INTACT(check, window);
  EXPECT(check, window->bar1Free + window->bar1Used == window->bar1Total);
  Guarded<unsigned> width;
  NEED(check, nvmlDeviceGetMemoryBusWidth(device, width.get()));
  INTACT(check, width);
  check.equal("bus width", *width, attribute(check, cudaDevAttrGlobalMemoryBusWidth));
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetDramEncryptionMode, device, Asked{1}, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetMemoryLimits_v1, device, InOut<nvmlGetMemoryLimits_v1_t>{});
#endif
}

}  // namespace

void run() {
  run_on_device("nvml_device", {{"handles", handles},
                                {"identity", identity},
                                {"modes", modes},
                                {"pcie", pcie},
                                {"clocks", clocks},
                                {"performance", performance},
                                {"power", power},
                                {"cooling", cooling},
                                {"memory", memory}});
}

}  // namespace maths
