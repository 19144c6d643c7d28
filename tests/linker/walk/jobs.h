// What the program linker_walk does.
#pragma once

#include "forms.h"

namespace walk {

int product(const std::vector<Form>& forms);

}  // namespace walk
