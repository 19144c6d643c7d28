// SPDX-License-Identifier: Apache-2.0

// Sorts a linked list in place: libc's qsort() may allocate.
#pragma once

#include <cstddef>

namespace anycuda {

// Merges two sorted lists; of equals those of `a` go first.
template <typename Node, typename Before>
Node* merged(Node* a, Node* b, Node* Node::*next, Before before) {
  Node* first = nullptr;
  Node** end = &first;
  while (a != nullptr && b != nullptr) {
    Node*& taken = before(*b, *a) ? b : a;
    *end = taken;
    end = &(taken->*next);
    taken = *end;
  }
  *end = a != nullptr ? a : b;
  return first;
}

// The first of the sorted list, after n * log2(n) comparisons at most. Equals keep their order.
template <typename Node, typename Before>
Node* sorted(Node* list, Node* Node::*next, Before before) {
  if (list == nullptr || list->*next == nullptr) return list;  // most environments have no file
  constexpr int kRuns = 32;
  Node* runs[kRuns] = {};  // runs[i]: nullptr, or 2^i nodes that came before those of runs[i - 1]
  while (list != nullptr) {
    Node* run = list;
    list = list->*next;
    run->*next = nullptr;
    int i = 0;
    for (; i < kRuns - 1 && runs[i] != nullptr; ++i) {
      run = merged(runs[i], run, next, before);
      runs[i] = nullptr;
    }
    runs[i] = run;
  }
  Node* whole = nullptr;
  for (Node* run : runs) {
    if (run != nullptr) whole = whole != nullptr ? merged(run, whole, next, before) : run;
  }
  return whole;
}

}  // namespace anycuda
