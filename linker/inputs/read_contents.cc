// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/contents.h"
#include "linker/inputs/contents_reader.h"

namespace anycuda::linker {

std::string in_place(const std::string& place) { return place == kIt ? "" : " (in " + place + ")"; }

Contents contents_of(std::string_view bytes, InputType type, const Target& target) {
  Contents contents;
  ContentsReader reader(target, &contents);
  const Bytes file = {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
  switch (type) {
    case InputType::ptx:
      reader.ptx(file);
      break;
    case InputType::cubin:
      reader.cubin(file);
      break;
    case InputType::fatbin:
      reader.fatbin(file);
      break;
    case InputType::object:
      reader.object(file);
      break;
    case InputType::library:
      reader.archive(file);
      break;
    case InputType::lto_ir:
      reader.lto_ir(file);
      break;
    default:  // index, nvvm
      contents.opaque = true;
      break;
  }
  return contents;
}

}  // namespace anycuda::linker
