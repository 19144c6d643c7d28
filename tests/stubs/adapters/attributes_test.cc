// SPDX-License-Identifier: Apache-2.0

// Attributes of streams and kernel nodes, whose union had 32 bytes in 11.7 and has 64 since.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

using namespace test;

// The union as a program of 11.7 has it: a stream's or kernel node's attribute.
struct Small {
  unsigned char bytes[32];
};
v11::cudaLaunchAttributeValue* as_11(Small* value) {
  return reinterpret_cast<v11::cudaLaunchAttributeValue*>(value);
}

int object;
const auto stream = reinterpret_cast<v11::cudaStream_t>(&object);
const auto node = reinterpret_cast<v11::cudaGraphNode_t>(&object);

class Attributes : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    answer = 0;
    function = nullptr;
    given = {};
    no_value = false;
    fake("cudaStreamGetAttribute", get<0>);
    fake("cudaStreamGetAttribute_ptsz", get<1>);
    fake("cudaGraphKernelNodeGetAttribute", get<2>);
    fake("cudaStreamSetAttribute", set<0>);
    fake("cudaStreamSetAttribute_ptsz", set<1>);
    fake("cudaGraphKernelNodeSetAttribute", set<2>);
  }
  // A runtime that writes and reads all 64 bytes: more than any real one.
  template <int which>
  static unsigned get(const void* handle, unsigned id, v12::cudaLaunchAttributeValue* out) {
    note<which>(handle, id, out);
    if (out != nullptr) std::memset(out, 0xee, sizeof *out);
    return answer;
  }
  template <int which>
  static unsigned set(const void* handle, unsigned id, const v12::cudaLaunchAttributeValue* in) {
    note<which>(handle, id, in);
    if (in != nullptr) given = *in;
    return answer;
  }
  template <int which>
  static void note(const void* handle, unsigned id, const void* value) {
    constexpr const char* kNames[] = {"stream", "stream_ptsz", "node"};
    EXPECT_EQ(handle, &object);
    function = kNames[which];
    attribute = id;
    no_value = value == nullptr;
  }
  static unsigned answer;
  static const char* function;
  static unsigned attribute;
  static v12::cudaLaunchAttributeValue given;
  static bool no_value;
};
unsigned Attributes::answer;
const char* Attributes::function;
unsigned Attributes::attribute;
v12::cudaLaunchAttributeValue Attributes::given;
bool Attributes::no_value;

struct Size {
  unsigned attribute;
  std::size_t bytes;
};
void PrintTo(const Size& c, std::ostream* out) {
  *out << "attribute " << c.attribute << " of " << c.bytes << " bytes";
}
// The bytes of each attribute, as the runtimes of 11.8 to 13.5 touch them (read in their machine
// code).
class OfEachAttribute : public Attributes, public ::testing::WithParamInterface<Size> {};
INSTANTIATE_TEST_SUITE_P(
    Sizes, OfEachAttribute,
    ::testing::Values(Size{v11::cudaLaunchAttributeAccessPolicyWindow, 28},
                      Size{v11::cudaLaunchAttributeCooperative, 4},
                      Size{v11::cudaLaunchAttributeSynchronizationPolicy, 4},
                      Size{v11::cudaLaunchAttributeClusterDimension, 12},
                      Size{v11::cudaLaunchAttributeClusterSchedulingPolicyPreference, 4},
                      Size{v11::cudaLaunchAttributeProgrammaticStreamSerialization, 4},
                      Size{v11::cudaLaunchAttributeProgrammaticEvent, 16},
                      Size{v11::cudaLaunchAttributePriority, 4}, Size{9, 32}, Size{4711, 32}),
    test::kPrintedName);

