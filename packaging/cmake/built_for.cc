// SPDX-License-Identifier: Apache-2.0

// The same for targets of projects with C++.
#include "built_for.c"
