// SPDX-License-Identifier: Apache-2.0

// The profiler of nvtx.cc, as small as one can be. NVTX loads it from the file in
// NVTX_INJECTION64_PATH and gives it the tables of its functions, in which it puts its own
// (nvtxTypes.h, "Types for callback subscription").
#include "nvtx_tool.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

#include <string>

namespace nvtx_tool {
namespace {

std::string lines;
int depth = 0;

void heard(const char* function, const std::string& text = {}) {
  lines += function;
  if (!text.empty()) lines += " " + text;
  lines += "\n";
}

template <typename Handle>
Handle handle(long number) {
  return reinterpret_cast<Handle>(number);
}

std::string text(const char* message) { return message; }
std::string text(const wchar_t* message) {
  return {message, message + std::char_traits<wchar_t>::length(message)};
}
std::string text(const nvtxEventAttributes_t* event) {
  if (event->messageType == NVTX_MESSAGE_TYPE_ASCII) return event->message.ascii;
  if (event->messageType == NVTX_MESSAGE_TYPE_UNICODE) return text(event->message.unicode);
  return event->message.registered == handle<nvtxStringHandle_t>(kString) ? "registered"
                                                                          : "unknown";
}
std::string text(nvtxDomainHandle_t domain) {
  return domain == handle<nvtxDomainHandle_t>(kDomain) ? "domain" : "unknown";
}

// The tool's functions, whose names are those of NVTX's identifiers: with only a text, behind a
// number, and behind a stream or an event.
#define TEXT(name, type) \
  void name(type message) { heard(#name, text(message)); }
#define NUMBERED(name, type)                                    \
  void name(uint32_t number, type message) {                    \
    heard(#name, std::to_string(number) + " " + text(message)); \
  }
#define NAMED(name, type) \
  void name(void*, type message) { heard(#name, text(message)); }

TEXT(MarkA, const char*)
TEXT(MarkW, const wchar_t*)
TEXT(MarkEx, const nvtxEventAttributes_t*)
NUMBERED(NameCategoryA, const char*)
NUMBERED(NameCategoryW, const wchar_t*)
NUMBERED(NameOsThreadA, const char*)
NUMBERED(NameOsThreadW, const wchar_t*)
NUMBERED(NameCuDeviceA, const char*)
NUMBERED(NameCuDeviceW, const wchar_t*)
NAMED(NameCuContextA, const char*)
NAMED(NameCuContextW, const wchar_t*)
NAMED(NameCuStreamA, const char*)
NAMED(NameCuStreamW, const wchar_t*)
NAMED(NameCuEventA, const char*)
NAMED(NameCuEventW, const wchar_t*)
NUMBERED(NameCudaDeviceA, const char*)
NUMBERED(NameCudaDeviceW, const wchar_t*)
NAMED(NameCudaStreamA, const char*)
NAMED(NameCudaStreamW, const wchar_t*)
NAMED(NameCudaEventA, const char*)
NAMED(NameCudaEventW, const wchar_t*)
#undef TEXT
#undef NUMBERED
#undef NAMED

template <typename Message>
int push(const char* name, Message message) {
  heard(name, text(message));
  return depth++;
}
int RangePushA(const char* message) { return push("RangePushA", message); }
int RangePushW(const wchar_t* message) { return push("RangePushW", message); }
int RangePushEx(const nvtxEventAttributes_t* event) { return push("RangePushEx", event); }
int RangePop() {
  heard("RangePop");
  return --depth;
}

template <typename Message>
nvtxRangeId_t start(const char* name, Message message) {
  heard(name, text(message));
  return kRange;
}
nvtxRangeId_t RangeStartA(const char* message) { return start("RangeStartA", message); }
nvtxRangeId_t RangeStartW(const wchar_t* message) { return start("RangeStartW", message); }
nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* event) {
  return start("RangeStartEx", event);
}
void RangeEnd(nvtxRangeId_t id) { heard("RangeEnd", id == kRange ? "" : "unknown"); }

nvtxDomainHandle_t DomainCreateA(const char* name) {
  heard("DomainCreateA", name);
  return handle<nvtxDomainHandle_t>(kDomain);
}
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  heard("DomainCreateW", text(name));
  return handle<nvtxDomainHandle_t>(kDomain);
}
void DomainDestroy(nvtxDomainHandle_t domain) { heard("DomainDestroy", text(domain)); }
void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  heard("DomainMarkEx", text(domain) + " " + text(event));
}
int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  heard("DomainRangePushEx", text(domain) + " " + text(event));
  return depth++;
}
int DomainRangePop(nvtxDomainHandle_t domain) {
  heard("DomainRangePop", text(domain));
  return --depth;
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  heard("DomainRangeStartEx", text(domain) + " " + text(event));
  return kRange;
}
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  heard("DomainRangeEnd", text(domain) + (id == kRange ? "" : " unknown"));
}
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  heard("DomainRegisterStringA", text(domain) + " " + string);
  return handle<nvtxStringHandle_t>(kString);
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* string) {
  heard("DomainRegisterStringW", text(domain) + " " + text(string));
  return handle<nvtxStringHandle_t>(kString);
}
void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t number, const char* name) {
  heard("DomainNameCategoryA", text(domain) + " " + std::to_string(number) + " " + name);
}
void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t number, const wchar_t* name) {
  heard("DomainNameCategoryW", text(domain) + " " + std::to_string(number) + " " + text(name));
}
nvtxResourceHandle_t DomainResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t* of) {
  heard("DomainResourceCreate", text(domain) + " " + of->message.ascii);
  return handle<nvtxResourceHandle_t>(kResource);
}
void DomainResourceDestroy(nvtxResourceHandle_t resource) {
  heard("DomainResourceDestroy",
        resource == handle<nvtxResourceHandle_t>(kResource) ? "" : "unknown");
}
nvtxSyncUser_t DomainSyncUserCreate(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t*) {
  heard("DomainSyncUserCreate", text(domain));
  return handle<nvtxSyncUser_t>(kSync);
}
void DomainSyncUserDestroy(nvtxSyncUser_t sync) {
  heard("DomainSyncUserDestroy", sync == handle<nvtxSyncUser_t>(kSync) ? "" : "unknown");
}

