// SPDX-License-Identifier: Apache-2.0

// Many libraries with kernels in one process, or one that comes and goes:
//
//     clients LIBRARY CLIENT together COUNT     copies of CLIENT, all open at a time, three times
//     over clients LIBRARY CLIENT reload COUNT       CLIENT is opened, called and closed so often
//
// stdout has each answer of the clients (client.cu) with how often it came; lines with "#" differ
// from run to run. The process must not grow: its resources are counted after each third.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "copies.h"
#include "library.h"
#include "size.h"

namespace {

using Path = std::filesystem::path;
using Answers = std::map<std::string, long>;
constexpr int kThirds = 3;

class Client {
 public:
  explicit Client(const Path& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    if (dlclose(handle_) != 0) fail();
  }
  // The kernel adds seven.
  std::string ask(int number) const {
    auto* answer = reinterpret_cast<int (*)(int*)>(dlsym(handle_, "answer"));
    if (answer == nullptr) fail();
    int result = number;
    const int status = answer(&result);
    return "status " + std::to_string(status) + ", added " + std::to_string(result - number);
  }

 private:
  [[noreturn]] static void fail() {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  void* handle_;
};

void ask_together(const stress::Copies& copies, Answers* answers) {
  std::vector<std::unique_ptr<Client>> clients;
  for (const Path& file : copies.files) clients.push_back(std::make_unique<Client>(file));
  int number = 0;
  for (const auto& client : clients) ++(*answers)[client->ask(++number)];
}

void ask_reloaded(const Path& file, long count, Answers* answers) {
  for (long i = 0; i < count; ++i) ++(*answers)[Client(file).ask(static_cast<int>(i % 1000))];
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const stress::Library library(arguments[1]);
  const Path client = arguments[2];
  const bool together = std::strcmp(arguments[3], "together") == 0;
  const long amount = std::atol(arguments[4]);
  const stress::Copies copies(client, together ? static_cast<int>(amount) : 0);
  Answers answers;
  stress::Size sizes[kThirds];
  for (stress::Size& size : sizes) {
    if (together) {
      ask_together(copies, &answers);
    } else {
      ask_reloaded(client, amount / kThirds, &answers);
    }
    size = stress::size_of_process();
    print(size);
  }
  stress::print_growth(sizes[1], sizes[2]);
  for (const auto& [text, times] : answers) std::printf("%ld times %s\n", times, text.c_str());
  return 0;
}
