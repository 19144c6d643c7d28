// SPDX-License-Identifier: Apache-2.0

// Notifications: of a device (12.4 on), and the driver's log (13).
#include <cstring>

#include "later.h"
#include "support.h"
#include "topics.h"

#if CUDART_VERSION >= 12040

namespace conformance {

namespace {

void on_notice(cudaAsyncNotificationInfo_t*, void*, cudaAsyncCallbackHandle_t) {}

void notifications() {
  Check check("notices.of_device");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Guarded<cudaAsyncCallbackHandle_t> handle;
  if (!STATUS(check, "register",
              cudaDeviceRegisterAsyncNotification(0, on_notice, nullptr, handle.get()))) {
    return;
  }
  INTACT(check, handle);
  STATUS(check, "unregister", cudaDeviceUnregisterAsyncNotification(0, *handle));
}

#if CUDART_VERSION >= 13000
void on_log(void* count, cudaLogLevel, char*, std::size_t) { ++*static_cast<int*>(count); }

void logs() {
  Check check("notices.log");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  int messages = 0;
  Guarded<cudaLogsCallbackHandle> handle;
  if (!CALL(check, cudaLogsRegisterCallback(on_log, &messages, handle.get()))) return;
  INTACT(check, handle);
  Guarded<cudaLogIterator> start;
  CALL(check, cudaLogsCurrent(start.get(), 0));
  INTACT(check, start);
  // Something that the driver has a word to say about.
  cudaMemcpy(nullptr, nullptr, 4, static_cast<cudaMemcpyKind>(99));
  cudaMemPrefetchAsync(nullptr, 4096, cudaMemLocation{cudaMemLocationTypeDevice, 4096}, 0);
  cudaGetLastError();
  Guarded<char[4096]> text;
  Guarded<std::size_t> size;
  *size = sizeof *text;
  STATUS(check, "dump_to_memory", cudaLogsDumpToMemory(start.get(), *text, size.get(), 0));
  INTACT(check, text);
  INTACT(check, size);
  EXPECT(check, *size <= sizeof *text);
  STATUS(check, "dump_to_file", cudaLogsDumpToFile(start.get(), "/dev/null", 0));
  CALL(check, cudaLogsUnregisterCallback(*handle));
}
#endif

}  // namespace

void notices() {
  notifications();
#if CUDART_VERSION >= 13000
  logs();
#endif
}

}  // namespace conformance

#endif
