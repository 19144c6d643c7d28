// SPDX-License-Identifier: Apache-2.0

// Checks of inputs and options. They run before the search for a linker, so a wrong input or option
// is reported on every machine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/input.h"
#include "anycuda/linker/options.h"
#include "linker/inputs/contents.h"

namespace anycuda::linker {

// An input with its type and contents.
struct Item {
  Input input;
  InputType type;    // never `any`
  std::string name;  // never empty
  Contents contents{};
};

InputType type_of(Output output);

// Determines each input's type from its first bytes. Throws NoInputError, InputError.
std::vector<Item> checked(std::vector<Input> inputs);

// Checks the types of files again: since checked(), a file may have changed, or may have become a
// pipe, for which a backend would wait. Throws InputError.
void revalidate(const std::vector<Item>& items);

// Throws OptionError.
void check(const Options& options);

// Checks inputs against options. Throws InputError.
void check(const std::vector<Item>& items, const Options& options);

// Reads each input (except a file larger than 1 GiB) into Item::contents, and refuses device code
// that a linker would silently leave out. `arch`: Options::arch, or the architecture that it stands
// for, or "". Throws InputError; OptionError for `lto` without LTO-IR.
void look_into(std::vector<Item>* items, const Options& options, const std::string& arch);

// Whether an input is NVVM IR, or has code for the target that is LTO-IR only.
bool has_lto_ir(const std::vector<Item>& items);

// "\n  what to do: " and a sentence about the first input made by a newer CUDA than the linker
// is of. "" if no input is known to be newer, or the linker's version is unknown. `driver`: the
// driver's CUDA if its linker could make the link instead.
std::string hint_for_newer(const std::vector<Item>& items, const std::string& linker,
                           Version version, Version driver = {});

// Limit in bytes for an input's name and for a ptxas option: nvJitLink 12.9 and 13.5 overrun a
// buffer when they write messages with longer ones (measured: with 100,000 bytes, not with 60,000).
constexpr std::size_t kLongest = std::size_t{32} << 10;

// Throws InputError: "the input 'name' (PTX) ", followed by `why`.
[[noreturn]] void refuse(const Input& input, const std::string& name, const std::string& why);

// Each throws OptionError with the option's name.
[[noreturn]] void refuse(const char* option, const std::string& why);
void check_range(const char* option, const std::optional<int>& value, int least, int most);
void check_registers(const std::optional<int>& value);
void check_threads(const char* option, const std::optional<int>& value);
void check_texts(const char* option, const std::vector<std::string>& texts,
                 std::size_t longest = std::string::npos);

// Throws OptionError unless `arch` is empty, or is sm_ or compute_, a number, and optionally `a` or
// `f`.
void check_arch(const std::string& arch);
bool is_virtual(const std::string& arch);        // compute_...
std::string real_arch(const std::string& arch);  // "sm_90a" for both spellings; "" for ""
unsigned number_of(const std::string& arch);     // 90 for sm_90a; 0 for ""

}  // namespace anycuda::linker
