// SPDX-License-Identifier: Apache-2.0
#include "tests/stubs/adapters/cusparse/sparse_fakes.h"

#include <algorithm>
#include <deque>
#include <map>

namespace anycuda::test {

Answers answers;
int failing_call;

bool operator==(const Call& one, const Call& other) {
  return one.name == other.name && one.arguments == other.arguments;
}
void PrintTo(const Call& call, std::ostream* out) {
  *out << call.name << ::testing::PrintToString(call.arguments);
}

namespace {

constexpr Word kHandle = 0x1000, kDescription = 0x2000, kStream = 0x3000, kMemory = 0x4000;

std::vector<Call> calls;
std::deque<Made> descriptors;
std::map<Word, std::size_t> memory;
// Copies from the GPU that the stream has not made yet.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};
std::vector<Copy> copies;

using Effect = unsigned (*)(const char* name, const Words&);

template <typename T>
void write(Word place, T value) {
  *reinterpret_cast<T*>(place) = value;
}

unsigned nothing(const char*, const Words&) { return 0; }
unsigned create(const char* name, const Words& given) {
  descriptors.push_back({name, {given.begin() + 1, given.end()}});
  write(given[0], &descriptors.back());
  return 0;
}
Made* find(Word descriptor) {
  for (Made& one : descriptors) {
    if (word(&one) == descriptor) return &one;
  }
  return nullptr;
}
unsigned destroy(const char* name, const Words& given) {
  Made* one = find(given[0]);
  if (one == nullptr || !one->alive) {
    ADD_FAILURE() << name << " of what is not a descriptor";
    return 3;
  }
  one->alive = false;
  return 0;
}
unsigned size(const char*, const Words& given) {
  write(given.back(), answers.bytes);
  return 0;
}

bool needs_context(const char* name) {
  return std::string(name).rfind("cu", 0) == 0 && name[2] < 'a';
}

void expect_alive(const char* name, const Words& given) {
  for (const Word one : given) {
    const Made* descriptor = find(one);
    EXPECT_TRUE(descriptor == nullptr || descriptor->alive) << name;
  }
}

// What every function does: it is recorded, it may fail, and then it has its effect.
template <const char* name, Effect effect, typename... Args>
unsigned called(Args... args) {
  calls.push_back({name, words(args...)});
  expect_alive(name, calls.back().arguments);
  if (failing_call == static_cast<int>(calls.size())) {
    // Some write what is not a descriptor.
    if (effect == create) write(calls.back().arguments[0], Word{0x666});
    return kFailure;
  }
  if (needs_context(name) && !answers.has_context) return driver::CUDA_ERROR_INVALID_CONTEXT;
  return effect(name, calls.back().arguments);
}
template <const char* name, Effect effect, typename Result, typename... Args>
void fake_call(Result (*)(Args...)) {
  fake(name, &called<name, effect, Args...>);
}

unsigned get_base(const char*, const Words&) { return answers.base; }
unsigned get_type(const char*, const Words&) { return answers.type; }
unsigned get_stream(const char*, const Words& given) {
  write(given[1], kStream);
  return 0;
}
unsigned get_size(const char*, const Words& given) {
  for (int i = 1; i < 4; ++i) write(given[i], answers.count);
  return 0;
}
unsigned make_context(const char*, const Words& given) {
  answers.has_context = true;
  write(given[0], kHandle);
  return 0;
}
unsigned is_capturing(const char*, const Words& given) {
  write(given[1], answers.capture);
  return 0;
}
unsigned copy(const char*, const Words& given) {
  copies.push_back(
      {reinterpret_cast<void*>(given[0]), reinterpret_cast<void*>(given[1]), given[2]});
  return 0;
}
unsigned synchronize(const char*, const Words&) {
  for (const Copy& one : copies) std::memcpy(one.to, one.from, one.bytes);
  copies.clear();
  return 0;
}
unsigned allocate(const char*, const Words& given) {
  const Word address = kMemory + 0x100 * memory.size();
  memory[address] = given[1];
  write(given[0], address);
  return 0;
}
unsigned release(const char*, const Words& given) {
  EXPECT_EQ(memory.erase(given[0]), 1U);
  return 0;
}

#define ANYCUDA_FAKE(space, name, effect)  \
  {                                        \
    static constexpr char kName[] = #name; \
    fake_call<kName, effect>(space::name); \
  }

void fake_all() {
  ANYCUDA_FAKE(v12, cusparseCreateSpVec, create);
  ANYCUDA_FAKE(v12, cusparseCreateDnVec, create);
  ANYCUDA_FAKE(v12, cusparseCreateCsr, create);
  ANYCUDA_FAKE(v12, cusparseCreateCsc, create);
  ANYCUDA_FAKE(v12, cusparseCreateDnMat, create);
  ANYCUDA_FAKE(v12, cusparseDestroySpVec, destroy);
  ANYCUDA_FAKE(v12, cusparseDestroyDnVec, destroy);
  ANYCUDA_FAKE(v12, cusparseDestroySpMat, destroy);
  ANYCUDA_FAKE(v12, cusparseDestroyDnMat, destroy);
  ANYCUDA_FAKE(v12, cusparseCsrSetPointers, nothing);
  ANYCUDA_FAKE(v12, cusparseCscSetPointers, nothing);
  ANYCUDA_FAKE(v12, cusparseGather, nothing);
  ANYCUDA_FAKE(v12, cusparseScatter, nothing);
  ANYCUDA_FAKE(v12, cusparseRot, nothing);
  ANYCUDA_FAKE(v12, cusparseSparseToDense_bufferSize, size);
  ANYCUDA_FAKE(v12, cusparseSparseToDense, nothing);
  ANYCUDA_FAKE(v12, cusparseDenseToSparse_bufferSize, size);
  ANYCUDA_FAKE(v12, cusparseDenseToSparse_analysis, nothing);
  ANYCUDA_FAKE(v12, cusparseDenseToSparse_convert, nothing);
  ANYCUDA_FAKE(v12, cusparseSpMatGetSize, get_size);
  ANYCUDA_FAKE(v12, cusparseSpMM_bufferSize, size);
  ANYCUDA_FAKE(v12, cusparseSpMM, nothing);
  ANYCUDA_FAKE(v12, cusparseSpMV_bufferSize, size);
  ANYCUDA_FAKE(v12, cusparseSpMV, nothing);
  ANYCUDA_FAKE(v12, cusparseSDDMM_bufferSize, size);
  ANYCUDA_FAKE(v12, cusparseSDDMM, nothing);
  ANYCUDA_FAKE(v12, cusparseGetMatIndexBase, get_base);
  ANYCUDA_FAKE(v12, cusparseGetMatType, get_type);
  ANYCUDA_FAKE(v12, cusparseGetStream, get_stream);
  ANYCUDA_FAKE(v12, cusparseCreate, make_context);
  ANYCUDA_FAKE(v12, cusparseDestroy, nothing);
  ANYCUDA_FAKE(driver, cuStreamIsCapturing, is_capturing);
  ANYCUDA_FAKE(driver, cuMemcpyDtoHAsync_v2, copy);
  ANYCUDA_FAKE(driver, cuStreamSynchronize, synchronize);
  ANYCUDA_FAKE(driver, cuMemAllocAsync, allocate);
  ANYCUDA_FAKE(driver, cuMemFreeAsync, release);
}
#undef ANYCUDA_FAKE

void forget() {
  calls.clear();
  descriptors.clear();
  copies.clear();
  memory.clear();
}
void expect_nothing_left() {
  for (const Made& one : descriptors) EXPECT_FALSE(one.alive) << one.function;
  EXPECT_TRUE(memory.empty()) << "memory of the GPU";
}

// What the caller of an adapter gets when that function fails.
unsigned handed_on(const std::string& name) {
  // The result is there; and these return numbers, not statuses.
  for (const char* other : {"Destroy", "FreeAsync"}) {
    if (name.find(other) != std::string::npos) return 0;
  }
  if (name == "cuMemAllocAsync") return v12::CUSPARSE_STATUS_ALLOC_FAILED;
  return needs_context(name.c_str()) ? v12::CUSPARSE_STATUS_EXECUTION_FAILED : kFailure;
}

}  // namespace

void SparseFakes::SetUp() {
  expect_nothing_left();  // a test may begin anew in its middle
  reset();
  forget();
  answers = {};
  failing_call = 0;
  fake_all();
}
void SparseFakes::TearDown() { expect_nothing_left(); }

const Made& SparseFakes::made(Word descriptor) {
  static const Made kNone{"not a descriptor", {}};
  const Made* one = find(descriptor);
  return one != nullptr ? *one : kNone;
}
std::vector<Call> SparseFakes::all(const std::string& name) {
  std::vector<Call> found;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(found),
               [&](const Call& one) { return one.name == name; });
  return found;
}
Words SparseFakes::only(const std::string& name) {
  const std::vector<Call> found = all(name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.size() == 1 ? found[0].arguments : Words(32);
}
bool SparseFakes::was_called(const std::string& name) { return !all(name).empty(); }

void SparseFakes::expect_every_failure_handed_on(const std::function<unsigned()>& call) {
  forget();
  failing_call = 0;
  EXPECT_EQ(call(), 0U);
  expect_nothing_left();
  const std::vector<Call> made = calls;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string& name = made[i].name;
    if (name == "cusparseGetMatIndexBase" || name == "cusparseGetMatType") continue;
    forget();
    failing_call = static_cast<int>(i) + 1;
    EXPECT_EQ(call(), handed_on(name)) << name;
    if (name.find("Destroy") == std::string::npos && name != "cuMemFreeAsync") {
      expect_nothing_left();
    }
  }
  forget();
  failing_call = 0;
}

v11::cusparseHandle_t SparseFakes::handle() { return at<opaque::cusparseContext>(kHandle); }
v11::cusparseMatDescr_t SparseFakes::description() {
  return at<opaque::cusparseMatDescr>(kDescription);
}

}  // namespace anycuda::test
