// SPDX-License-Identifier: Apache-2.0

// Each type of input, from memory and from a file, with each linker that accepts it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

// A file for as long as it is needed.
class File {
 public:
  explicit File(const std::string& content) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor >= 0) close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/gputest-XXXXXX";
};

bool lto(InputType type) { return type == InputType::lto_ir; }

void pair(const Way& way, InputType kernel, InputType helper) {
  Options options = options_for(way);
  options.lto = lto(kernel) || lto(helper);
  if (options.lto && (way.backend == Backend::driver || !has_nvjitlink())) return;
  Check check(std::string(name_of(kernel)) + " + " + name_of(helper) + ": " + way.name);
  Linker linker(both(kernel, helper), options);
  check.detail(name_of(linker.backend()));
  runs(check, linker.link());
  // The same from files, and with the types left to be seen.
  check.during("from files");
  const File first(code(kernel).kernel);
  const File second(code(helper).helper);
  Linker files({Input::file(kernel, first.path()), Input::file(helper, second.path())}, options);
  runs(check, files.link());
  check.during("type any");
  Linker any({Input::bytes(InputType::any, code(kernel).kernel, "kernel"),
              Input::bytes(InputType::any, code(helper).helper, "helper")},
             options);
  runs(check, any.link());
}

// What nvcc made of the helper.
void made_by_nvcc(const Way& way, InputType type, const char* file) {
  const std::string path = nvcc_made(file);
  if (path.empty()) {
    std::printf("skipped %s: %s is not in this bundle (it was built without nvcc)\n", name_of(type),
                file);
    return;
  }
  Check check(std::string("nvcc's ") + file + ": " + way.name);
  Linker linker({Input::bytes(InputType::ptx, code(InputType::ptx).kernel, "kernel"),
                 Input::file(type, path)},
                options_for(way));
  check.detail(name_of(linker.backend()));
  runs(check, linker.link());
  check.during("from memory");
  std::ifstream stream(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  Linker memory({Input::bytes(InputType::ptx, code(InputType::ptx).kernel, "kernel"),
                 Input::bytes(type, content, file)},
                options_for(way));
  runs(check, memory.link());
}

}  // namespace

void inputs() {
  use_device();
  constexpr InputType kCompiled[] = {InputType::ptx, InputType::cubin, InputType::lto_ir};
  for (const Way& way : ways()) {
    for (const InputType kernel : kCompiled) {
      for (const InputType helper : kCompiled) pair(way, kernel, helper);
    }
    made_by_nvcc(way, InputType::fatbin, "helper.fatbin");
    made_by_nvcc(way, InputType::object, "helper.o");
    made_by_nvcc(way, InputType::library, "libhelper.a");
  }
}

}  // namespace gputest
