// SPDX-License-Identifier: Apache-2.0

// NVML's facts about the machine, and about parts of a GPU: events, metrics, MIG, virtual GPUs.
// Nothing that changes the machine or the GPU is called. Handles of parts that are not there are
// refused, through the stub as natively.
#include <unistd.h>

#include "nvml_support.h"

// Later than the drivers of CUDA 13.0: natively these may be missing.
#pragma weak nvmlDeviceGetVgpuSchedulerLog_v2
#pragma weak nvmlDeviceGetVgpuSchedulerState_v2
#pragma weak nvmlEventSetGetContextCount_v1
#pragma weak nvmlEventSetGetContextData_v1
#pragma weak nvmlEventSetGetContextInfo_v1
#pragma weak nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1
#pragma weak nvmlEventSetRegisterGpuOperationalEvents_v1
#pragma weak nvmlEventSetWait_v3
#pragma weak nvmlGpuInstanceGetVgpuSchedulerLog_v2
#pragma weak nvmlGpuInstanceGetVgpuSchedulerState_v2
#pragma weak nvmlSystemGetCPER_v1
#pragma weak nvmlSystemGetConfComputeSettings_v2

namespace maths {
namespace {

void system(Check& check, nvmlDevice_t) {
  Guarded<int> first, second;
  NEED(check, nvmlSystemGetCudaDriverVersion(first.get()));
  NEED(check, nvmlSystemGetCudaDriverVersion_v2(second.get()));
  INTACT(check, first);
  INTACT(check, second);
  check.equal("CUDA of the driver", *first, *second);
  QUERY(check, nvmlSystemGetProcessName, static_cast<unsigned>(getpid()), Room<kText>{}, kText);
  QUERY(check, nvmlSystemGetHicVersion, InOut<unsigned>{8}, Room<8>{});
  QUERY(check, nvmlSystemGetTopologyGpuSet, 0, InOut<unsigned>{64}, Room<64>{});
#if CUDART_VERSION >= 12000
  nvmlSystemDriverBranchInfo_t asked{};
  asked.version = nvmlSystemDriverBranchInfo_v1;
  Guarded<nvmlSystemDriverBranchInfo_t> branch(asked);
  const unsigned length = sizeof asked.branch;
  if (NEWER(check, nvmlSystemGetDriverBranch, branch.get(), length) == NVML_SUCCESS) {
    EXPECT(check, std::memchr(branch->branch, 0, length) != nullptr && branch->branch[0] == 'r');
  }
  INTACT(check, branch);
  NEWER(check, nvmlSystemGetNvlinkBwMode, kOut);
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlSystemGetCPER_v1, InOut<nvmlGetCPER_v1_t>{});
#endif
}

// No machine with an H100 or H200 has units: they are of the S-class.
void units(Check& check, nvmlDevice_t) {
  Guarded<unsigned> count;
  if (QUERY(check, nvmlUnitGetCount, count.get()) == NVML_SUCCESS) check.value("count", *count);
  INTACT(check, count);
  QUERY(check, nvmlUnitGetHandleByIndex, 0, kOut);
  const nvmlUnit_t none = nullptr;
  QUERY(check, nvmlUnitGetUnitInfo, none, kOut);
  QUERY(check, nvmlUnitGetLedState, none, kOut);
  QUERY(check, nvmlUnitGetPsuInfo, none, kOut);
  QUERY(check, nvmlUnitGetTemperature, none, 0, kOut);
  QUERY(check, nvmlUnitGetFanSpeedInfo, none, kOut);
  QUERY(check, nvmlUnitGetDevices, none, InOut<unsigned>{8}, Room<8>{});
}

void excluded(Check& check, nvmlDevice_t device) {
  Guarded<unsigned> count;
  NEED(check, nvmlGetExcludedDeviceCount(count.get()));
  INTACT(check, count);
  QUERY(check, nvmlGetExcludedDeviceInfoByIndex, *count, kOut);
  Guarded<nvmlPciInfo_t> bus;
  NEED(check, nvmlDeviceGetPciInfo_v3(device, bus.get()));
  QUERY(check, nvmlDeviceQueryDrainState, bus.get(), kOut);
  INTACT(check, bus);
}

// A set of the process, in which nothing happens within a moment.
void events(Check& check, nvmlDevice_t device) {
  Guarded<unsigned long long> types;
  NEED(check, nvmlDeviceGetSupportedEventTypes(device, types.get()));
  INTACT(check, types);
  check.value("types", static_cast<double>(*types));
  Guarded<nvmlEventSet_t> set;
  NEED(check, nvmlEventSetCreate(set.get()));
  INTACT(check, set);
  QUERY(check, nvmlDeviceRegisterEvents, device, *types & nvmlEventTypeXidCriticalError, *set);
  QUERY(check, nvmlEventSetWait_v2, *set, kOut, 1);
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlEventSetWait_v3, *set, InOut<nvmlEventSetWait_v3_t>{});
  NEWER(check, nvmlEventSetGetContextCount_v1, *set, InOut<nvmlEventSetGetContextCount_v1_t>{});
  NEWER(check, nvmlEventSetGetContextInfo_v1, *set, InOut<nvmlEventSetGetContextInfo_v1_t>{});
  NEWER(check, nvmlEventSetGetContextData_v1, *set, InOut<nvmlEventSetGetContextData_v1_t>{});
  NEWER(check, nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1, *set,
        InOut<nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t>{});
  const nvmlGpuOperationalEventConfig_v1_t nothing{};
  NEWER(check, nvmlEventSetRegisterGpuOperationalEvents_v1, *set, &nothing);
#endif
  NEED(check, nvmlEventSetFree(*set));
}

