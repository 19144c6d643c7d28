// SPDX-License-Identifier: Apache-2.0

// Matrices of blocks for cuSPARSE, by rows of blocks.
#pragma once

#include "sparse_families.h"

namespace maths {

constexpr int kRows = 24, kColumns = 18, kBlock = 3;
constexpr cusparseDirection_t kDirection = CUSPARSE_DIRECTION_ROW;

// The blocks that have entries, each by rows.
struct Blocks {
  Blocks(const std::vector<double>& dense, int height, int width, int block_height, int block_width)
      : Blocks(dense, not_zero(dense), height, width, block_height, block_width) {}
  // Zeros can be entries too.
  Blocks(const std::vector<double>& dense, const std::vector<bool>& entries, int height, int width,
         int block_height, int block_width)
      : has(dense.size()) {
    for (int row = 0; row < height; row += block_height) {
      for (int column = 0; column < width; column += block_width) {
        std::vector<double> block;
        bool any = false;
        for (int at = 0; at < block_height * block_width; ++at) {
          const int place = row + at / block_width + (column + at % block_width) * height;
          block.push_back(dense[place]);
          any = any || entries[place];
        }
        if (!any) continue;
        columns.push_back(column / block_width);
        values.insert(values.end(), block.begin(), block.end());
        for (int at = 0; at < block_height * block_width; ++at) {
          has[row + at / block_width + (column + at % block_width) * height] = true;
        }
      }
      rows.push_back(count());
    }
  }
  static std::vector<bool> not_zero(const std::vector<double>& dense) {
    std::vector<bool> entries;
    for (const double value : dense) entries.push_back(value != 0);
    return entries;
  }
  int count() const { return static_cast<int>(columns.size()); }
  std::vector<int> rows{0}, columns;
  std::vector<double> values;
  std::vector<bool> has;
};

// Few blocks, so that some have no entries.
inline std::vector<double> sparse_blocks(int rows, int columns, std::uint32_t seed) {
  std::vector<double> dense = dense_with_holes(rows, columns, seed);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      if ((i / kBlock + 2 * (j / kBlock)) % 3 == 1) dense[i + j * rows] = 0;
    }
  }
  return dense;
}

template <typename T>
struct OnDevice {
  explicit OnDevice(const Blocks& blocks)
      : rows(blocks.rows), columns(blocks.columns), values(turned<T>(blocks.values)) {}
  const DeviceArray<int> rows, columns;
  const DeviceArray<T> values;
};

}  // namespace maths
