// SPDX-License-Identifier: Apache-2.0

// A failed link: the error, the logs after close, and that the next link works.
#include <thread>

#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

std::vector<Input> the_kernel_alone(InputType type) {
  return {Input::bytes(type, code(type).kernel, "the kernel")};
}

void unresolved(const Way& way, InputType type) {
  Check check(std::string("an undefined symbol, ") + name_of(type) + ": " + way.name);
  Linker linker(the_kernel_alone(type), options_for(way));
  EXPECT(check, linker.error_log().empty());
  std::string first;
  for (int i = 0; i < 2; ++i) {
    try {
      (void)linker.link();
      check.fail("it was linked");
    } catch (const LinkError& error) {
      EXPECT(check, error.result() != 0);
      if (!has(error.what(), "twice"))
        check.fail(std::string("it is not named in: ") + error.what());
      EXPECT(check, has(error.error_log(), "twice"));
      EQUAL(check, linker.error_log(), error.error_log());
      first = error.error_log();
    }
  }
  linker.close();
  linker.close();
  EQUAL(check, linker.error_log(), first);
  EXPECT(check, linker.info_log().find('\0') == std::string::npos);
  try {
    (void)linker.link();
    check.fail("a closed linker linked");
  } catch (const ClosedError&) {
  }
  // The next one is not disturbed.
  Linker next(both(type), options_for(way));
  runs(check, next.link());
}

void not_code(const Way& way) {
  Check check(std::string("PTX that does not compile: ") + way.name);
  std::string ptx = code(InputType::ptx).kernel;
  ptx += "\n.visible .entry wrong() { not.an.instruction %r1; }\n";
  Linker linker({Input::bytes(InputType::ptx, ptx, "the wrong one")}, options_for(way));
  try {
    (void)linker.link();
    check.fail("it was linked");
  } catch (const LinkError& error) {
    linker.close();
    EXPECT(check, !error.error_log().empty() && linker.error_log() == error.error_log());
    EXPECT(check, has(error.what(), "the wrong one"));
    check.detail(error.error_log().substr(0, error.error_log().find('\n')));
  }
}

// The driver's log has the requested size, and states that it was truncated.
void cut_log() {
  Check check("a log that is full says that it is cut: driver");
  Options options = options_for({"driver", Backend::driver});
  options.log_bytes = 32;
  std::string ptx = code(InputType::ptx).kernel;
  for (int i = 0; i < 20; ++i) ptx += "\n.visible .entry wrong() { not.an.instruction %r1; }\n";
  Linker linker({Input::bytes(InputType::ptx, ptx, "wrong")}, options);
  try {
    (void)linker.link();
    check.fail("it was linked");
  } catch (const LinkError&) {
    linker.close();
    EXPECT(check, linker.error_log().size() >= 16);
    EXPECT(check, has(linker.error_log(), "cut"));
    check.detail(linker.error_log());
  }
}

void logs_after_success(const Way& way) {
  Check check(std::string("logs after success and close: ") + way.name);
  Options options = options_for(way);
  options.verbose = true;
  Linker linker(both(InputType::ptx), options);
  const std::string image = linker.link();
  const std::string log = linker.info_log();
  linker.close();
  EQUAL(check, linker.info_log(), log);
  EQUAL(check, linker.error_log(), std::string());
  EXPECT(check, linker.closed() && !linker.selection_reason().empty());
  runs(check, image);
}

void moved(const Way& way) {
  Check check(std::string("a linker that was moved: ") + way.name);
  Linker first(both(InputType::cubin), options_for(way));
  Linker second = std::move(first);
  EXPECT(check, first.closed());  // NOLINT: what is left of it is checked
  first.close();
  runs(check, second.link());
  first = std::move(second);
  EXPECT(check, !first.closed() && second.closed());  // NOLINT
  runs(check, first.link());
}

void without_a_context() {
  Check check("the driver's linker without a current context is an error, and nothing else");
  const std::vector<Input> inputs = both(InputType::cubin);
  const Options options = options_for({"driver", Backend::driver});
  bool refused = false;
  std::string what;
  std::thread([&] {
    Linker linker(inputs, options);
    try {
      (void)linker.link();
    } catch (const BackendError& error) {
      refused = true;
      what = error.what();
    }
    use_device();  // now there is one
    runs(check, linker.link());
  }).join();
  EXPECT(check, refused);
  check.detail(what);
}

}  // namespace

void failing() {
  use_device();
  for (const Way& way : ways()) {
    unresolved(way, InputType::ptx);
    unresolved(way, InputType::cubin);
    not_code(way);
    logs_after_success(way);
    moved(way);
  }
  cut_log();
  without_a_context();
}

}  // namespace gputest
