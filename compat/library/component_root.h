// SPDX-License-Identifier: Apache-2.0

// The root that a component was found in, by its path and the catalogue's folders: it leads from
// one component of a toolkit to the others, even if no search tier has the toolkit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "anycuda/compat/catalogue.h"
#include "compat/library/find_locations.h"

namespace anycuda::compat {

struct ComponentRoot {
  std::string path;  // a site-packages, a toolkit's or conda's prefix, the system's root
  Texts Component::*folders = {};  // the catalogue's folders for a root of this kind
};

bool operator==(const ComponentRoot& a, const ComponentRoot& b);

// Pure. `path`: absolute, of the file, or of the folder of headers. Nothing, if it is in none of
// the component's folders. Links are not followed.
std::optional<ComponentRoot> root_of(const Component& component, std::string_view path);

// Where a component is looked for below a root.
SearchLocations locations_below(const ComponentRoot& root, const Component& component);

}  // namespace anycuda::compat
