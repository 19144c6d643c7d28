// SPDX-License-Identifier: Apache-2.0

// The same for targets of projects that have C++.
#include "built_for.c"
