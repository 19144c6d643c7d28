// What a NotFoundError says.
#pragma once

#include <string>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/library/find_places.h"

namespace anycuda::compat {

// `problems`: files that are there and are not the piece, and why.
NotFoundError not_found(const Piece& piece, const PlacesToLook& looked,
                        const std::vector<std::string>& problems);

// The program is there; `looked` are the places up to it.
NotFoundError not_runnable(const Piece& piece, const std::string& path, const PlacesToLook& looked);

}  // namespace anycuda::compat
