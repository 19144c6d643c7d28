// SPDX-License-Identifier: Apache-2.0

// What the program linker_walk does.
#pragma once

#include "forms.h"

namespace walk {

int product(const std::vector<Form>& forms);
int devices(const std::vector<Form>& forms);
int link(const std::vector<std::string>& arguments);

}  // namespace walk
