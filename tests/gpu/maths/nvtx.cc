// SPDX-License-Identifier: Apache-2.0

// NVTX: a profiler (nvtx_tool.cc) gets every range, mark, name and domain, with its text,
// around work on the GPU.
#include <dlfcn.h>
#include <nvToolsExt.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
#include <nvToolsExtSync.h>

#include <algorithm>
#include <cstdlib>

#include "check.h"
#include "memory.h"
#include "nvtx_tool.h"

namespace maths {
namespace {

nvtx_tool::Heard* heard = nullptr;

std::string in_one_line(std::string lines) {
  std::replace(lines.begin(), lines.end(), '\n', ' ');
  return lines;
}

void heard_were(Check& check, const std::string& wanted) {
  const std::string got = heard();
  if (got != wanted)
    check.fail("the profiler heard " + in_one_line(got) + "and not " + in_one_line(wanted));
}

nvtxEventAttributes_t event(int type) {
  nvtxEventAttributes_t made = {};
  made.version = NVTX_VERSION;
  made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  made.messageType = type;
  return made;
}

nvtxEventAttributes_t event(const char* text) {
  nvtxEventAttributes_t made = event(NVTX_MESSAGE_TYPE_ASCII);
  made.message.ascii = text;
  return made;
}

void ranges(Check& check) {
  constexpr int kNumbers = 16;
  DeviceArray<int> numbers(kNumbers);
  const nvtxEventAttributes_t deepest = event("deepest");
  check.equal("level of a range", nvtxRangePushA("outer"), 0);
  check.equal("level of a range in it", nvtxRangePushW(L"inner"), 1);
  check.equal("level of a range in that", nvtxRangePushEx(&deepest), 2);
  NEED(check, cudaMemset(numbers.data(), 0x01, kNumbers * sizeof(int)));
  for (const int level : {2, 1, 0}) check.equal("level that ends", nvtxRangePop(), level);
  const nvtxEventAttributes_t third = event("third");
  for (const nvtxRangeId_t id :
       {nvtxRangeStartA("first"), nvtxRangeStartW(L"second"), nvtxRangeStartEx(&third)}) {
    EXPECT(check, id == nvtx_tool::kRange);
    nvtxRangeEnd(id);
  }
  NEED(check, cudaDeviceSynchronize());
  for (const int number : numbers.get(check)) check.equal("number", number, 0x01010101);
  heard_were(
      check,
      "RangePushA outer\nRangePushW inner\nRangePushEx deepest\nRangePop\nRangePop\nRangePop\n"
      "RangeStartA first\nRangeStartW second\nRangeStartEx third\nRangeEnd\nRangeEnd\nRangeEnd\n");
}

void marks(Check& check) {
  const nvtxEventAttributes_t third = event("third");
  nvtxMarkA("first");
  nvtxMarkW(L"second");
  nvtxMarkEx(&third);
  heard_were(check, "MarkA first\nMarkW second\nMarkEx third\n");
}

void names(Check& check) {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  NEED(check, cudaEventCreate(&done));
  nvtxNameCategoryA(1, "category");
  nvtxNameCategoryW(2, L"category");
  nvtxNameOsThreadA(3, "thread");
  nvtxNameOsThreadW(4, L"thread");
  nvtxNameCudaDeviceA(0, "device");
  nvtxNameCudaDeviceW(0, L"device");
  nvtxNameCudaStreamA(stream, "stream");
  nvtxNameCudaStreamW(stream, L"stream");
  nvtxNameCudaEventA(done, "event");
  nvtxNameCudaEventW(done, L"event");
  NEED(check, cudaEventDestroy(done));
  NEED(check, cudaStreamDestroy(stream));
  heard_were(check,
             "NameCategoryA 1 category\nNameCategoryW 2 category\nNameOsThreadA 3 thread\n"
             "NameOsThreadW 4 thread\nNameCudaDeviceA 0 device\nNameCudaDeviceW 0 device\n"
             "NameCudaStreamA stream\nNameCudaStreamW stream\nNameCudaEventA event\nNameCudaEventW "
             "event\n");
}

// The driver's names of things. NVTX hands on a context as it is.
void driver_names(Check& check) {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  NEED(check, cudaEventCreate(&done));
  const auto context = reinterpret_cast<CUcontext>(&check);
  nvtxNameCuDeviceA(0, "device");
  nvtxNameCuDeviceW(0, L"device");
  nvtxNameCuContextA(context, "context");
  nvtxNameCuContextW(context, L"context");
  nvtxNameCuStreamA(stream, "stream");
  nvtxNameCuStreamW(stream, L"stream");
  nvtxNameCuEventA(done, "event");
  nvtxNameCuEventW(done, L"event");
  NEED(check, cudaEventDestroy(done));
  NEED(check, cudaStreamDestroy(stream));
  heard_were(check,
             "NameCuDeviceA 0 device\nNameCuDeviceW 0 device\nNameCuContextA context\n"
             "NameCuContextW context\nNameCuStreamA stream\nNameCuStreamW stream\n"
             "NameCuEventA event\nNameCuEventW event\n");
}

// A lock of the program: taken at once, not got, and given back.
void locks(Check& check) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  Guarded<nvtxSyncUserAttributes_t> attributes(nvtxSyncUserAttributes_t{});
  const nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, attributes.get());
  INTACT(check, attributes);
  EXPECT(check, reinterpret_cast<long>(lock) == nvtx_tool::kSync);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserDestroy(lock);
  nvtxDomainDestroy(domain);
  heard_were(check,
             "DomainCreateA mine\nDomainSyncUserCreate domain\nDomainSyncUserAcquireStart\n"
             "DomainSyncUserAcquireSuccess\nDomainSyncUserReleasing\n"
             "DomainSyncUserAcquireStart\nDomainSyncUserAcquireFailed\n"
             "DomainSyncUserDestroy\nDomainDestroy domain\n");
}