void system_events(Check& check, nvmlDevice_t) {
#if CUDART_VERSION >= 12090
  nvmlSystemEventSetCreateRequest_t create{};
  create.version = nvmlSystemEventSetCreateRequest_v1;
  Guarded<nvmlSystemEventSetCreateRequest_t> created(create);
  if (NEWER(check, nvmlSystemEventSetCreate, created.get()) != NVML_SUCCESS) return;
  INTACT(check, created);
  nvmlSystemRegisterEventRequest_t add{};
  add.version = nvmlSystemRegisterEventRequest_v1;
  add.eventTypes = nvmlSystemEventTypeGpuDriverUnbind;
  add.set = created->set;
  Guarded<nvmlSystemRegisterEventRequest_t> added(add);
  NEWER(check, nvmlSystemRegisterEvents, added.get());
  INTACT(check, added);
  Guarded<nvmlSystemEventData_v1_t> data;
  nvmlSystemEventSetWaitRequest_t wait{};
  wait.version = nvmlSystemEventSetWaitRequest_v1;
  wait.timeoutms = 1;
  wait.set = created->set;
  wait.data = data.get();
  wait.dataSize = 1;
  Guarded<nvmlSystemEventSetWaitRequest_t> waited(wait);
  NEWER(check, nvmlSystemEventSetWait, waited.get());
  INTACT(check, waited);
  INTACT(check, data);
  nvmlSystemEventSetFreeRequest_t free{};
  free.version = nvmlSystemEventSetFreeRequest_v1;
  free.set = created->set;
  Guarded<nvmlSystemEventSetFreeRequest_t> freed(free);
  NEED(check, nvmlSystemEventSetFree(freed.get()));
  INTACT(check, freed);
#else
  (void)check;  // CUDA 11 has none
#endif
}

// How busy the SMs were between two samples, in percent.
void metrics(Check& check, nvmlDevice_t device) {
  nvmlGpmSupport_t asked{};
  asked.version = NVML_GPM_SUPPORT_VERSION;
  Guarded<nvmlGpmSupport_t> support(asked);
  const nvmlReturn_t status = QUERY(check, nvmlGpmQueryDeviceSupport, device, support.get());
  INTACT(check, support);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlGpmQueryIfStreamingEnabled, device, kOut);
#endif
  if (status != NVML_SUCCESS || support->isSupportedDevice == 0) return;
  nvmlGpmMetricsGet_t wanted{};
  wanted.version = NVML_GPM_METRICS_GET_VERSION;
  wanted.numMetrics = 1;
  wanted.metrics[0].metricId = NVML_GPM_METRIC_SM_UTIL;
  for (nvmlGpmSample_t* sample : {&wanted.sample1, &wanted.sample2}) {
    Guarded<nvmlGpmSample_t> made;
    NEED(check, nvmlGpmSampleAlloc(made.get()));
    INTACT(check, made);
    *sample = *made;
    if (QUERY(check, nvmlGpmSampleGet, device, *made) != NVML_SUCCESS) return;
    usleep(120000);
  }
  Guarded<nvmlGpmMetricsGet_t> got(wanted);
  if (QUERY(check, nvmlGpmMetricsGet, got.get()) == NVML_SUCCESS) {
    const nvmlGpmMetric_t& busy = got->metrics[0];
    if (busy.nvmlReturn == NVML_SUCCESS) EXPECT(check, busy.value >= 0 && busy.value <= 100);
  }
  INTACT(check, got);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlGpmMigSampleGet, device, 0, wanted.sample1);
