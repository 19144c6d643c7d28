// What a NotFoundError says.
#pragma once

#include <string>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/library/find_file.h"
#include "compat/library/find_places.h"

namespace anycuda::compat {

// A file that exists and is not usable.
struct PassedFile {
  std::string path;
  FileAnswer answer;
};

NotFoundError not_found(const Component& component, const PlacesToLook& looked,
                        const std::vector<PassedFile>& passed);

// The program is there; `looked` are the places up to it.
NotFoundError not_runnable(const Component& component, const std::string& path,
                           const PlacesToLook& looked);

}  // namespace anycuda::compat
