// SPDX-License-Identifier: Apache-2.0
#include "compat/find/find.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anycuda/compat/guard_rails.h"
#include "compat/base/arena.h"
#include "compat/doctor/record_writer.h"
#include "compat/library/system.h"
#include "compat/search/machine/roots.h"

namespace anycuda::compat {
namespace {

constexpr const char* kKindWords[] = {"library", "headers", "static", "bitcode", "program"};

const char* word_of(Kind kind) { return kKindWords[static_cast<std::size_t>(kind)]; }

const char* place_of(Found where) {
  constexpr const char* kPlaces[] = {"loaded", "beside",           "library_path", "wheel",
                                     "conda",  "toolkit_variable", "system"};
  return kPlaces[static_cast<std::size_t>(where)];
}

std::optional<Kind> kind_named(std::string_view word) {
  if (word.empty()) return std::nullopt;
  std::uint8_t number = 0;
  for (const std::string_view one : kKindWords) {
    if (one == word) return static_cast<Kind>(number);
    ++number;
  }
  throw UnknownNameError("the kind '" + std::string(word) +
                         "' is unknown: use library, program, static, bitcode or headers");
}

// A machine that builds has no driver; the driver is for those who load a library.
Options options_of(const char* constraint) {
  Options options;
  options.mode = Mode::best_effort;
  options.driver = DriverFacts{};
  if (*constraint != '\0') options.constraint = constraint;
  return options;
}

Located locate(CompatibilityGuardRails* rails, const Component& component) {
  switch (component.kind) {
    case Kind::headers:
      return rails->locate_headers(component.name);
    case Kind::static_library:
      return rails->locate_static_library(component.name);
    case Kind::bitcode_library:
      return rails->locate_bitcode_library(component.name);
    case Kind::program:
      return rails->locate_program(component.name);
    default:
      return rails->locate_dynamic_library(component.name);
  }
}

class Answer {
 public:
  Answer(const char* constraint, int file)
      : options_(options_of(constraint)), system_(system_of(options_)), records_(file) {}

  // The components that are asked for; throws UnknownNameError before any search.
  void ask(std::optional<Kind> kind, int count, const char* const* names) {
    std::vector<const Component*> components;
    components.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      components.push_back(kind ? &component_named(*kind, names[i]) : &component_named(names[i]));
    }
    CompatibilityGuardRails rails(options_);
    for (const Component* component : components) find(&rails, *component);
    if (reads_toolkit_variables_) warn();
  }

  void list(std::optional<Kind> kind) {
    for (const Component& component : all_components()) {
      if (!kind || component.kind == *kind) begin("name", component).end();
    }
  }

  void refuse(const Error& error) { records_.begin("refused").field("text", error.what()).end(); }

  bool complete() const { return records_.complete(); }

 private:
  doctor::RecordWriter& begin(const char* record, const Component& component) {
    return records_.begin(record)
        .field("name", std::string(component.name).c_str())
        .field("kind", word_of(component.kind));
  }

  void find(CompatibilityGuardRails* rails, const Component& component) {
    try {
      write(component, locate(rails, component));
    } catch (const NotFoundError& error) {
      reads_toolkit_variables_ = true;
      fail(component, "not_found", error);
      for (const std::string& path : error.searched()) {
        records_.begin("searched").field("path", path.c_str()).end();
      }
    } catch (const ToolkitMismatchError& error) {
      fail(component, "mismatch", error);
    } catch (const Error& error) {
      fail(component, "other", error);
    }
  }

  // A cuda.h beside a component of another origin says nothing about it.
  ToolkitAnswer toolkit_of(const Component& component, const std::string& path) {
    ToolkitAnswer answer = system_.version_of(component, path);
    if (component.packaging == Packaging::toolkit) return answer;
    const char* const problem = component.packaging == Packaging::driver
                                    ? "it comes with the driver"
                                    : "it is released apart from the CUDA Toolkit";
    return {{}, "", "", problem, answer.package};
  }

  void write(const Component& component, const Located& located) {
    if (located.where == Found::toolkit_variable) reads_toolkit_variables_ = true;
    const ToolkitAnswer toolkit = toolkit_of(component, located.path);
    begin("found", component)
        .field("path", located.path.c_str())
        .field("place", place_of(located.where))
        .field("major", toolkit.version.major)
        .field("minor", toolkit.version.minor)
        .field("source", toolkit.source.c_str())
        .field("file", toolkit.file.c_str())
        .field("problem", toolkit.problem.c_str())
        .field("package", toolkit.package.c_str())
        .end();
  }

  void fail(const Component& component, const char* type, const Error& error) {
    begin("failed", component).field("type", type).field("text", error.what()).end();
  }

  // The guard rails' own warning is in the log, which a script does not see.
  void warn() {
    Arena arena;
    const char* text = differing_toolkit_variables(Machine{}, &arena);
    if (text != nullptr) records_.begin("warning").field("text", text).end();
  }

  const Options options_;
  const System system_;
  doctor::RecordWriter records_;
  bool reads_toolkit_variables_ = false;
};

int answer(int count, const char* const* words, int file) {
  if (count < 2) return EINVAL;
  Answer answer(words[0], file);
  try {
    const std::optional<Kind> kind = kind_named(words[1]);
    if (count == 2) {
      answer.list(kind);
    } else {
      answer.ask(kind, count - 2, words + 2);
    }
  } catch (const Error& error) {
    answer.refuse(error);
  }
  return answer.complete() ? 0 : EIO;
}

}  // namespace
}  // namespace anycuda::compat

int anycuda_find(int count, const char* const* words, int file) {
  try {
    return anycuda::compat::answer(count, words, file);
  } catch (const std::exception&) {  // only std::bad_alloc
    return ENOMEM;
  }
}
