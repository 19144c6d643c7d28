// SPDX-License-Identifier: Apache-2.0

// Streams: their attributes, numbers, devices; host functions; time between events.
#include <cstring>

#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

template <typename Fill, typename Show>
void round_trip(const std::string& name, cudaLaunchAttributeID attribute, Fill fill, Show show_it) {
  Check check("streams.attribute." + name);
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  Stream other(check);
  if (!check) return;
  Guarded<cudaLaunchAttributeValue> value;
  std::memset(static_cast<void*>(value.get()), 0, sizeof *value);
  fill(*value, data);
  if (!CALL(check, cudaStreamSetAttribute(stream, attribute, value.get()))) return;
  INTACT(check, value);
  Guarded<cudaLaunchAttributeValue> got;
  if (!CALL(check, cudaStreamGetAttribute(stream, attribute, got.get()))) return;
  INTACT(check, got);
  EQUAL(check, show_it(*got), show_it(*value));
  CALL(check, cudaStreamCopyAttributes(other, stream));
  CALL(check, cudaStreamGetAttribute(other, attribute, got.get()));
  INTACT(check, got);
  check.value("copied", show_it(*got));
}

void attributes() {
  round_trip(
      "access_policy", cudaLaunchAttributeAccessPolicyWindow,
      [](cudaLaunchAttributeValue& value, DeviceArray<int>& data) {
        value.accessPolicyWindow.base_ptr = data.get();
        value.accessPolicyWindow.num_bytes = data.bytes();
        value.accessPolicyWindow.hitRatio = 0.25F;
        value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
        value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
      },
      [](const cudaLaunchAttributeValue& value) {
        return show(value.accessPolicyWindow.num_bytes) + " " +
               show(value.accessPolicyWindow.hitRatio) + " " +
               show(value.accessPolicyWindow.hitProp) + " " +
               show(value.accessPolicyWindow.missProp);
      });
  round_trip(
      "synchronization", cudaLaunchAttributeSynchronizationPolicy,
      [](cudaLaunchAttributeValue& value, DeviceArray<int>&) {
        value.syncPolicy = cudaSyncPolicyYield;
      },
      [](const cudaLaunchAttributeValue& value) { return show(value.syncPolicy); });
#if CUDART_VERSION >= 12000
  round_trip(
      "priority", cudaLaunchAttributePriority,
      [](cudaLaunchAttributeValue& value, DeviceArray<int>&) { value.priority = -1; },
      [](const cudaLaunchAttributeValue& value) { return show(value.priority); });
  round_trip(
      "memory_domain", cudaLaunchAttributeMemSyncDomain,
      [](cudaLaunchAttributeValue& value, DeviceArray<int>&) {
        value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
      },
      [](const cudaLaunchAttributeValue& value) { return show(value.memSyncDomain); });
#endif
  Check check("streams.attribute.unknown");
  Stream stream(check);
  if (!check) return;
  Guarded<cudaLaunchAttributeValue> got;
  STATUS(check, "status",
         cudaStreamGetAttribute(stream, static_cast<cudaLaunchAttributeID>(60), got.get()));
  INTACT(check, got);
}

#if CUDART_VERSION >= 12000
void ids() {
  Check check("streams.id");
  Stream one(check);
  Stream two(check);
  if (!check) return;
  Guarded<unsigned long long> first;
  Guarded<unsigned long long> second;
  Guarded<unsigned long long> again;
  if (!CALL(check, cudaStreamGetId(one, first.get()))) return;
  CALL(check, cudaStreamGetId(two, second.get()));
  CALL(check, cudaStreamGetId(one, again.get()));
  INTACT(check, first);
  EXPECT(check, *first != *second);
  EQUAL(check, *again, *first);
  CALL(check, cudaStreamGetId(nullptr, again.get()));
}

void device() {
  Check check("streams.device");
#if CUDART_VERSION < 12080
  const Later<cudaStream_t, int*> cudaStreamGetDevice("cudaStreamGetDevice");
#endif
  Stream stream(check);
  if (!check) return;
  Guarded<int> number;
  if (!CALL(check, cudaStreamGetDevice(stream, number.get()))) return;
  INTACT(check, number);
  EQUAL(check, *number, 0);
  CALL(check, cudaStreamGetDevice(nullptr, number.get()));
  EQUAL(check, *number, 0);
}
#endif

void count_one(void* counter) { ++*static_cast<int*>(counter); }

void host_functions() {
  Check check("streams.host_function");
  Stream stream(check);
  if (!check) return;
  int calls = 0;
  for (int i = 0; i < 3; ++i) CALL(check, cudaLaunchHostFunc(stream, count_one, &calls));
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, calls, 3);
#if CUDART_VERSION >= 13000
  Check newer("streams.host_function_v2");
  const Later<cudaStream_t, cudaHostFn_t, void*, unsigned> cudaLaunchHostFunc_v2(
      "cudaLaunchHostFunc_v2");
  // The driver may be too old for it.
  if (STATUS(newer, "status", cudaLaunchHostFunc_v2(stream, count_one, &calls, 0))) {
    CALL(newer, cudaStreamSynchronize(stream));
    EQUAL(newer, calls, 4);
  }
#endif
}

template <typename Elapsed>
void elapsed(const char* name, const char* text, Elapsed ask) {
  Check check(name);
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  Event start(check);
  Event end(check);
  if (!check) return;
  CALL(check, cudaEventRecord(start, stream));
  add<<<1, kCount, 0, stream>>>(data.get(), kCount, 1);
  CALL(check, cudaEventRecord(end, stream));
  CALL(check, cudaEventSynchronize(end));
  Guarded<float> time;
  if (!check || !check.call(text, ask(time.get(), start, end))) return;
  INTACT(check, time);
  EXPECT(check, *time >= 0.0F && *time < 10000.0F);
  Event never(check);
  check.status("never_recorded", text, ask(time.get(), start, never));
  cudaEvent_t untimed = nullptr;
  CALL(check, cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CALL(check, cudaEventRecord(untimed, stream));
  CALL(check, cudaStreamSynchronize(stream));
  check.status("without_timing", text, ask(time.get(), start, untimed));
  CALL(check, cudaEventDestroy(untimed));
}

void times() {
  elapsed("streams.elapsed", "cudaEventElapsedTime",
          [](float* time, cudaEvent_t start, cudaEvent_t end) {
            return cudaEventElapsedTime(time, start, end);
          });
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
  const Later<float*, cudaEvent_t, cudaEvent_t> second_form("cudaEventElapsedTime_v2");
  elapsed("streams.elapsed_v2", "cudaEventElapsedTime_v2", second_form);
#endif
}

void nowhere_to_write() {
  Check check("streams.nowhere_to_write");
  Stream stream(check);
  Event event(check);
  if (!check) return;
#if CUDART_VERSION >= 12000
  STATUS(check, "id", cudaStreamGetId(stream, nullptr));
#endif
  CALL(check, cudaEventRecord(event, stream));
  CALL(check, cudaEventSynchronize(event));
  STATUS(check, "time", cudaEventElapsedTime(nullptr, event, event));
}

}  // namespace

void streams() {
  attributes();
#if CUDART_VERSION >= 12000
  ids();
  device();
#endif
  host_functions();
  times();
  nowhere_to_write();
}

}  // namespace conformance
