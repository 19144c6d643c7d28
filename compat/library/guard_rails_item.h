// A piece that was found, as the guard rails know it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "anycuda/compat/catalogue.h"
#include "anycuda/compat/version.h"

namespace anycuda::compat {

struct Item {
  const Piece* piece = nullptr;
  std::string path;      // of the headers' folder, else of the file
  Version version;       // the toolkit's; unknown: neutral, or best_effort let it pass
  std::string source;    // what told the version: "wheel nvidia-cuda-nvrtc-cu12 12.9.86"
  int soname_major = 0;  // of a dynamic library: the major that its SONAME names, 0: none
};

// A library that the process has loaded.
struct LoadedImage {
  std::string name;    // as the dynamic linker has it: what it is opened by
  std::string path;    // absolute
  std::string soname;  // the catalogue's name for it, also where a wheel has renamed its copy
};

// A piece that is to be judged.
struct Finding {
  Item item;
  std::string problem;                // why its version is not known
  std::vector<LoadedImage> runtimes;  // for cudart: every one that the process has loaded
};

// 12 of "libcudart.so.12", 11 of "libcudart.so.11.0", 0 of what names none.
int major_of_soname(std::string_view soname);

// The CUDA runtime as a dynamic library: of it a process may have one major alone.
bool is_runtime(const Piece& piece);

// Of one component, or the same piece twice: must they be of exactly the same toolkit?
bool companions(const Item& a, const Item& b);

// The same piece of the same place and version?
bool same(const Item& a, const Item& b);

}  // namespace anycuda::compat
