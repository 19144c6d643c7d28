// The same for targets of projects that have C++.
#include "built_for.c"
