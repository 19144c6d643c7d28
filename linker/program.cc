// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/program.h"

#include <map>
#include <stdexcept>
#include <utility>

#include "linker/compile.h"
#include "linker/inputs/check.h"

namespace anycuda {

struct Program::State {
  linker::Source source;
  linker::ProgramOptions options;
  linker::Compiled last;
};

namespace {

template <typename State>
State& existing(const std::unique_ptr<State>& state) {
  if (state == nullptr)
    throw linker::ClosedError("this Program was moved to another: use that one");
  return *state;
}

}  // namespace

Program::Program(std::string source, std::string name, linker::ProgramOptions options,
                 std::vector<linker::Header> headers)
    : state_(std::make_unique<State>()) {
  state_->source.text = std::move(source);
  state_->source.name = std::move(name);
  state_->source.headers = std::move(headers);
  state_->options = std::move(options);
}
Program::~Program() = default;
Program::Program(Program&& other) noexcept = default;
Program& Program::operator=(Program&& other) noexcept = default;

void Program::add_name_expression(std::string expression) {
  existing(state_).source.expressions.push_back(std::move(expression));
}

linker::Code Program::compile(linker::Output output) { return compile(output, {}); }

linker::Code Program::compile(linker::Output output, linker::CodeCache& cache, std::string files) {
  return compile(output, {&cache, std::move(files)});
}

linker::Code Program::compile(linker::Output output, const linker::CacheUse& use) {
  State& state = existing(state_);
  state.last = {};
  linker::compile(state.source, state.options, output, &state.last, use);
  linker::Code code(std::move(state.last.bytes), linker::type_of(output), state.source.name);
  code.log = state.last.log;
  code.lowered_names = state.last.lowered;
  return code;
}

const std::string& Program::log() const { return existing(state_).last.log; }

const std::string& Program::lowered_name(const std::string& expression) const {
  const auto& names = existing(state_).last.lowered;
  const auto found = names.find(expression);
  if (found != names.end()) return found->second;
  throw std::out_of_range("no lowered name of " + expression +
                          ": call add_name_expression() for it, then compile()");
}

linker::PchStatus Program::pch_status() const { return existing(state_).last.pch; }
linker::Version Program::nvrtc_version() const { return existing(state_).last.nvrtc; }

}  // namespace anycuda