TEST_P(OfEachAttribute, OnlyItsBytesAreWritten) {
  const auto expect = [&](const char* name, unsigned status, Guarded<Small>& value) {
    EXPECT_EQ(status, 0U);
    EXPECT_STREQ(function, name);
    EXPECT_EQ(attribute, GetParam().attribute);
    EXPECT_TRUE(value.intact());
    for (std::size_t i = 0; i < sizeof(Small); ++i) {
      EXPECT_EQ(value->bytes[i], i < GetParam().bytes ? 0xee : 0x5a) << i;
    }
  };
  Guarded<Small> one;
  expect("stream", adapt_stream_get_attribute(stream, GetParam().attribute, as_11(one.get())), one);
  Guarded<Small> two;
  expect("stream_ptsz",
         adapt_stream_get_attribute_ptsz(stream, GetParam().attribute, as_11(two.get())), two);
  Guarded<Small> three;
  expect("node",
         adapt_graph_kernel_node_get_attribute(node, GetParam().attribute, as_11(three.get())),
         three);
}

TEST_P(OfEachAttribute, OnlyItsBytesAreRead) {
  // Not one byte more than the attribute: AddressSanitizer looks.
  std::vector<unsigned char> value(GetParam().bytes, 0x77);
  const auto* pointer = reinterpret_cast<const v11::cudaLaunchAttributeValue*>(value.data());
  const auto expect = [&](const char* name, unsigned status) {
    EXPECT_EQ(status, 0U);
    EXPECT_STREQ(function, name);
    EXPECT_EQ(attribute, GetParam().attribute);
    for (std::size_t i = 0; i < sizeof given; ++i) {
      EXPECT_EQ(static_cast<unsigned char>(given.pad[i]), i < GetParam().bytes ? 0x77 : 0) << i;
    }
  };
  expect("stream", adapt_stream_set_attribute(stream, GetParam().attribute, pointer));
  expect("stream_ptsz", adapt_stream_set_attribute_ptsz(stream, GetParam().attribute, pointer));
  expect("node", adapt_graph_kernel_node_set_attribute(node, GetParam().attribute, pointer));
}

TEST_F(Attributes, FailedCall_WritesNothing) {
  answer = 1;
  Guarded<Small> value;
  EXPECT_EQ(adapt_stream_get_attribute(stream, 8, as_11(value.get())), 1U);
  EXPECT_EQ(adapt_graph_kernel_node_get_attribute(node, 8, as_11(value.get())), 1U);
  EXPECT_TRUE(value.intact());
  EXPECT_TRUE(value.untouched());
  EXPECT_EQ(adapt_stream_set_attribute(stream, 8, as_11(value.get())), 1U);
}

TEST_F(Attributes, NullValue_IsCheckedByTheRuntime) {
  answer = 1;
  EXPECT_EQ(adapt_stream_get_attribute(stream, 8, nullptr), 1U);
  EXPECT_TRUE(no_value);
  no_value = false;
  EXPECT_EQ(adapt_stream_set_attribute(stream, 8, nullptr), 1U);
  EXPECT_TRUE(no_value);
}

TEST_F(Attributes, WithoutTheRuntimesFunctionTheCallIsAbsent) {
  reset();
  Guarded<Small> value;
  EXPECT_EQ(adapt_stream_get_attribute(stream, 8, as_11(value.get())), 302U);
  EXPECT_TRUE(value.untouched());
}

// Callers of 12 and 13 have more room than the runtime of 11 uses.
TEST_F(Attributes, Runtime11_GetsTheCallersValue) {
  static const void* seen;
  fake(
      "cudaStreamGetAttribute",
      +[](v11::cudaStream_t, unsigned, v11::cudaLaunchAttributeValue* value) {
        seen = value;
        value->priority = 5;
        return 0U;
      });
  fake(
      "cudaGraphKernelNodeSetAttribute",
      +[](v11::cudaGraphNode_t, unsigned, const v11::cudaLaunchAttributeValue* value) {
        seen = value;
        return value->cooperative == 5 ? 0U : 1U;
      });
  Guarded<v12::cudaLaunchAttributeValue> from_12;
  Guarded<v13::cudaLaunchAttributeValue> from_13;
  EXPECT_EQ(adapt_stream_get_attribute_of_12_on_11(stream, 8, from_12.get()), 0U);
  EXPECT_EQ(seen, from_12.get());
  EXPECT_EQ(from_12->priority, 5);
  EXPECT_EQ(from_12->pad[8], 0x5a);
  EXPECT_EQ(adapt_stream_get_attribute_of_13_on_11(stream, 8, from_13.get()), 0U);
  EXPECT_EQ(seen, from_13.get());
  EXPECT_EQ(adapt_graph_kernel_node_set_attribute_of_12_on_11(node, 2, from_12.get()), 0U);
  EXPECT_EQ(seen, from_12.get());
  EXPECT_EQ(adapt_graph_kernel_node_set_attribute_of_13_on_11(node, 2, from_13.get()), 0U);
  EXPECT_EQ(seen, from_13.get());
}

