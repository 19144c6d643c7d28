#include "anycuda/graph/operands.h"

#include "graph/driver.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

// What is made in a context is freed in it, on whatever thread that happens.
class InContext {
 public:
  explicit InContext(CUcontext context)
      : pushed_(context != nullptr && api::cuCtxPushCurrent_v2(context) == api::CUDA_SUCCESS) {}
  ~InContext() {
    CUcontext context = nullptr;
    if (pushed_) api::cuCtxPopCurrent_v2(&context);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  bool pushed_;
};

CUresult no_out() { return fail(CUDA_ERROR_INVALID_VALUE, "out is null"); }

}  // namespace

CUresult Buffer::allocate(std::size_t bytes, Buffer* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (bytes == 0) return fail(CUDA_ERROR_INVALID_VALUE, "a Buffer of 0 bytes is asked for");
    CUdeviceptr address = 0;
    const CUresult result = answered("cuMemAlloc_v2", api::cuMemAlloc_v2(&address, bytes));
    if (result != CUDA_SUCCESS) return result;
    const CUcontext context = context_or_current(nullptr);
    // The pointer is only there to be not null; if there is no memory for the count, it is freed.
    OpaqueHandle allocation(reinterpret_cast<const void*>(address),
                            [address, context](const void*) {
                              const InContext current(context);
                              api::cuMemFree_v2(address);
                            });
    *out = wrap(address, bytes, std::move(allocation));
    return CUDA_SUCCESS;
  });
}

Buffer Buffer::wrap(CUdeviceptr address, std::size_t bytes, OpaqueHandle owner) {
  Buffer made;
  made.address_ = address;
  made.size_ = bytes;
  made.allocation_ = std::move(owner);
  return made;
}

CUresult Kernel::load(const void* image, const char* name, Kernel* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (image == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the image is null");
    CUmod_st* module = nullptr;
    const CUresult result = answered("cuModuleLoadData", api::cuModuleLoadData(&module, image));
    if (result != CUDA_SUCCESS) return result;
    const CUcontext context = context_or_current(nullptr);
    Kernel loaded;
    loaded.module_ = OpaqueHandle(module, [module, context](const void*) {
      const InContext current(context);
      api::cuModuleUnload(module);
    });
    loaded.loaded_ = module;
    return loaded.sibling(name, out);
  });
}

Kernel Kernel::wrap(CUfunction function, OpaqueHandle module) {
  Kernel made;
  made.function_ = function;
  made.module_ = std::move(module);
  return made;
}

CUresult Kernel::sibling(const char* name, Kernel* out) const {
  return entry([&] {
    if (out == nullptr) return no_out();
    if (name == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "the kernel's name is null");
    if (loaded_ == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE, "%s: this Kernel was not loaded by Kernel::load", name);
    }
    Kernel found = *this;
    const CUresult result =
        answered("cuModuleGetFunction", api::cuModuleGetFunction(&found.function_, loaded_, name));
    if (result == CUDA_SUCCESS) *out = std::move(found);
    return result;
  });
}

CUresult Event::create(unsigned flags, Event* out) {
  return entry([&] {
    if (out == nullptr) return no_out();
    CUevent event = nullptr;
    const CUresult result = answered("cuEventCreate", api::cuEventCreate(&event, flags));
    if (result != CUDA_SUCCESS) return result;
    const CUcontext context = context_or_current(nullptr);
    OpaqueHandle owner(event, [event, context](const void*) {
      const InContext current(context);
      api::cuEventDestroy_v2(event);
    });
    *out = wrap(event, std::move(owner), flags);
    return CUDA_SUCCESS;
  });
}

Event Event::wrap(CUevent event, OpaqueHandle owner, unsigned flags) {
  Event made;
  made.flags_ = flags;
  made.event_ = event;
  made.owner_ = std::move(owner);
  return made;
}

}  // namespace anycuda::graph
