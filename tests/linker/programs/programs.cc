// SPDX-License-Identifier: Apache-2.0

// Program: the modules of the other tests, and all its answers.
#include <stdexcept>

#include "child.h"

namespace child {
namespace {

constexpr std::size_t kCubinArch = 48;  // the lowest byte of e_flags, up to CUDA 12

ProgramOptions for_arch(const char* arch, bool relocatable = true) {
  ProgramOptions options;
  options.arch = arch;
  options.relocatable = relocatable;
  return options;
}

void make(const std::string& source, const std::string& out, const char* arch, Output output) {
  Program program(read(source), source, for_arch(arch));
  write(out, program.compile(output));
}

void tell(const char* name, Program program, Output output) {
  std::string what;
  std::string bytes;
  const std::string error = error_of([&] { bytes = program.compile(output); }, &what);
  say("%s: %s", name, error.empty() ? "ok" : error.c_str());
  if (!error.empty()) say("  %s", what.c_str());
}

}  // namespace

// make SOURCES OUT: the inputs of the other tests.
// tell: errors and names.
// context: a CUBIN for the current context's device.
int programs(const Arguments& arguments) {
  if (arguments.at(0) == "make") {
    for (const char* name : {"kernel", "first", "second", "helper"}) {
      const std::string source = arguments.at(1) + "/" + name + ".cu";
      const std::string out = arguments.at(2) + "/" + name;
      make(source, out + ".ptx", "compute_80", Output::ptx);
      make(source, out + ".ltoir", "compute_80", Output::lto_ir);
      Program whole(read(source), source, for_arch("sm_80", false));
      if (name[0] == 'f' || name[0] == 's')
        write(out + ".whole.cubin", whole.compile(Output::cubin));
      make(source, out + ".cubin", "sm_80", Output::cubin);
    }
    return 0;
  }
  if (arguments.at(0) == "context") {
    Program program("extern \"C\" __global__ void kernel() {}", "a.cu");
    const std::string cubin = program.compile(Output::cubin);
    say("for sm_%d", static_cast<unsigned char>(cubin.at(kCubinArch)));
    return 0;
  }
  const std::string good = "template <typename T> __global__ void scale(T* p) { *p *= 2; }";
  tell("PTX", Program(good), Output::ptx);
  tell("LTO-IR", Program(good), Output::lto_ir);
  tell("CUBIN without arch", Program(good), Output::cubin);
  tell("CUBIN of compute_80", Program(good, "a.cu", for_arch("compute_80")), Output::cubin);
  tell("CUBIN of sm_80", Program(good, "a.cu", for_arch("sm_80")), Output::cubin);
  tell("no such arch", Program(good, "a.cu", for_arch("sm_12345")), Output::ptx);
  tell("empty", Program(""), Output::ptx);
  tell("zero byte", Program(std::string("int a;\0int b;", 13)), Output::ptx);
  tell("zero byte in its name", Program(good, std::string("a\0b", 3)), Output::ptx);
  ProgramOptions other = for_arch("compute_80");
  other.others = {"-dlto"};
  tell("another output", Program(good, "a.cu", other), Output::ptx);
  tell("wrong source", Program("int wrong = ;", "wrong.cu"), Output::ptx);
  ProgramOptions many = for_arch("sm_80");
  many.standard = "c++17";
  many.line_info = true;
  many.max_registers = 40;
  many.ftz = many.prec_div = many.prec_sqrt = many.fma = false;
  many.include_folders = {"/no/such/folder"};
  many.defines = {"N=4"};
  many.others = {"-default-device"};
  tell("many options", Program("__global__ void k(float* p) { *p /= N; }", "many.cu", many),
       Output::cubin);
  many.max_registers = 0;
  tell("wrong value", Program(good, "a.cu", many), Output::ptx);

  Program named("#include \"twice.h\"\n" + good + "\n#warning look\n", "named.cu", {},
                {{"twice.h", "#define TWICE 2\n"}});
  named.add_name_expression("&scale<float>");
  say("too early: %s", error_of([&] { (void)named.lowered_name("&scale<float>"); }).c_str());
  if (error_of([&] { (void)named.compile(Output::ptx); }).empty()) {
    say("lowered: %s", named.lowered_name("&scale<float>").c_str());
    say("warned: %d", named.log().find("look") != std::string::npos);
    say("version: %d.%d", named.nvrtc_version().major, named.nvrtc_version().minor);
  }
  Program moved = std::move(named);
  say("moved from: %s", error_of([&] { (void)named.compile(Output::ptx); }).c_str());
  return 0;
}

}  // namespace child
