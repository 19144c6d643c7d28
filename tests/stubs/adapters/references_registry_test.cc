// SPDX-License-Identifier: Apache-2.0

// The registry of objects that register texture and surface references.
#include "stubs/cudart/adapters/references_registry.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace anycuda::references {
namespace {

char host[8];
char kernels[8];
void* handles[8];

Reference reference(void** fat_binary, const void* address, bool surface = false,
                    bool external = false) {
  return {address, fat_binary, "name", 2, surface, true, external};
}

class Registry : public ::testing::Test {
 protected:
  ~Registry() override {
    for (void*& handle : handles) remove_fat_binary(&handle);
  }
};

TEST_F(Registry, FindsRegisteredKernels) {
  add_fat_binary(&handles[0]);
  add_reference(reference(&handles[0], &host[0]));
  add_reference(reference(&handles[0], &host[1], true));
  const Reference* texture = find_texture(&host[0]);
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(texture->host, &host[0]);
  EXPECT_EQ(texture->fat_binary, &handles[0]);
  EXPECT_STREQ(texture->name, "name");
  EXPECT_EQ(texture->dimensions, 2);
  EXPECT_TRUE(texture->normalized);
  EXPECT_TRUE(registered(*texture));
  EXPECT_EQ(find_surface(&host[0]), nullptr);
  EXPECT_EQ(find_texture(&host[1]), nullptr);
  ASSERT_NE(find_surface(&host[1]), nullptr);
  EXPECT_EQ(find_texture(&host[2]), nullptr);
  EXPECT_EQ(find_texture(nullptr), nullptr);
}

TEST_F(Registry, KeepsTheFirstKernelOfEachFatBinary) {
  add_fat_binary(&handles[0]);
  EXPECT_EQ(kernel_of(&handles[0]), nullptr);
  add_kernel(&handles[0], &kernels[0]);
  add_fat_binary(&handles[1]);
  add_kernel(&handles[1], &kernels[1]);
  add_kernel(&handles[0], &kernels[2]);
  EXPECT_EQ(kernel_of(&handles[0]), &kernels[0]);
  EXPECT_EQ(kernel_of(&handles[1]), &kernels[1]);
  add_kernel(&handles[2], &kernels[3]);  // of an unknown module
  EXPECT_EQ(kernel_of(&handles[2]), nullptr);
  EXPECT_EQ(kernel_of(nullptr), nullptr);
}

TEST_F(Registry, ForgetsUnregisteredKernels) {
  add_fat_binary(&handles[0]);
  add_kernel(&handles[0], &kernels[0]);
  add_reference(reference(&handles[0], &host[0]));
  add_fat_binary(&handles[1]);
  add_reference(reference(&handles[1], &host[1]));
  const Reference* gone = find_texture(&host[0]);
  remove_fat_binary(&handles[0]);
  EXPECT_EQ(find_texture(&host[0]), nullptr);
  EXPECT_FALSE(registered(*gone));
  EXPECT_EQ(kernel_of(&handles[0]), nullptr);
  EXPECT_EQ(kernel_of(nullptr), nullptr);
  EXPECT_NE(find_texture(&host[1]), nullptr);
  remove_fat_binary(&handles[5]);
  remove_fat_binary(nullptr);
  EXPECT_NE(find_texture(&host[1]), nullptr);
}

// The runtime gives the handle of one that is gone to the next one.
TEST_F(Registry, AHandleThatComesAgainIsAnotherFatBinary) {
  add_fat_binary(&handles[0]);
  add_kernel(&handles[0], &kernels[0]);
  add_reference(reference(&handles[0], &host[0]));
  remove_fat_binary(&handles[0]);
  add_fat_binary(&handles[0]);
  EXPECT_EQ(kernel_of(&handles[0]), nullptr);
  EXPECT_EQ(find_texture(&host[0]), nullptr);
  add_kernel(&handles[0], &kernels[1]);
  EXPECT_EQ(kernel_of(&handles[0]), &kernels[1]);
}

TEST_F(Registry, OfTwoWithOneAddressTheDefinitionCounts) {
  add_fat_binary(&handles[0]);
  add_reference(reference(&handles[0], &host[0], false, false));
  add_reference(reference(&handles[0], &host[0], false, true));
  ASSERT_NE(find_texture(&host[0]), nullptr);
  EXPECT_FALSE(find_texture(&host[0])->external);
  add_reference(reference(&handles[0], &host[1], false, true));
  ASSERT_NE(find_texture(&host[1]), nullptr);
  EXPECT_TRUE(find_texture(&host[1])->external);
}

TEST_F(Registry, ManyThreadsMayRegister) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<void*> many(kThreads * kEach);
  std::vector<char> hosts(many.size());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t * kEach; i < (t + 1) * kEach; ++i) {
        add_fat_binary(&many[i]);
        add_kernel(&many[i], &hosts[i]);
        add_reference(reference(&many[i], &hosts[i]));
        if (i % 2 == 1) remove_fat_binary(&many[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < many.size(); ++i) {
    const Reference* found = find_texture(&hosts[i]);
    ASSERT_EQ(found != nullptr, i % 2 == 0) << i;
    ASSERT_EQ(kernel_of(&many[i]), i % 2 == 0 ? &hosts[i] : nullptr) << i;
    if (found != nullptr) {
      ASSERT_EQ(found->fat_binary, &many[i]);
    }
    remove_fat_binary(&many[i]);
  }
}

// In a separate process, since its memory is exhausted afterwards.
TEST_F(Registry, Full_KeepsItsEntries) {
  const auto fill = [] {
    add_fat_binary(&handles[0]);
    add_kernel(&handles[0], &kernels[0]);
    std::vector<void*> many(300000);
    for (void*& handle : many) add_fat_binary(&handle);
    for (void*& handle : many) add_reference(reference(&handle, &handle));
    add_kernel(&many.back(), &kernels[1]);
    const bool none_too_many = kernel_of(&many.back()) == nullptr;
    const bool first = kernel_of(&handles[0]) == &kernels[0] && find_texture(&many[0]) != nullptr;
    std::_Exit(none_too_many && first && find_texture(&many.back()) == nullptr ? 0 : 1);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace anycuda::references
