// SPDX-License-Identifier: Apache-2.0

// NVML's counters of a GPU: errors, work, processes; and its links and neighbours. Nothing that
// changes the GPU is called.
#include "nvml_support.h"

// Later than the drivers of CUDA 13.0: natively these may be missing.
#pragma weak nvmlDeviceGetAccountingStats_v2
#pragma weak nvmlDeviceGetBankRemapperStatus_v1
#pragma weak nvmlDeviceGetGpuFabricInfo_v4
#pragma weak nvmlDeviceGetNvLinkInfo_v3
#pragma weak nvmlDeviceGetNvLinkTelemetrySamples_v1
#pragma weak nvmlDeviceGetNvlinkNvlePrivateInfo_v1
#pragma weak nvmlDeviceGetNvlinkRemapTableInfo_v1
#pragma weak nvmlDeviceGetRemappedRows_v2
#pragma weak nvmlDeviceGetUnrepairableMemoryFlag_v1
#pragma weak nvmlDeviceReadPRMCounters_v1

namespace maths {
namespace {

void errors(Check& check, nvmlDevice_t device) {
  Guarded<nvmlEnableState_t> now, later;
  if (QUERY(check, nvmlDeviceGetEccMode, device, now.get(), later.get()) == NVML_SUCCESS) {
    check.equal("ECC", *now, properties_of(check).ECCEnabled);
  }
  INTACT(check, now);
  INTACT(check, later);
  QUERY(check, nvmlDeviceGetDefaultEccMode, device, kOut);
  const auto kind = NVML_MEMORY_ERROR_TYPE_CORRECTED;
  const auto when = NVML_VOLATILE_ECC;
  QUERY(check, nvmlDeviceGetTotalEccErrors, device, kind, when, kOut);
  QUERY(check, nvmlDeviceGetDetailedEccErrors, device, kind, when, kOut);
  QUERY(check, nvmlDeviceGetMemoryErrorCounter, device, kind, when, NVML_MEMORY_LOCATION_DRAM,
        kOut);
  const auto cause = NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR;
  QUERY(check, nvmlDeviceGetRetiredPages, device, cause, InOut<unsigned>{64}, Room<64>{});
  QUERY(check, nvmlDeviceGetRetiredPages_v2, device, cause, InOut<unsigned>{64}, Room<64>{},
        Room<64>{});
  QUERY(check, nvmlDeviceGetRetiredPagesPendingStatus, device, kOut);
  QUERY(check, nvmlDeviceGetRemappedRows, device, kOut, kOut, kOut, kOut);
  QUERY(check, nvmlDeviceGetRowRemapperHistogram, device, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetSramEccErrorStatus, device, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts, device, Asked{1});
  NEWER(check, nvmlDeviceGetRepairStatus, device, Asked{1});
  NEWER(check, nvmlDeviceGetUnrepairableMemoryFlag_v1, device, kOut);
  NEWER(check, nvmlDeviceGetRemappedRows_v2, device, InOut<nvmlRemappedRowsInfo_v2_t>{});
  NEWER(check, nvmlDeviceGetBankRemapperStatus_v1, device, InOut<nvmlEccBankRemapperStatus_v1_t>{});
#endif
}

void work(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetEncoderUtilization, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetDecoderUtilization, device, kOut, kOut);
  QUERY(check, nvmlDeviceGetSamples, device, NVML_GPU_UTILIZATION_SAMPLES, 0, kOut,
        InOut<unsigned>{256}, Room<256>{});
  QUERY(check, nvmlDeviceGetEncoderCapacity, device, NVML_ENCODER_QUERY_H264, kOut);
  QUERY(check, nvmlDeviceGetEncoderStats, device, kOut, kOut, kOut);
  QUERY(check, nvmlDeviceGetEncoderSessions, device, InOut<unsigned>{16}, Room<16>{});
  QUERY(check, nvmlDeviceGetFBCStats, device, kOut);
  QUERY(check, nvmlDeviceGetFBCSessions, device, InOut<unsigned>{16}, Room<16>{});
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetJpgUtilization, device, kOut, kOut);
  NEWER(check, nvmlDeviceGetOfaUtilization, device, kOut, kOut);
#endif
}

void processes(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetComputeRunningProcesses_v3, device, InOut<unsigned>{64}, Room<64>{});
  QUERY(check, nvmlDeviceGetGraphicsRunningProcesses_v3, device, InOut<unsigned>{64}, Room<64>{});
  QUERY(check, nvmlDeviceGetMPSComputeRunningProcesses_v3, device, InOut<unsigned>{64}, Room<64>{});
  // Whether it has samples depends on the moment.
  NEWER(check, nvmlDeviceGetProcessUtilization, device, Room<64>{}, InOut<unsigned>{64}, 0);
  QUERY(check, nvmlDeviceGetAccountingMode, device, kOut);
  QUERY(check, nvmlDeviceGetAccountingStats, device, 1, kOut);
  QUERY(check, nvmlDeviceGetAccountingPids, device, InOut<unsigned>{64}, Room<64>{});
  QUERY(check, nvmlDeviceGetAccountingBufferSize, device, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetRunningProcessDetailList, device, Asked{1});
  NEWER(check, nvmlDeviceGetProcessesUtilizationInfo, device, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetAccountingStats_v2, device, InOut<nvmlAccountingStats_v2_t>{});