// What happens to a lock.
#define LOCK(name)                                                        \
  void name(nvtxSyncUser_t sync) {                                        \
    heard(#name, sync == handle<nvtxSyncUser_t>(kSync) ? "" : "unknown"); \
  }
LOCK(DomainSyncUserAcquireStart)
LOCK(DomainSyncUserAcquireFailed)
LOCK(DomainSyncUserAcquireSuccess)
LOCK(DomainSyncUserReleasing)
#undef LOCK

// Puts functions in the places of one module's table.
class Table {
 public:
  Table(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (!callbacks.GetModuleFunctionTable(module, &places_, &size_)) size_ = 0;
  }
  template <typename Function>
  Table& put(unsigned place, Function* function) {
    if (place < size_ && places_[place] != nullptr)
      *places_[place] = reinterpret_cast<NvtxFunctionPointer>(function);
    return *this;
  }

 private:
  NvtxFunctionTable places_ = nullptr;
  unsigned size_ = 0;
};

#define PUT(module, name) put(NVTX_CBID_##module##_##name, name)

void attach(const NvtxExportTableCallbacks& callbacks) {
  Table(callbacks, NVTX_CB_MODULE_CORE)
      .PUT(CORE, MarkA)
      .PUT(CORE, MarkW)
      .PUT(CORE, MarkEx)
      .PUT(CORE, RangePushA)
      .PUT(CORE, RangePushW)
      .PUT(CORE, RangePushEx)
      .PUT(CORE, RangePop)
      .PUT(CORE, RangeStartA)
      .PUT(CORE, RangeStartW)
      .PUT(CORE, RangeStartEx)
      .PUT(CORE, RangeEnd)
      .PUT(CORE, NameCategoryA)
      .PUT(CORE, NameCategoryW)
      .PUT(CORE, NameOsThreadA)
      .PUT(CORE, NameOsThreadW);
  Table(callbacks, NVTX_CB_MODULE_CORE2)
      .PUT(CORE2, DomainCreateA)
      .PUT(CORE2, DomainCreateW)
      .PUT(CORE2, DomainDestroy)
      .PUT(CORE2, DomainMarkEx)
      .PUT(CORE2, DomainRangePushEx)
      .PUT(CORE2, DomainRangePop)
      .PUT(CORE2, DomainRangeStartEx)
      .PUT(CORE2, DomainRangeEnd)
      .PUT(CORE2, DomainRegisterStringA)
      .PUT(CORE2, DomainRegisterStringW)
      .PUT(CORE2, DomainNameCategoryA)
      .PUT(CORE2, DomainNameCategoryW)
      .PUT(CORE2, DomainResourceCreate)
      .PUT(CORE2, DomainResourceDestroy);
  Table(callbacks, NVTX_CB_MODULE_CUDA)
      .PUT(CUDA, NameCuDeviceA)
      .PUT(CUDA, NameCuDeviceW)
      .PUT(CUDA, NameCuContextA)
      .PUT(CUDA, NameCuContextW)
      .PUT(CUDA, NameCuStreamA)
      .PUT(CUDA, NameCuStreamW)
      .PUT(CUDA, NameCuEventA)
      .PUT(CUDA, NameCuEventW);
  Table(callbacks, NVTX_CB_MODULE_CUDART)
      .PUT(CUDART, NameCudaDeviceA)
      .PUT(CUDART, NameCudaDeviceW)
      .PUT(CUDART, NameCudaStreamA)
      .PUT(CUDART, NameCudaStreamW)
      .PUT(CUDART, NameCudaEventA)
      .PUT(CUDART, NameCudaEventW);
  Table(callbacks, NVTX_CB_MODULE_SYNC)
      .PUT(SYNC, DomainSyncUserCreate)
      .PUT(SYNC, DomainSyncUserDestroy)
      .PUT(SYNC, DomainSyncUserAcquireStart)
      .PUT(SYNC, DomainSyncUserAcquireFailed)
      .PUT(SYNC, DomainSyncUserAcquireSuccess)
      .PUT(SYNC, DomainSyncUserReleasing);
}

}  // namespace
}  // namespace nvtx_tool

extern "C" {

__attribute__((visibility("default"))) const char* nvtx_tool_heard() {
  static std::string last;
  last.swap(nvtx_tool::lines);
  nvtx_tool::lines.clear();
  return last.c_str();
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  nvtx_tool::attach(*callbacks);
  return 1;
}
}
