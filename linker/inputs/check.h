// Inputs and options are checked before anything is looked for: what is wrong in any case is said
// in any case.
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

// An input that was looked at.
struct Item {
  Input input;
  InputType type;    // never `any`
  std::string name;  // never empty
  Contents contents{};
};

// By how the inputs begin. Throws NoInputError, InputError.
std::vector<Item> checked(std::vector<Input> inputs);

// Files may have changed since, and may be pipes now, for which a backend would wait. Throws
// InputError.
void revalidate(const std::vector<Item>& items);

// Throws OptionError.
void check(const Options& options);

// What must be right of both together. Throws InputError.
void check(const std::vector<Item>& items, const Options& options);

// Reads each input to its end (of a file 1 GiB at most), into Item::contents, and refuses what a
// linker would leave out without a word. `arch`: Options::arch, or what it stands for, or "".
// Throws InputError; OptionError for `lto` without LTO-IR.
void look_into(std::vector<Item>* items, const Options& options, const std::string& arch);

// LTO-IR in no other form is among them.
bool has_lto_ir(const std::vector<Item>& items);

// "\n  what would help: " and a sentence about the input that a CUDA newer than this linker made;
// "" where there is none, or where either is unknown.
std::string hint_for_newer(const std::vector<Item>& items, const std::string& linker,
                           Version version);

// Of an input's name, and of an option of ptxas: nvJitLink 12.9 and 13.5 write messages with longer
// ones over the end of a buffer (measured: with 100,000 bytes, not with 60,000).
constexpr std::size_t kLongest = std::size_t{32} << 10;

// Throws InputError: "the input 'name' (PTX) " and why.
[[noreturn]] void refuse(const Input& input, const std::string& name, const std::string& why);

// Each throws OptionError with the option's name.
[[noreturn]] void refuse(const char* option, const std::string& why);
void check_range(const char* option, const std::optional<int>& value, int least, int most);
void check_registers(const std::optional<int>& value);
void check_texts(const char* option, const std::vector<std::string>& texts,
                 std::size_t longest = std::string::npos);

// Throws OptionError unless it is empty, or sm_ and a number and perhaps `a` or `f`; or compute_
// and the same.
void check_arch(const std::string& arch);
bool is_virtual(const std::string& arch);     // compute_...
unsigned number_of(const std::string& arch);  // 90 of sm_90a; 0 of ""

}  // namespace anycuda::linker
