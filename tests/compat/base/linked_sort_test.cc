// SPDX-License-Identifier: Apache-2.0
#include "compat/base/linked_sort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace anycuda {
namespace {

struct Item {
  int key;
  int place;  // before sorting
  Item* next;
};

class LinkedSort : public testing::Test {
 protected:
  // Sorts a list of these keys by the highest.
  void sort(const std::vector<int>& keys) {
    items_.clear();
    for (const int key : keys) items_.push_back({key, static_cast<int>(items_.size()), nullptr});
    for (std::size_t i = 1; i < items_.size(); ++i) items_[i - 1].next = &items_[i];
    comparisons_ = 0;
    first_ = sorted(items_.empty() ? nullptr : &items_[0], &Item::next,
                    [this](const Item& a, const Item& b) {
                      ++comparisons_;
                      return a.key > b.key;
                    });
  }
  // Everything is there, the highest first, equals in the order that they had.
  void expect_sorted() const {
    std::size_t count = 0;
    for (const Item* item = first_; item != nullptr; item = item->next) {
      ++count;
      if (item->next == nullptr) break;
      ASSERT_GE(item->key, item->next->key);
      if (item->key == item->next->key) {
        ASSERT_LT(item->place, item->next->place);
      }
    }
    EXPECT_EQ(count, items_.size());
  }

  std::vector<Item> items_;
  Item* first_ = nullptr;
  int comparisons_ = 0;
};

TEST_F(LinkedSort, ShortLists) {
  for (const std::vector<int>& keys :
       {std::vector<int>{}, {1}, {1, 2}, {2, 1}, {1, 2, 3}, {3, 1, 2}, {1, 1, 2, 2, 1}}) {
    sort(keys);
    expect_sorted();
  }
}

TEST_F(LinkedSort, ManyNodesTakeNLogNComparisons) {
  std::mt19937 random(1);  // NOLINT: the same numbers each time
  for (const int count : {1000, 16000, 16385}) {
    std::vector<int> up;
    std::vector<int> down;
    std::vector<int> any;
    for (int i = 0; i < count; ++i) {
      up.push_back(i);
      down.push_back(-i);
      any.push_back(static_cast<int>(random() % 100));
    }
    for (const auto& keys : {up, down, any, std::vector<int>(up.size(), 7)}) {
      sort(keys);
      expect_sorted();
      EXPECT_LE(comparisons_, count * std::ceil(std::log2(count)));
    }
  }
}

}  // namespace
}  // namespace anycuda
