// SPDX-License-Identifier: Apache-2.0
#include "compat/library/find_message.h"

#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "compat/base/lexical_path.h"

namespace anycuda::compat {
namespace {

using Lines = std::vector<std::string>;

std::string listed(const Texts& texts, const char* last_separator) {
  std::string text;
  std::size_t number = 0;
  for (const std::string_view one : texts) {
    if (number != 0) text += number + 1 == texts.size() ? last_separator : ", ";
    text += one;
    ++number;
  }
  return text;
}

std::string describe_errno(int error) { return std::generic_category().message(error); }

const char* describe_type(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder";
  if (S_ISFIFO(mode)) return "is a pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is a device";
}

// What makes the file unusable.
std::string describe_problem(const FileAnswer& file) {
  switch (file.state) {
    case FileState::missing:
      return "is a link that leads nowhere";
    case FileState::unreadable:
      return std::string(file.mode == 0 ? "cannot be examined (" : "cannot be read (") +
             describe_errno(file.error) + ")";
    case FileState::not_a_file:
      return describe_type(file.mode);
    case FileState::not_elf:
      return "is not an ELF file";
    case FileState::other_architecture:
      return "is for another CPU";
    case FileState::truncated:
      return file.size == 0 ? "is empty" : "is cut short";
    case FileState::other_library:
      return "is another library: its SONAME is " + file.soname;
    case FileState::anycuda_stub:
      return "is an anycuda stub";
    case FileState::link_stub:
      return "is NVIDIA's stub for linking, not a driver";
    case FileState::out_of_memory:
      return "could not be examined: out of memory";
    case FileState::usable:
      return "is not executable for this user (no execute permission, or a noexec mount)";
    default:
      return "is not a shared library";
  }
}

Lines problems_of(const std::vector<PassedFile>& passed) {
  Lines problems;
  problems.reserve(passed.size());
  for (const PassedFile& file : passed) {
    problems.push_back(describe_passed(file));
  }
  return problems;
}

// A headline and lines below it.
void add_block(std::string headline, const Lines& below, Lines* text) {
  text->push_back(std::move(headline));
  for (const std::string& one : below) text->push_back("    " + one);
}

bool holds_packages(const std::string& folder) {
  const std::string_view name = anycuda::name_of(folder);
  return name == "site-packages" || name == "dist-packages";
}

// Every folder above the program may be a site-packages; those that are not called so are counted.
void describe_wheels(const Component& component, const SearchLocations& looked, Lines* text) {
  Lines sites;
  std::string last;
  std::size_t others = 0;
  for (const SearchLocation& location : looked.locations) {
    if (location.where != Found::wheel || location.base == last) continue;
    last = location.base;
    if (holds_packages(location.base)) {
      sites.push_back(location.base);
    } else {
      ++others;
    }
  }
  if (others != 0) {
    sites.push_back(std::to_string(others) + (sites.empty() ? "" : " other") +
                    (others == 1 ? " folder, which contains this program or is in PYTHONPATH"
                                 : " folders, which contain this program or are in PYTHONPATH"));
  }
  if (sites.empty()) return text->push_back("  wheels: no Python environment is in use");
  add_block("  wheels: " + listed(component.wheel_folders, " and ") + " below", sites, text);
}

// The folders of one kind, below their title, or `none` behind it.
void describe_folders(const SearchLocations& looked, Found where, const std::string& title,
                      const char* none, Lines* text) {
  Lines paths;
  for (const SearchLocation& location : looked.locations) {
    if (location.where == where) paths.push_back(location.path);
  }
  add_block(paths.empty() ? title + none : title, paths, text);
}

void describe_locations(const Component& component, const SearchLocations& looked, Lines* text) {
  const bool dynamic = component.kind == Kind::dynamic_library;
  if (dynamic)
    describe_folders(looked, Found::library_path, "  LD_LIBRARY_PATH: ", "not set to a folder",
                     text);
  if (component.wheel_folders.size() != 0) describe_wheels(component, looked, text);
  if (component.root_folders.size() != 0) {
    describe_folders(looked, Found::conda, "  conda: ", "no conda environment is in use", text);
    std::string variables;
    for (const std::string_view name : component.variables) variables += std::string(name) + ", ";
    describe_folders(looked, Found::toolkit_variable,
                     "  " + variables + "CUDA_PATH, CUDA_HOME, ...: ", "not set to a folder", text);
  }
  describe_folders(looked, Found::system,
                   dynamic ? "  system: " + looked.root + "/etc/ld.so.cache, and" : "  system:",
                   " no folder", text);
}

// "nvidia-cublas-cu12" is of CUDA 12; the toolkit's own have no major in their names from 13 on.
std::string help(const Component& component, const std::vector<PassedFile>& passed) {
  for (const PassedFile& file : passed) {
    if (lacks_run_bit(component, file.answer)) {
      return "chmod +x " + file.path + "; or " + help(component, {});
    }
  }
  if (component.packaging == Packaging::driver) {
    return "it comes with NVIDIA's display driver: install the driver; in a container, start the "
           "container with the host's GPUs";
  }
  std::string text;
  if (component.distributions.size() != 0) {
    text = "pip install " + listed(component.distributions, " or ");
    if (component.distributions.size() > 1) text += ", for the CUDA major that you want";
  } else if (component.packaging == Packaging::toolkit) {
    text = "no wheel has it: install it with NVIDIA's CUDA Toolkit or conda";
  } else {
    text = "no wheel has it: install NVIDIA's package of it";
  }
  if (component.root_folders.size() == 0) return text;
  const bool has_variable = component.variables.size() != 0;
  return text + "; or set " +
         std::string(has_variable ? *component.variables.begin() : "CUDA_PATH") +
         " to the folder of an installation that has it";
}

std::vector<std::string> searched(const SearchLocations& looked) {
  std::vector<std::string> paths;
  for (const SearchLocation& location : looked.locations) paths.push_back(location.path);
  return paths;
}

}  // namespace

std::string describe_passed(const PassedFile& file) {
  return file.path + " " + describe_problem(file.answer);
}

NotFoundError not_found(const Component& component, const SearchLocations& looked,
                        const std::vector<PassedFile>& passed) {
  const bool headers = component.kind == Kind::headers;
  Lines text = {"the " + std::string(name_of(component.kind)) + (headers ? " of " : " ") +
                std::string(component.name) + (headers ? " were" : " was") +
                " not found: no usable " + listed(component.files, " or ") + " is in"};
  describe_locations(component, looked, &text);
  if (!passed.empty()) add_block("found, but not usable:", problems_of(passed), &text);
  if (!looked.remarks.empty()) add_block("not searched:", looked.remarks, &text);
  text.push_back("what to do: " + help(component, passed));
  return {text, searched(looked)};
}

}  // namespace anycuda::compat
