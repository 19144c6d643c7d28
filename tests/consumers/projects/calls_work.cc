// SPDX-License-Identifier: Apache-2.0
extern "C" int work();
int main() { work(); }