#endif
  NEED(check, nvmlGpmSampleFree(wanted.sample1));
  NEED(check, nvmlGpmSampleFree(wanted.sample2));
}

void confidential(Check& check, nvmlDevice_t device) {
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlSystemGetConfComputeCapabilities, kOut);
  NEWER(check, nvmlSystemGetConfComputeState, kOut);
  NEWER(check, nvmlSystemGetConfComputeGpusReadyState, kOut);
  NEWER(check, nvmlSystemGetConfComputeSettings, Asked{1});
  NEWER(check, nvmlSystemGetConfComputeKeyRotationThresholdInfo, Asked{1});
  NEWER(check, nvmlDeviceGetConfComputeMemSizeInfo, device, kOut);
  NEWER(check, nvmlDeviceGetConfComputeProtectedMemoryUsage, device, kOut);
  NEWER(check, nvmlDeviceGetConfComputeGpuCertificate, device, kOut);
  NEWER(check, nvmlDeviceGetConfComputeGpuAttestationReport, device,
        InOut<nvmlConfComputeGpuAttestationReport_t>{});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlSystemGetConfComputeSettings_v2, Asked{2});
#endif
  (void)check;
  (void)device;
}

// What the GPU could be divided into; whether it is, the machine decides.
void mig(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetMigMode, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetMaxMigDeviceCount, device, kOut);
  QUERY(check, nvmlDeviceIsMigDeviceHandle, device, kOut);
  QUERY(check, nvmlDeviceGetAttributes_v2, device, kOut);
  QUERY(check, nvmlDeviceGetGpuInstanceId, device, kOut);
  QUERY(check, nvmlDeviceGetComputeInstanceId, device, kOut);
  QUERY(check, nvmlDeviceGetMigDeviceHandleByIndex, device, 0, kOut);
  QUERY(check, nvmlDeviceGetDeviceHandleFromMigDeviceHandle, device, kOut);
  Guarded<nvmlGpuInstanceProfileInfo_t> profile;
  if (QUERY(check, nvmlDeviceGetGpuInstanceProfileInfo, device, NVML_GPU_INSTANCE_PROFILE_1_SLICE,
            profile.get()) == NVML_SUCCESS) {
    check.value("profile", profile->id);
    check.value("processors", profile->multiprocessorCount);
    check.equal("slices", profile->sliceCount, 1);
    QUERY(check, nvmlDeviceGetGpuInstanceRemainingCapacity, device, profile->id, kOut);
    QUERY(check, nvmlDeviceGetGpuInstancePossiblePlacements_v2, device, profile->id, Room<64>{},
          InOut<unsigned>{64});
    QUERY(check, nvmlDeviceGetGpuInstances, device, profile->id, Room<64>{}, kOut);
  }
  INTACT(check, profile);
  QUERY(check, nvmlDeviceGetGpuInstanceProfileInfoV, device, NVML_GPU_INSTANCE_PROFILE_1_SLICE,
        Asked{2});
  QUERY(check, nvmlDeviceGetGpuInstanceById, device, 0, kOut);
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetGpuInstanceProfileInfoByIdV, device, 0, Asked{2});
#endif
  const nvmlGpuInstance_t none = nullptr;
  QUERY(check, nvmlGpuInstanceGetInfo, none, kOut);
  QUERY(check, nvmlGpuInstanceGetComputeInstanceProfileInfo, none, 0, 0, kOut);
  QUERY(check, nvmlGpuInstanceGetComputeInstanceProfileInfoV, none, 0, 0, Asked{2});
  QUERY(check, nvmlGpuInstanceGetComputeInstanceRemainingCapacity, none, 0, kOut);
  QUERY(check, nvmlGpuInstanceGetComputeInstances, none, 0, Room<64>{}, kOut);
  QUERY(check, nvmlGpuInstanceGetComputeInstanceById, none, 0, kOut);
  const nvmlComputeInstance_t no_part = nullptr;
  QUERY(check, nvmlComputeInstanceGetInfo_v2, no_part, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlGpuInstanceGetComputeInstancePossiblePlacements, none, 0, Room<64>{},
        InOut<unsigned>{64});
