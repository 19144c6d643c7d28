// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <cstdio>

int main() { std::printf("cuInit %d\n", cuInit(0)); }
