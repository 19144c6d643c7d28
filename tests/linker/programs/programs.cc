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

// Each result goes into the next step as it is.
void steps() {
  Program caller(
      "__device__ int twice(int); template <typename T> __global__ void scale(T* p) "
      "{ *p = twice(*p); }\n#warning look\n",
      "caller.cu", for_arch("sm_80"));
  caller.add_name_expression("&scale<int>");
  Program helper(
      "__device__ int twice(int value) { return 2 * value; }\n"
      "template <typename T> __global__ void clear(T* p) { *p = 0; }",
      "helper.cu", for_arch("compute_80"));
  helper.add_name_expression("&clear<int>");
  for (const Output output : {Output::lto_ir, Output::ptx, Output::cubin}) {
    const Code part = caller.compile(output);
    say("%s: %s '%s', look %d, %zu name", name_of(output), name_of(part.type), part.name.c_str(),
        part.log.find("look") != std::string::npos, part.lowered_names.size());
    Options options = options_for(part.type);
    options.verbose = true;
    const std::vector<Input> inputs = {part, helper.compile(output)};
    Linker linker(inputs, options);
    const Code linked = linker.link();
    say("  linked: %s '%s', log %d, %s, %s", name_of(linked.type), linked.name.c_str(),
        linked.log == linker.info_log() + linker.error_log() && !linked.log.empty(),
        linked.lowered_names.at("&scale<int>").c_str(),
        linked.lowered_names.at("&clear<int>").c_str());
  }
}

Program of_ptx(ProgramOptions options, std::string source =
                                           ".version 7.0\n.target sm_80\n"
                                           ".address_size 64\n"
                                           ".visible .entry k() { ret; }\n") {
  options.language = Language::ptx;
  return Program(std::move(source), "k.ptx", std::move(options));
}

void ptx() {
  tell("CUBIN of PTX", of_ptx({"sm_80"}), Output::cubin);
  ProgramOptions all = {"compute_80"};
  all.debug = all.line_info = true;
  all.max_registers = 32;
  all.ptxas_options = {"-v"};
  all.split_compile = 1;
  tell("all options of PTX", of_ptx(all), Output::cubin);
  tell("PTX of PTX", of_ptx({"sm_80"}), Output::ptx);
  tell("LTO-IR of PTX", of_ptx({"sm_80"}), Output::lto_ir);
  tell("PTX with standard", of_ptx({"sm_80", "c++17"}), Output::cubin);
  ProgramOptions defines = {"sm_80"};
  defines.defines = {"N=4"};
  tell("PTX with defines", of_ptx(defines), Output::cubin);
  tell("damaged PTX", of_ptx({"sm_80"}, ".version 7.0\n.target sm_80\n.what\n"), Output::cubin);
  tell("empty PTX", of_ptx({"sm_80"}, ""), Output::cubin);
  tell("CUDA C++ as PTX", of_ptx({"sm_80"}, "__global__ void k() {}"), Output::cubin);
  ProgramOptions trace = {"sm_80"};
  trace.time_trace = "a.json";
  tell("PTX with a time trace", of_ptx(trace), Output::cubin);
  Program named = of_ptx({"sm_80"});
  named.add_name_expression("k");
  tell("PTX with a name expression", std::move(named), Output::cubin);
  ProgramOptions nvvm = {"sm_80"};
  nvvm.language = Language::nvvm_ir;
  ProgramOptions unknown = {"sm_80"};
  unknown.language = static_cast<Language>(9);
  tell("unknown language", Program("x", "k.x", unknown), Output::ptx);
  tell("NVVM IR", Program("target triple = \"nvptx64-nvidia-cuda\"", "k.ll", nvvm), Output::ptx);
}

}  // namespace

// make SOURCES OUT: the inputs of the other tests.
// tell: errors and names.
// steps: from source to a linked CUBIN.
// ptx: from PTX.
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
  if (arguments.at(0) == "steps") {
    steps();
    return 0;
  }
  if (arguments.at(0) == "ptx") {
    ptx();
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
