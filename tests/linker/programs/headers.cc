// SPDX-License-Identifier: Apache-2.0

// Precompiled headers, and the trace of a compilation.
#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "child.h"

namespace child {
namespace {

constexpr unsigned long kSmallHeap = 4096;

std::string folder() { return std::getenv("HOME") + std::string("/"); }

Program over_a_header(ProgramOptions options) {
  std::string header;
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    header += "struct S" + number + " { int a[" + number + " + 1]; };\n";
  }
  options.arch = "sm_80";
  options.pch_messages = true;
  return Program(
      "#include \"big.h\"\n#pragma nv_hdrstop\n__global__ void k(S7* p) { p->a[0] = 1; }", "k.cu",
      std::move(options), {{"big.h", header}});
}

// "name: ok, PCH created"
void tell(const char* name, Program program, Output output = Output::cubin) {
  std::string what;
  const std::string error = error_of([&] { (void)program.compile(output); }, &what);
  say("%s: %s, PCH %s, %s", name, error.empty() ? "ok" : error.c_str(),
      name_of(program.pch_status()),
      program.log().find("using precompiled header") != std::string::npos ? "used" : "not used");
  if (!error.empty()) say("  %s", what.c_str());
}

ProgramOptions with(std::string ProgramOptions::*member, std::string value) {
  ProgramOptions options;
  options.*member = std::move(value);
  return options;
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

// The NVRTC that is loaded now.
void shrink_heap() {
  for (const char* name : {"libnvrtc.so.12", "libnvrtc.so.13"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const auto set =
        reinterpret_cast<int (*)(unsigned long)>(dlsym(library, "nvrtcSetPCHHeapSize"));
    say("heap shrunk: %d", set != nullptr && set(kSmallHeap) == 0);
  }
}

void traces() {
  const std::string file = folder() + "trace.json";
  tell("trace", over_a_header(with(&ProgramOptions::time_trace, file)));
  say("trace is there: %d", exists(file));
  tell("trace again", over_a_header(with(&ProgramOptions::time_trace, file)));
  tell("trace of PTX", over_a_header(with(&ProgramOptions::time_trace, file)), Output::ptx);
  mkdir((folder() + "folder.json").c_str(), 0777);
  for (const char* wrong :
       {"trace", ".json", "a.b.json", "trace.json/", "no/such/folder/trace.json", "folder.json"}) {
    tell("wrong trace", over_a_header(with(&ProgramOptions::time_trace, folder() + wrong)));
  }
}

void pch() {
  const std::string file = folder() + "big.pch";
  tell("not asked", over_a_header({}));
  tell("create", over_a_header(with(&ProgramOptions::create_pch, file)));
  say("header is there: %d", exists(file));
  tell("use", over_a_header(with(&ProgramOptions::use_pch, file)));
  ProgramOptions automatic = with(&ProgramOptions::pch_dir, folder());
  automatic.pch = true;
  tell("automatic", over_a_header(automatic));
  tell("automatic again", over_a_header(automatic));
  tell("no such file", over_a_header(with(&ProgramOptions::use_pch, folder() + "no.pch")));
  tell("no such folder", over_a_header(with(&ProgramOptions::create_pch, "/no/such/a.pch")));
  automatic.create_pch = file;
  tell("automatic and create", over_a_header(automatic));
  ProgramOptions both = with(&ProgramOptions::create_pch, file);
  both.use_pch = file;
  tell("create and use", over_a_header(both));
}

// A heap that is too small grows, also if several threads find that at the same time.
void heap() {
  tell("before", over_a_header({}));
  shrink_heap();
  tell("small heap", over_a_header(with(&ProgramOptions::create_pch, folder() + "heap.pch")));
  shrink_heap();
  std::thread threads[4];
  for (std::thread& thread : threads) {
    thread = std::thread([&thread, &threads] {
      const std::string name = folder() + "t" + std::to_string(&thread - threads) + ".pch";
      Program program = over_a_header(with(&ProgramOptions::create_pch, name));
      const std::string error = error_of([&] { (void)program.compile(Output::ptx); });
      say("thread: %s%s", error.c_str(), name_of(program.pch_status()));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

// pch | heap | traces
int headers(const Arguments& arguments) {
  const std::string& job = arguments.at(0);
  job == "pch" ? pch() : job == "heap" ? heap() : traces();
  return 0;
}

}  // namespace child