#endif
}

void fields(Check& check, nvmlDevice_t device) {
  Guarded<nvmlFieldValue_t[2]> values;
  std::memset(values.get(), 0, sizeof(nvmlFieldValue_t[2]));
  (*values)[0].fieldId = NVML_FI_DEV_ECC_CURRENT;
  (*values)[1].fieldId = NVML_FI_DEV_NVLINK_LINK_COUNT;
  NEED(check, nvmlDeviceGetFieldValues(device, 2, *values));
  INTACT(check, values);
  check.value("status of ECC", (*values)[0].nvmlReturn);
  if ((*values)[0].nvmlReturn == NVML_SUCCESS) {
    check.equal("ECC", (*values)[0].value.uiVal, properties_of(check).ECCEnabled);
  }
  if ((*values)[1].nvmlReturn == NVML_SUCCESS) check.value("links", (*values)[1].value.uiVal);
}

void topology(Check& check, nvmlDevice_t device) {
  constexpr unsigned kWords = 16;
  QUERY(check, nvmlDeviceGetMemoryAffinity, device, kWords, Room<kWords>{},
        NVML_AFFINITY_SCOPE_NODE);
  QUERY(check, nvmlDeviceGetCpuAffinity, device, kWords, Room<kWords>{});
  QUERY(check, nvmlDeviceGetCpuAffinityWithinScope, device, kWords, Room<kWords>{},
        NVML_AFFINITY_SCOPE_NODE);
  QUERY(check, nvmlDeviceGetTopologyCommonAncestor, device, device, kOut);
  QUERY(check, nvmlDeviceGetTopologyNearestGpus, device, NVML_TOPOLOGY_SYSTEM, InOut<unsigned>{64},
        Room<64>{});
  QUERY(check, nvmlDeviceGetP2PStatus, device, device, NVML_P2P_CAPS_INDEX_READ, kOut);
  Guarded<int> same;
  if (QUERY(check, nvmlDeviceOnSameBoard, device, device, same.get()) == NVML_SUCCESS) {
    check.value("same board", *same);
  }
  INTACT(check, same);
}

void links(Check& check, nvmlDevice_t device) {
  QUERY(check, nvmlDeviceGetNvLinkState, device, 0, kOut);
  QUERY(check, nvmlDeviceGetNvLinkVersion, device, 0, kOut);
  QUERY(check, nvmlDeviceGetNvLinkCapability, device, 0, NVML_NVLINK_CAP_VALID, kOut);
  QUERY(check, nvmlDeviceGetNvLinkRemotePciInfo_v2, device, 0, kOut);
  QUERY(check, nvmlDeviceGetNvLinkRemoteDeviceType, device, 0, kOut);
  QUERY(check, nvmlDeviceGetNvLinkErrorCounter, device, 0, NVML_NVLINK_ERROR_DL_REPLAY, kOut);
  QUERY(check, nvmlDeviceGetNvLinkUtilizationControl, device, 0, 0, kOut);
  QUERY(check, nvmlDeviceGetNvLinkUtilizationCounter, device, 0, 0, kOut, kOut);
#if CUDART_VERSION >= 12000
  NEWER(check, nvmlDeviceGetGpuFabricInfo, device, kOut);
  NEWER(check, nvmlDeviceGetGpuFabricInfoV, device, Asked{2});
  NEWER(check, nvmlDeviceGetNvlinkSupportedBwModes, device, Asked{1});
  NEWER(check, nvmlDeviceGetNvlinkBwMode, device, Asked{1});
#endif
#if CUDART_VERSION >= 13000
  NEWER(check, nvmlDeviceGetNvLinkInfo, device, Asked{2});
  NEWER(check, nvmlDeviceGetNvLinkInfo_v3, device, InOut<nvmlNvLinkInfo_v3_t>{});
  NEWER(check, nvmlDeviceGetGpuFabricInfo_v4, device, InOut<nvmlGpuFabricInfo_v4_t>{});
  NEWER(check, nvmlDeviceGetNvLinkTelemetrySamples_v1, device,
        InOut<nvmlNvlinkTelemetrySamples_v1_t>{});
  NEWER(check, nvmlDeviceGetNvlinkNvlePrivateInfo_v1, device,
        InOut<nvmlNvlinkNvlePrivateInfo_v1_t>{});
  NEWER(check, nvmlDeviceGetNvlinkRemapTableInfo_v1, device,
        InOut<nvmlNvlinkGetRemapTableInfo_v1_t>{});
  NEWER(check, nvmlDeviceReadPRMCounters_v1, device, InOut<nvmlPRMCounterList_v1_t>{});
#endif
}

}  // namespace

void run() {
  run_on_device("nvml_counters", {{"errors", errors},
                                  {"work", work},
                                  {"processes", processes},
                                  {"fields", fields},
                                  {"topology", topology},
                                  {"links", links}});
}

}  // namespace maths