#endif
}

// Of a GPU that can be shared by virtual machines.
void virtual_host(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetHostVgpuMode, device, kOut);
  QUERY(check, nvmlDeviceGetSupportedVgpus, device, InOut<unsigned>{128}, Room<128>{});
  QUERY(check, nvmlDeviceGetCreatableVgpus, device, InOut<unsigned>{128}, Room<128>{});
  QUERY(check, nvmlDeviceGetActiveVgpus, device, InOut<unsigned>{128}, Room<128>{});
  QUERY(check, nvmlDeviceGetVgpuMetadata, device, Room<1>{}, InOut<unsigned>{0});
  QUERY(check, nvmlDeviceGetPgpuMetadataString, device, Room<kText>{}, InOut<unsigned>{kText});
  QUERY(check, nvmlDeviceGetVgpuUtilization, device, 0, kOut, InOut<unsigned>{16}, Room<16>{});
  QUERY(check, nvmlDeviceGetVgpuProcessUtilization, device, 0, InOut<unsigned>{16}, Room<16>{});
  QUERY(check, nvmlGetVgpuVersion, kOut, kOut);
  QUERY(check, nvmlGetVgpuCompatibility, InOut<nvmlVgpuMetadata_t>{},
        InOut<nvmlVgpuPgpuMetadata_t>{}, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlGetVgpuDriverCapabilities, NVML_VGPU_DRIVER_CAP_HETEROGENEOUS_MULTI_VGPU, kOut);
  NEWER(check, nvmlDeviceGetVgpuCapabilities, device, NVML_DEVICE_VGPU_CAP_FRACTIONAL_MULTI_VGPU,
        kOut);
  NEWER(check, nvmlDeviceGetVgpuHeterogeneousMode, device, Asked{1});
  NEWER(check, nvmlDeviceGetVgpuInstancesUtilizationInfo, device, Asked{1});
  NEWER(check, nvmlDeviceGetVgpuProcessesUtilizationInfo, device, Asked{1});
  NEWER(check, nvmlDeviceGetVgpuSchedulerCapabilities, device, kOut);
  NEWER(check, nvmlDeviceGetVgpuSchedulerLog, device, kOut);
  NEWER(check, nvmlDeviceGetVgpuSchedulerState, device, kOut);
  NEWER(check, nvmlDeviceGetVgpuTypeSupportedPlacements, device, 0, Asked{2});
  NEWER(check, nvmlDeviceGetVgpuTypeCreatablePlacements, device, 0, Asked{2});
#endif
#if CUDART_VERSION >= 12090
  const nvmlGpuInstance_t none = nullptr;
  NEWER(check, nvmlGpuInstanceGetCreatableVgpus, none, Asked{1});
  NEWER(check, nvmlGpuInstanceGetActiveVgpus, none, Asked{1});
  NEWER(check, nvmlGpuInstanceGetVgpuHeterogeneousMode, none, Asked{1});
  NEWER(check, nvmlGpuInstanceGetVgpuSchedulerState, none, Asked{1});
  NEWER(check, nvmlGpuInstanceGetVgpuSchedulerLog, none, Asked{1});
  NEWER(check, nvmlGpuInstanceGetVgpuTypeCreatablePlacements, none, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetVgpuSchedulerLog_v2, device, InOut<nvmlVgpuSchedulerLogInfo_v2_t>{});
  NEWER(check, nvmlDeviceGetVgpuSchedulerState_v2, device,
        InOut<nvmlVgpuSchedulerStateInfo_v2_t>{});
  NEWER(check, nvmlGpuInstanceGetVgpuSchedulerLog_v2, none, InOut<nvmlVgpuSchedulerLogInfo_v2_t>{});
  NEWER(check, nvmlGpuInstanceGetVgpuSchedulerState_v2, none,
        InOut<nvmlVgpuSchedulerStateInfo_v2_t>{});
#endif
}

