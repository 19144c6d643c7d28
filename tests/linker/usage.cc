// SPDX-License-Identifier: Apache-2.0

// Calls as users write them. tests/packaging/test_public_headers.py compiles this file with strict
// warnings; it is not linked.
#include <anycuda/graph/graph.h>
#include <anycuda/graph/stream_launch.h>
#include <anycuda/linker/cache.h>
#include <anycuda/linker/library.h>
#include <anycuda/linker/linker.h>
#include <anycuda/linker/option_text.h>
#include <anycuda/linker/program.h>

#include <string_view>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

using namespace anycuda::linker;

// Initialisers that name only some members.
void initialisers() {
  const Options lists = {"sm_80", Output::cubin, true};
  const ProgramOptions program = {"sm_80", "c++17"};
  const Header header = {"twice.h"};
  const Facts facts = {{13, 0}, {12, 9}};
  const Choice choice = {Backend::driver};
  const NvJitLinkProbe nvjitlink = {Presence::absent};
  const DriverProbe driver = {{12, 4}};
  const BackendReport report = {Backend::driver};
#if __cplusplus >= 202002L
  const Options named = {.arch = "sm_80", .lto = true, .max_registers = 32};
  const ProgramOptions named_program = {.arch = "sm_80", .defines = {"N=4"}};
  const Facts named_facts = {.driver = {13, 0}, .rule = Rule::same_major};
  (void)named, (void)named_program, (void)named_facts;
#endif
  (void)lists, (void)program, (void)header, (void)facts, (void)choice;
  (void)nvjitlink, (void)driver, (void)report;
}

std::vector<Input> inputs(std::string_view ptx, const std::vector<unsigned char>& cubin) {
  std::vector<Input> all = {Input::bytes(ptx), Input::bytes(cubin, "mine"),
                            Input::bytes(InputType::ptx, ptx.data(), ptx.size())};
#if __cplusplus >= 202002L
  all.push_back(Input::bytes(std::span(cubin)));
  all.push_back(Input::bytes(InputType::cubin, std::as_bytes(std::span(cubin)), "mine"));
  all.push_back(Input::bytes(u8".version 7.0"));
#endif
  return all;
}

Code from_source(std::string source, std::string helper) {
  anycuda::Program program(std::move(source), "kernel.cu");
  const Code kernel = program.compile(Output::lto_ir);
  Options options;
  options.lto = true;
  if (!which_backend({kernel}, options).backend) return {};
  return anycuda::Linker({kernel, anycuda::Program(std::move(helper)).compile(Output::lto_ir)},
                         options)
      .link();
}

// From a source to a node of a graph.
void kernels(std::string source, const anycuda::graph::Graph& graph,
             const anycuda::graph::Buffer& values) {
  anycuda::Program program(std::move(source));
  program.add_name_expression("&scale<float>");
  const auto library = anycuda::Library::load(program.compile(Output::cubin));
  const anycuda::Kernel scale = library.kernel("&scale<float>");
  const int block = scale.potential_block_size().block;
  const auto first = graph.add(scale, {4, block}, values, 2.0F);
  graph.add({first}, scale, {4, 32}, values, 3.0F);
  anycuda::graph::launch(nullptr, scale, {4, 32}, values, 3.0F);
  std::size_t each = 4;
  (void)scale.potential_block_size([each](int threads) { return threads * each; }, 256);
  (void)scale.potential_block_size(0, 256);
  (void)anycuda::Library::load(Input::file("scale.cubin"));
  const anycuda::graph::Kernel converted = scale;
  (void)converted;
#if __cplusplus >= 202002L
  (void)scale.max_active_clusters({.grid = {64, 1, 1}, .cluster = {2, 1, 1}});
#endif
}

std::string options_as_text() {
  const Options same = parse_option_list({"-arch=sm_90", "-lto"});
  const ProgramOptions program = parse_program_options("-std=c++17 -DN=4");
  return to_text(same) + to_text(program) + to_text(parse_options("-O3"));
}

Code with_a_cache(const std::string& source, const Options& options) {
  CodeCache cache;
  CodeCache mine("/var/tmp/mine", {1 << 20});
#if __cplusplus >= 202002L
  CodeCache named({}, {.max_bytes = 1 << 20});
  named.clear();
#endif
  anycuda::Program program(source);
  const Code kernel = program.compile(Output::lto_ir, cache);
  const Code other = program.compile(Output::lto_ir, mine, "CCCL 2.8");
  const CacheCounts counts = cache.counts();
  if (!cache.enabled() || counts.failures > 0) return Code(cache.problem(), InputType::any);
  return anycuda::Linker({kernel, other}, options).link(cache);
}

// Code of before Code: a result is a std::string.
std::string as_before(const std::string& source) {
  anycuda::Program program(source, "kernel.cu");
  std::string kernel = program.compile(Output::lto_ir);
  Options options;
  options.lto = true;
  anycuda::Linker linker({Input::bytes(InputType::lto_ir, kernel, "kernel")}, options);
  const auto cubin = linker.link();
  const std::string& same = linker.link();
  return cubin == same ? cubin + std::to_string(cubin.size()) : std::string();
}
