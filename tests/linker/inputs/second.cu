extern "C" __global__ void second(int* out) { *out += 2; }
