// SPDX-License-Identifier: Apache-2.0

// Puts wrong bytes into what describes a library file (its ELF headers, dynamic section, hash,
// symbol, string and version tables), again and again, always the same ones; after each, a child
// makes its first call. Says what came of it:  mutate FILE COUNT
#include <cuda_runtime_api.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

struct Range {
  std::size_t begin, size;
};

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<Range> describing(const std::string& bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  std::vector<Range> ranges = {{0, sizeof header},
                               {header.e_phoff, sizeof(Elf64_Phdr) * header.e_phnum}};
  std::vector<Elf64_Phdr> segments;
  for (int i = 0; i < header.e_phnum; ++i) {
    segments.push_back(at<Elf64_Phdr>(bytes, header.e_phoff + sizeof(Elf64_Phdr) * i));
  }
  for (const Elf64_Phdr& dynamic : segments) {
    if (dynamic.p_type != PT_DYNAMIC) continue;
    ranges.push_back({dynamic.p_offset, dynamic.p_filesz});
    for (std::size_t i = 0; i < dynamic.p_filesz; i += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(bytes, dynamic.p_offset + i);
      std::size_t size = 0;
      switch (entry.d_tag) {
        case DT_GNU_HASH:
        case DT_HASH:
          size = 4096;
          break;
        case DT_SYMTAB:
          size = 4096;
          break;
        case DT_STRTAB:
          size = 4096;
          break;
        case DT_VERDEF:
          size = 64;
          break;
        default:
          continue;
      }
      for (const Elf64_Phdr& s : segments) {
        const std::uint64_t inside = entry.d_un.d_ptr - s.p_vaddr;
        if (s.p_type == PT_LOAD && entry.d_un.d_ptr >= s.p_vaddr && inside < s.p_filesz) {
          ranges.push_back({s.p_offset + inside, size});
        }
      }
    }
  }
  return ranges;
}

// The same numbers on every computer.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % limit;
  }

 private:
  std::uint64_t state_;
};

std::string mutated(const std::string& bytes, const std::vector<Range>& ranges, int number) {
  Numbers numbers(static_cast<std::uint64_t>(number));
  std::string result = bytes;
  for (std::uint64_t left = 1 + numbers.below(6); left > 0; --left) {
    const Range& range = ranges[numbers.below(ranges.size())];
    const std::size_t place = range.begin + numbers.below(range.size);
    const std::size_t width = std::size_t{1} << numbers.below(4);
    const std::uint64_t values[] = {0, ~std::uint64_t{0}, numbers.below(~std::uint64_t{0}),
                                    bytes.size(), std::uint64_t{1} << numbers.below(64)};
    const std::uint64_t value = values[numbers.below(5)];
    std::memcpy(&result[place], &value, std::min(width, result.size() - place));
  }
  return result;
}

enum Outcome { kNextUsed = 10, kDefinedError = 11, kOtherError = 12 };

int first_call() {
  alarm(60);
  if (cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindSigned).x == 8) return kNextUsed;
  int count = 77;
  const cudaError_t error = cudaGetDeviceCount(&count);
  return error == cudaErrorInsufficientDriver && count == 0 ? kDefinedError : kOtherError;
}

std::string outcome_of_child() {
  const pid_t child = fork();
  if (child == 0) _exit(first_call());
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case kNextUsed:
      return "the next candidate was used";
    case kDefinedError:
      return "cudaErrorInsufficientDriver";
    default:
      return "exit status " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

int main(int, char** argv) {
  const char* file = argv[1];
  const int count = std::atoi(argv[2]);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const std::vector<Range> ranges = describing(bytes);
  std::map<std::string, std::vector<int>> outcomes;
  for (int i = 0; i < count; ++i) {
    const std::string now = mutated(bytes, ranges, i);
    const int output = open(file, O_WRONLY);
    if (output < 0 || pwrite(output, now.data(), now.size(), 0) < 0) return 2;
    close(output);
    outcomes[outcome_of_child()].push_back(i);
  }
  for (const auto& [outcome, numbers] : outcomes) {
    std::printf("%zu of %d mutations: %s\n", numbers.size(), count, outcome.c_str());
    if (outcomes.size() > 1) std::printf("  the first of them: %d\n", numbers.front());
  }
}