void domains(Check& check) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  EXPECT(check, reinterpret_cast<long>(domain) == nvtx_tool::kDomain);
  EXPECT(check, nvtxDomainCreateW(L"mine too") == domain);
  const nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "text");
  EXPECT(check, reinterpret_cast<long>(string) == nvtx_tool::kString);
  EXPECT(check, nvtxDomainRegisterStringW(domain, L"wide") == string);
  nvtxDomainNameCategoryA(domain, 5, "category");
  nvtxDomainNameCategoryW(domain, 6, L"category");
  nvtxEventAttributes_t registered = event(NVTX_MESSAGE_TYPE_REGISTERED);
  registered.message.registered = string;
  check.equal("level of a domain's range", nvtxDomainRangePushEx(domain, &registered), 0);
  check.equal("level that ends", nvtxDomainRangePop(domain), 0);
  nvtxDomainMarkEx(domain, &registered);
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &registered));
  heard_were(check,
             "DomainCreateA mine\nDomainCreateW mine too\nDomainRegisterStringA domain text\n"
             "DomainRegisterStringW domain wide\nDomainNameCategoryA domain 5 category\n"
             "DomainNameCategoryW domain 6 category\n"
             "DomainRangePushEx domain registered\nDomainRangePop domain\n"
             "DomainMarkEx domain registered\nDomainRangeStartEx domain registered\nDomainRangeEnd "
             "domain\n");

  Guarded<nvtxResourceAttributes_t> resource;
  *resource = {};
  resource->version = NVTX_VERSION;
  resource->size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource->identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  resource->identifier.pValue = &check;
  resource->messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource->message.ascii = "lock";
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, resource.get()));
  INTACT(check, resource);
  nvtxSyncUserAttributes_t attributes = {};
  nvtxDomainSyncUserDestroy(nvtxDomainSyncUserCreate(domain, &attributes));
  nvtxDomainDestroy(domain);
  heard_were(
      check,
      "DomainResourceCreate domain lock\nDomainResourceDestroy\nDomainSyncUserCreate domain\n"
      "DomainSyncUserDestroy\nDomainDestroy domain\n");
}

}  // namespace

void run() {
  {
    Check check("nvtx.profiler");
    const char* file = std::getenv("NVTX_INJECTION64_PATH");
    void* tool = file ? dlopen(file, RTLD_NOW) : nullptr;
    void* found = tool ? dlsym(tool, nvtx_tool::kHeard) : nullptr;
    heard = reinterpret_cast<nvtx_tool::Heard*>(found);
    if (heard == nullptr) check.fail(file ? dlerror() : "NVTX_INJECTION64_PATH names no profiler");
  }
  if (heard == nullptr) return;
  run_topics<>("nvtx", {{"ranges", ranges},
                        {"marks", marks},
                        {"names", names},
                        {"driver_names", driver_names},
                        {"locks", locks},
                        {"domains", domains}});
}

}  // namespace maths
