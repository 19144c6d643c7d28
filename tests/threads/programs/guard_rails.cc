// SPDX-License-Identifier: Apache-2.0

// The guard rails of the process, used by sixty-four threads at once. The argument names the query;
// every different answer is printed with the number of threads that got it.
#include "anycuda/compat/guard_rails.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "hooks.h"
#include "together.h"

using namespace anycuda::compat;

namespace {

constexpr int kThreads = 64;

std::mutex mutex;
std::map<std::string, int> answers;  // and how many threads got each
bool with_constructor = false;

void note(const std::string& answer) {
  const std::lock_guard<std::mutex> lock(mutex);
  ++answers[answer];
}

template <typename Call>
void ask(const std::string& what, Call call) {
  try {
    note(what + " " + call());
  } catch (const ToolkitMismatchError&) {
    note(what + " mismatch");
  } catch (const std::exception& error) {
    note(what + " " + error.what());
  }
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void load(const char* name) {
  ask(name, [&] {
    const LoadedLibrary library = load_dynamic_library(name);
    return file_name(library.path) + (library.was_loaded ? " of others" : "");
  });
}

void headers() {
  ask("headers", [] { return file_name(find_headers("cudart")); });
}

void declare() {
  ask("pipeline", [] {
    declare_pipeline({"nvrtc", "nvJitLink", {Format::ltoir}});
    return std::string("declared");
  });
}

// Everybody asks for everything, some while others forget what was found.
void everything(int thread) {
  if (thread % 8 == 1) process_guard_rails().clear_caches();
  if (thread % 2 == 0) load("nvrtc");
  load("nvJitLink");
  declare();
  if (thread % 2 != 0) load("nvrtc");
  load("cudart");
}

// What the one half asks for does not go with what the other does.
void conflict(int thread) { thread % 2 == 0 ? load("nvrtc") : headers(); }

}  // namespace

// The runtime's constructor: it asks itself, and waits for a thread that asks. What that thread
// asks for was found before: to look for it takes the dynamic linker's lock, which a constructor's
// thread has.
extern "C" void in_constructor() {
  if (!with_constructor) return;
  with_constructor = false;
  load("nvrtc");
  std::thread([] {
    headers();
    declare();
  }).join();
}

int main(int, char** arguments) {
  const std::string what = arguments[1];
  with_constructor = what == "constructor";
  if (with_constructor) headers();
  anycuda::test::together(kThreads, [&](int thread) {
    if (what == "everything") everything(thread);
    if (what == "conflict") conflict(thread);
    if (what == "constructor") load("cudart");
  });
  for (const auto& [answer, times] : answers) std::printf("%s: %d\n", answer.c_str(), times);
  return 0;
}
