// SPDX-License-Identifier: Apache-2.0

// The description of a library that a search starts from. The generator writes it from
// stubs/<library>/library.json (stubs/tools/generate/tables.py).
#pragma once

#include <cstdint>
#include <cstring>

#include "compat/rules/candidate_rule.h"

namespace anycuda {

// One SONAME of the library, and the majors of CUDA that it is of: libcufft.so.11 is of CUDA 12,
// libcusparse.so.12 of CUDA 12 and 13. Majors are CUDA's everywhere.
struct MajorRow {
  int major;                   // the first
  int newest;                  // the last
  const char* soname;          // libcudart.so.12
  const char* symbol_version;  // nullptr: unversioned

  bool holds(int cuda_major) const { return major <= cuda_major && cuda_major <= newest; }
  // The releases of its majors as numbers, in their order; -1 and an unknown minor belong together.
  static constexpr int kMinors = 32;
  Version release_at(int place) const {
    return place < 0 ? Version{major, -1} : Version{major + place / kMinors, place % kMinors};
  }
};

// The numbers in the names of the library's files in a release of CUDA (libcurand.so.10.3.10), if
// they are not CUDA's.
struct NumberRow {
  std::uint16_t release;  // 1209 for CUDA 12.9
  std::uint8_t first[3];
  std::uint8_t last[3];
};

// A function of the library that reports its version and starts nothing: neither the driver nor the
// library itself.
enum class VersionForm : std::uint8_t {
  none,
  number,      // int f(int*): 1000 * major + 10 * minor
  major_minor  // int f(int*, int*)
};
struct VersionFunction {
  const char* name = nullptr;
  VersionForm form = VersionForm::none;
  Version since;  // the first release in which it is there and starts nothing
};

struct LibraryDescriptor;

// A library whose CUDA matters for another's.
struct Relative {
  const LibraryDescriptor* library;
  Bond bond;
};

// Facts for finding a library; enough to look for one that has no stub in this file (the driver).
struct LibraryDescriptor {
  const char* name;          // "cudart", as reports name it
  const char* product;       // "CUDA runtime"
  const char* variable;      // "ANYCUDA_CUDART"
  const char* file_prefix;   // "libcudart.so": what every name of the library starts with
  const char* install_hint;  // what to install when no file is found
  const MajorRow* majors;
  int major_count;
  const char* const* wheel_folders;  // below site-packages, nullptr at the end
  bool is_driver;                    // lives in the system alone, never in wheels or toolkits
  LibraryRules rules;
  const LibraryDescriptor* peer;  // gives it LTO-IR, or takes it; nullptr: none does
  VersionFunction version_function = {};
  const Relative* relatives = nullptr;
  int relative_count = 0;
  bool own_releases = false;  // numbered apart from CUDA's (cuDNN 9.12, NCCL 2.28)
  // The SONAME and symbol version that callers of an earlier major of the library ask for
  // (libcudnn.so.8). A library of that name serves them unchanged. nullptr: callers are of
  // `majors`.
  const char* earlier_soname = nullptr;
  // A file that the library opens by its name, without a folder: this text and the library's
  // release. "libnvrtc-builtins.so" for libnvrtc-builtins.so.13.0; nullptr if it opens none.
  const char* opens = nullptr;
  // The files beside it that it opens by their names, without a folder: how the names begin, before
  // the ending of its SONAME. "libcudnn_" for libcudnn_graph.so.9; nullptr if it has none.
  const char* parts = nullptr;
  const NumberRow* numbers = nullptr;  // in the order of the releases
  int number_count = 0;

  // Index of CUDA's `major` in `majors`, -1 for one that the database does not know.
  int index_of(int major) const {
    for (int i = 0; i < major_count; ++i) {
      if (majors[i].holds(major)) return i;
    }
    return -1;
  }
  bool is_earlier(const char* soname) const {
    return earlier_soname != nullptr && std::strcmp(earlier_soname, soname) == 0;
  }
  // The last major with the SONAME of `major`.
  int newest_like(int major) const {
    const int index = index_of(major);
    return index >= 0 ? majors[index].newest : major;
  }
  // The same, with the newest known one for those it does not know.
  int column_of(int major) const {
    const int index = index_of(major);
    return index >= 0 ? index : major_count - 1;
  }
};

// The driver's descriptor, which the driver rule needs for every library. Every program that links
// the search defines it: a stub in its tables, others in the descriptors of all libraries
// (libraries.h).
extern const LibraryDescriptor kDriver;

}  // namespace anycuda
