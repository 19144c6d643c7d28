// SPDX-License-Identifier: Apache-2.0

// anycuda-device-code: the device code in files.
#include <cstdio>
#include <cstring>

#include "device_code/program/mapped_file.h"
#include "device_code/program/print.h"
#include "device_code/reader.h"

namespace anycuda::device_code {
namespace {

constexpr char kUsage[] =
    "usage: anycuda-device-code [--json] [--each] FILE...\n"
    "Lists the device code in libraries, programs, objects, static archives, fatbins, cubins and "
    "PTX.\n"
    "  --json   a JSON object on each line\n"
    "  --each   a line for each entry (default: one line for all entries of the same kind)\n"
    "Exit status: 0; 1 if a file or a part of a file cannot be read; 2 if the command line is "
    "wrong.\n";

// Damage repeats: the first places are enough. A library has some 50 groups; a file that is made to
// have millions must not fill its reader's memory.
constexpr int kMostProblems = 20;
constexpr int kMostGroups = 16384;

struct Run {
  const Printer* printer = &kText;
  bool each = false;
  bool failed = false;

  // Of the file that is being read.
  Groups groups;
  std::uint64_t entries = 0;
  int problems = 0;
  int printed = 0;
};

void take_problem(const Problem& problem, void* argument) {
  auto* run = static_cast<Run*>(argument);
  run->failed = true;
  if (++run->problems <= kMostProblems) run->printer->problem(problem, stdout);
}

void print_groups(Run* run) {
  for (const Group& group : run->groups) {
    if (++run->printed <= kMostGroups) run->printer->group(group, stdout);
    if (run->printed == kMostGroups) {
      take_problem(
          {"the list ends here, since it is too long; more entries may follow: --each lists all",
           group.about.offset},
          run);
    }
  }
  run->groups.clear();
}

void take_entry(const Entry& entry, void* argument) {
  auto* run = static_cast<Run*>(argument);
  ++run->entries;
  if (run->each) return run->printer->group({entry, 1}, stdout);
  if (run->groups.add(entry)) return;
  print_groups(run);
  run->groups.add(entry);
}

void list(const char* path, Run* run) {
  const MappedFile file(path);
  if (file.problem() != nullptr) {
    run->failed = true;
    return run->printer->unreadable(path, file.problem(), stdout);
  }
  run->entries = 0;
  run->problems = 0;
  run->printed = 0;
  run->printer->file(path, stdout);
  const FileKind kind = read(file.bytes(), {take_entry, take_problem, run});
  print_groups(run);
  run->printer->end(kind, run->entries, stdout);
}

int run(int count, char** words) {
  static Run run;  // too large for a small stack
  int first = 1;
  for (; first < count && words[first][0] == '-' && words[first][1] != '\0'; ++first) {
    const char* word = words[first];
    if (std::strcmp(word, "--") == 0) {
      ++first;
      break;
    }
    if (std::strcmp(word, "--help") == 0) return std::fputs(kUsage, stdout) < 0 ? 1 : 0;
    if (std::strcmp(word, "--json") == 0) {
      run.printer = &kJson;
    } else if (std::strcmp(word, "--each") == 0) {
      run.each = true;
    } else {
      std::fprintf(stderr, "anycuda-device-code: unknown option %s\n%s", word, kUsage);
      return 2;
    }
  }
  if (first >= count) {
    std::fprintf(stderr, "anycuda-device-code: no file given\n%s", kUsage);
    return 2;
  }
  for (int i = first; i < count; ++i) list(words[i], &run);
  if (std::fflush(stdout) != 0) {
    std::perror("anycuda-device-code: the output cannot be written");
    return 1;
  }
  return run.failed ? 1 : 0;
}

}  // namespace
}  // namespace anycuda::device_code

int main(int count, char** words) { return anycuda::device_code::run(count, words); }