// A type that does not exist.
void virtual_types(Check& check, nvmlDevice_t device) {
  constexpr nvmlVgpuTypeId_t kNone = 0;
  QUERY(check, nvmlVgpuTypeGetClass, kNone, Room<kText>{}, InOut<unsigned>{kText});
  QUERY(check, nvmlVgpuTypeGetName, kNone, Room<kText>{}, InOut<unsigned>{kText});
  QUERY(check, nvmlVgpuTypeGetGpuInstanceProfileId, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetDeviceID, kNone, kOut, kOut);
  QUERY(check, nvmlVgpuTypeGetFramebufferSize, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetNumDisplayHeads, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetResolution, kNone, 0, kOut, kOut);
  QUERY(check, nvmlVgpuTypeGetLicense, kNone, Room<128>{}, 128);
  QUERY(check, nvmlVgpuTypeGetFrameRateLimit, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetMaxInstances, device, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetMaxInstancesPerVm, kNone, kOut);
  QUERY(check, nvmlVgpuTypeGetCapabilities, kNone, NVML_VGPU_CAP_NVLINK_P2P, kOut);
#if CUDART_VERSION >= 12090
  NEWER(check, nvmlVgpuTypeGetBAR1Info, kNone, Asked{1});
  NEWER(check, nvmlVgpuTypeGetFbReservation, kNone, kOut);
  NEWER(check, nvmlVgpuTypeGetGspHeapSize, kNone, kOut);
  NEWER(check, nvmlVgpuTypeGetMaxInstancesPerGpuInstance, Asked{1});
#endif
}

// An instance that does not run.
void virtual_instances(Check& check, nvmlDevice_t) {
  constexpr nvmlVgpuInstance_t kNone = 0;
  QUERY(check, nvmlVgpuInstanceGetVmID, kNone, Room<kText>{}, kText, kOut);
  QUERY(check, nvmlVgpuInstanceGetUUID, kNone, Room<kText>{}, kText);
  QUERY(check, nvmlVgpuInstanceGetMdevUUID, kNone, Room<kText>{}, kText);
  QUERY(check, nvmlVgpuInstanceGetVmDriverVersion, kNone, Room<kText>{}, kText);
  QUERY(check, nvmlVgpuInstanceGetFbUsage, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetLicenseStatus, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetLicenseInfo_v2, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetType, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetFrameRateLimit, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetEccMode, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetGpuInstanceId, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetGpuPciId, kNone, Room<kText>{}, InOut<unsigned>{kText});
  QUERY(check, nvmlVgpuInstanceGetMetadata, kNone, Room<1>{}, InOut<unsigned>{0});
  QUERY(check, nvmlVgpuInstanceGetEncoderCapacity, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetEncoderStats, kNone, kOut, kOut, kOut);
  QUERY(check, nvmlVgpuInstanceGetEncoderSessions, kNone, InOut<unsigned>{8}, Room<8>{});
  QUERY(check, nvmlVgpuInstanceGetFBCStats, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetFBCSessions, kNone, InOut<unsigned>{8}, Room<8>{});
  QUERY(check, nvmlVgpuInstanceGetAccountingMode, kNone, kOut);
  QUERY(check, nvmlVgpuInstanceGetAccountingPids, kNone, InOut<unsigned>{8}, Room<8>{});
  QUERY(check, nvmlVgpuInstanceGetAccountingStats, kNone, 1, kOut);
#if CUDART_VERSION >= 12090
  NEWER(check, nvmlVgpuInstanceGetPlacementId, kNone, Asked{1});
  NEWER(check, nvmlVgpuInstanceGetRuntimeStateSize, kNone, Asked{1});
#endif
}

void again(Check& check, nvmlDevice_t) {
  NEED(check, nvmlInitWithFlags(0));  // counted: the process shuts down as often
  NEED(check, nvmlShutdown());
}

}  // namespace

void run() {
  run_on_device("nvml_system", {{"system", system},
                                {"units", units},
                                {"excluded", excluded},
                                {"events", events},
                                {"system_events", system_events},
                                {"metrics", metrics},
                                {"confidential", confidential},
                                {"mig", mig},
                                {"virtual_host", virtual_host},
                                {"virtual_types", virtual_types},
                                {"virtual_instances", virtual_instances},
                                {"again", again}});
}

}  // namespace maths
