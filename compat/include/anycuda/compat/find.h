// Where pieces are: NVIDIA's wheels in the Python environment, conda, CUDA_PATH and CUDA_HOME, the
// system. Nothing is loaded.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "anycuda/compat/catalogue.h"

namespace anycuda::compat {

// In the order in which they are searched.
enum class Found : std::uint8_t { loaded, wheel, conda, toolkit_variable, system };
const char* name_of(Found where);

struct Located {
  std::string path;  // absolute; the folder for headers, else the file
  std::string file;  // its name as the catalogue has it, "" for headers
  Found where = Found::system;
};

// Looks for pieces and remembers what it found, also that it found nothing. Thread-safe; two
// threads that ask together may both look.
class Finder {
 public:
  Finder() = default;
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  // The first place that has the piece; of several SONAMEs in one folder the newest. Throws
  // NotFoundError with the places that were looked at. A program is found first and checked then:
  // one without its run bit is an error that names the file.
  Located find(const Piece& piece);

  // Every place's, best first; empty if there is none. Never cached.
  static std::vector<Located> find_all(const Piece& piece);

  // Forgets all; the next find() looks again.
  void clear();

 private:
  std::mutex mutex_;
  std::map<const Piece*, Located> found_;
};

}  // namespace anycuda::compat
