#include <cuda.h>

#include <cstdio>

int main() { std::printf("cuInit %d\n", cuInit(0)); }
