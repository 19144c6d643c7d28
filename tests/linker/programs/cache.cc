// SPDX-License-Identifier: Apache-2.0

// Program and Linker with a cache.
#include <unistd.h>

#include <chrono>

#include "child.h"

extern "C" {  // NOLINTBEGIN(readability-identifier-naming): the driver's
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
}  // NOLINTEND(readability-identifier-naming)

namespace child {
namespace {

// What the cache did during the action.
std::string how(CodeCache* cache, const std::function<void()>& action) {
  const CacheCounts before = cache->counts();
  const std::string error = error_of(action);
  const CacheCounts now = cache->counts();
  if (!error.empty()) return error + (now.stored > before.stored ? ", stored" : "");
  if (now.hits > before.hits) return "hit";
  if (now.stored > before.stored)
    return now.damaged > before.damaged ? "damaged, stored" : "stored";
  if (now.uncacheable > before.uncacheable) return cache->problem();
  return now.misses > before.misses ? "missed" : "off";
}

bool same(const Code& a, const Code& b) {
  return a == b && a.type == b.type && a.name == b.name && a.log == b.log &&
         a.lowered_names == b.lowered_names;
}

const char* const kSource =
    "#include <twice.h>\n#warning look\n"
    "template <typename T> __global__ void scale(T* p) { *p *= TWICE; }\n";

ProgramOptions sm_80() {
  ProgramOptions options;
  options.arch = "sm_80";
  return options;
}

Program example(ProgramOptions options = sm_80(), const std::string& name = "a.cu",
                const std::string& more = "", const std::string& header = "#define TWICE 2\n") {
  Program program(kSource + more, name, std::move(options), {{"twice.h", header}});
  program.add_name_expression("&scale<float>");
  return program;
}

// The code, the log and the names, by each output; then with one change each.
void compile(CodeCache* cache) {
  for (const Output output : {Output::ptx, Output::cubin, Output::lto_ir}) {
    Program program = example();
    Code code;
    const std::string what = how(cache, [&] { code = program.compile(output, *cache); });
    const std::string log = program.log();
    const std::string lowered = program.lowered_name("&scale<float>");
    const bool equal = same(code, example().compile(output));
    say("%s: %s, same %d, log %d, %s, NVRTC %d", name_of(output), what.c_str(), equal,
        log == code.log && log.find("look") != std::string::npos, lowered.c_str(),
        program.nvrtc_version().major);
  }
  const auto tell = [&](const char* name, Program program, const std::string& files = "") {
    const std::string what =
        how(cache, [&] { (void)program.compile(Output::cubin, *cache, files); });
    say("%s: %s", name, what.c_str());
  };
  ProgramOptions options = sm_80();
  options.defines = {"A", "B"};
  tell("defines", example(options));
  options.defines = {"B", "A"};
  tell("another order", example(options));
  options.defines.clear();
  options.arch = "sm_90";
  tell("arch", example(options));
  tell("text", example(sm_80(), "a.cu", "__device__ int more;\n"));
  tell("header", example(sm_80(), "a.cu", "", "#define TWICE 3\n"));
  tell("name", example(sm_80(), "b.cu"));
  Program named = example();
  named.add_name_expression("&scale<int>");
  tell("name expression", std::move(named));
  tell("file", example(sm_80(), "a.cu", "#include \"file.h\"\n"));
  tell("known file", example(sm_80(), "a.cu", "#include \"file.h\"\n"), "1");
  tell("known file again", example(sm_80(), "a.cu", "#include \"file.h\"\n"), "1");
  tell("changed file", example(sm_80(), "a.cu", "#include \"file.h\"\n"), "2");
  options = sm_80();
  options.others = {"--fdevice-time-trace=trace.json"};
  tell("trace", example(options), "1");
  tell("wrong", example(sm_80(), "a.cu", "int wrong = ;"));
  tell("wrong again", example(sm_80(), "a.cu", "int wrong = ;"));
  tell("empty", Program(""));
  options = sm_80();
  options.line_info = true;
  tell("line info", example(options));
  if (chdir("..") != 0) say("no folder above");
  tell("line info in another folder", example(options));
  tell("code in another folder", example());
}

void link(CodeCache* cache, const std::string& modules) {
  Options options = options_for(InputType::ptx);
  options.verbose = true;
  const auto tell = [&](const char* name, const std::vector<Input>& inputs) {
    Code code;
    Linker linker(inputs, options);
    const std::string what = how(cache, [&] { code = linker.link(*cache); });
    const bool logs = !code.log.empty() && code.log == linker.info_log() + linker.error_log();
    const Code again = Linker(inputs, options).link();
    say("%s: %s, same %d, logs %d", name, what.c_str(),
        again == code && again.name == code.name && again.type == code.type, logs);
  };
  const std::vector<Input> bytes = child::modules(modules, InputType::ptx);
  tell("bytes", bytes);
  tell("bytes again", bytes);
  const std::string kernel = read(modules + "/kernel.ptx");
  const auto with_file = [&](const std::string& path, const std::string& text) {
    write(path, text);
    return std::vector<Input>{Input::file(path), bytes[1]};
  };
  tell("file", with_file("first.ptx", kernel));
  tell("file at another path", with_file("second.ptx", kernel));
  tell("changed file", with_file("first.ptx", kernel + "\n"));
  options.max_registers = 32;
  tell("option", bytes);
  options.time = true;
  tell("time", bytes);
  options.time = false;
  options.ptxas_options = {"--options-file=none"};
  say("options file: %s", how(cache, [&] { (void)Linker(bytes, options).link(*cache); }).c_str());
}

void of_ptx(CodeCache* cache, const char* arch) {
  ProgramOptions options;
  options.arch = arch;
  options.language = Language::ptx;
  Program program(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n",
                  "k.ptx", options);
  Code code;
  const std::string what = how(cache, [&] { code = program.compile(Output::cubin, *cache); });
  say("PTX: %s, %zu bytes, log %d", what.c_str(), code.size(), code.log == program.log());
}

// Of the second device of the fake driver, then of the first again.
void of_devices(CodeCache* cache) {
  for (const int device : {1, 0}) {
    void* context = nullptr;
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    of_ptx(cache, "");
  }
}

template <typename Action>
double seconds(Action action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The ratio of a compilation and a hit, both after the first.
void measure(CodeCache* cache) {
  Program program = example();
  (void)program.compile(Output::cubin, *cache);
  const double made = seconds([&] { (void)program.compile(Output::cubin); });
  const double found = seconds([&] {
                         for (int i = 0; i < 100; ++i) (void)program.compile(Output::cubin, *cache);
                       }) /
                       100;
  say("compile %.3f ms, hit %.3f ms, ratio %.0f", made * 1e3, found * 1e3, made / found);
}

}  // namespace

// compile FOLDER, link FOLDER MODULES, ptx FOLDER ARCH, devices FOLDER, measure FOLDER, folder
// FOLDER.
int cache(const Arguments& arguments) {
  const std::string& job = arguments.at(0);
  CodeCache cache(arguments.at(1));
  if (job == "folder") {
    say("enabled: %d", cache.enabled());
    say("folder: %s", cache.folder().c_str());
    say("problem: %s", cache.problem().c_str());
    say("small: %s", error_of([] { CodeCache({}, {100}); }).c_str());
    say("zero byte: %s", error_of([] { CodeCache(std::string("a\0b", 3)); }).c_str());
    CodeCache moved = std::move(cache);
    say("moved: %d, %d, %d", moved.folder().empty(), moved.counts().hits == 0, moved.enabled());
    moved.clear();
    return 0;
  }
  if (job == "compile") compile(&cache);
  if (job == "link") link(&cache, arguments.at(2));
  if (job == "ptx") of_ptx(&cache, arguments.at(2).c_str());
  if (job == "devices") of_devices(&cache);
  if (job == "measure") measure(&cache);
  const CacheCounts counts = cache.counts();
  say("counts: %d hits, %d misses, %d stored, %d failures", static_cast<int>(counts.hits),
      static_cast<int>(counts.misses), static_cast<int>(counts.stored),
      static_cast<int>(counts.failures));
  if (counts.failures > 0) say("problem: %s", cache.problem().c_str());
  return 0;
}

}  // namespace child