// 11 says invalid value of what it does not know; the driver may know it.
TEST_F(Attributes, UnknownToRuntime11_GoToTheDriver) {
  constexpr unsigned kDomain = v12::cudaLaunchAttributeMemSyncDomain;
  const auto runtime_set = +[](v11::cudaStream_t, unsigned, const v11::cudaLaunchAttributeValue*) {
    set_library_error(1);
    return 1U;
  };
  const auto driver_set =
      +[](v11::cudaStream_t, unsigned attribute, const driver::CUlaunchAttributeValue* value) {
        return attribute == kDomain && value != nullptr && value->memSyncDomain == 1 ? 0U : 1U;
      };
  Guarded<v12::cudaLaunchAttributeValue> value;
  value->memSyncDomain = 1;
  set_library_error(7);
  fake("cudaStreamSetAttribute", runtime_set);
  fake_driver("cuStreamSetAttribute", driver_set);
  EXPECT_EQ(adapt_stream_set_attribute_of_12_on_11(stream, kDomain, value.get()), 0U);
  EXPECT_EQ(library_error(), 7U) << "the caller does not see the runtime's refusal";
  EXPECT_EQ(remembered(), 0U);
  EXPECT_EQ(adapt_stream_set_attribute_of_12_on_11(stream, kDomain, nullptr), 1U);
  EXPECT_EQ(remembered(), 1U);
  fake("cudaStreamSetAttribute_ptsz", runtime_set);
  fake_driver("cuStreamSetAttribute_ptsz", driver_set);
  EXPECT_EQ(adapt_stream_set_attribute_of_12_on_11_ptsz(stream, kDomain, value.get()), 0U);
}

TEST_F(Attributes, MissingInRuntime11_AreReadFromTheDriver) {
  const auto runtime_get =
      +[](v11::cudaGraphNode_t, unsigned, v11::cudaLaunchAttributeValue*) { return 1U; };
  const auto driver_get =
      +[](v11::cudaGraphNode_t, unsigned, driver::CUlaunchAttributeValue* value) {
        value->memSyncDomain = 1;
        return 0U;
      };
  fake("cudaGraphKernelNodeGetAttribute", runtime_get);
  fake_driver("cuGraphKernelNodeGetAttribute", driver_get);
  Guarded<v13::cudaLaunchAttributeValue> value;
  EXPECT_EQ(adapt_graph_kernel_node_get_attribute_of_13_on_11(
                node, v13::cudaLaunchAttributeMemSyncDomain, value.get()),
            0U);
  EXPECT_EQ(value->memSyncDomain, 1U);
  EXPECT_EQ(value->pad[8], 0x5a);
  EXPECT_TRUE(value.intact());
}

TEST_F(Attributes, Runtime11_OtherErrorsAreReturned) {
  fake(
      "cudaStreamGetAttribute",
      +[](v11::cudaStream_t, unsigned, v11::cudaLaunchAttributeValue*) { return 400U; });
  Guarded<v12::cudaLaunchAttributeValue> value;
  EXPECT_EQ(adapt_stream_get_attribute_of_12_on_11(stream, 1, value.get()), 400U);
  EXPECT_TRUE(value.untouched());
}

}  // namespace
}  // namespace anycuda
