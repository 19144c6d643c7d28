// SPDX-License-Identifier: Apache-2.0

// Between gathering and evaluation: what the rules need is asked for, and nothing else.
#pragma once

#include "compat/search/gathered.h"

namespace anycuda {

// Gives each usable candidate of the present environment its verdict. Asks first for the facts that
// a verdict depends on: which candidates the process has loaded, the driver's CUDA version, exact
// versions; and then, if it decides between accepted candidates, for the machine's GPUs.
void give_verdicts(Gathered* gathered);

}  // namespace anycuda
