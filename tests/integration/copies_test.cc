// SPDX-License-Identifier: Apache-2.0

// Several copies of the runtime's stub in one process act as one (docs/copies.md): one library, one
// error per thread, and registrations through one serve calls through another.
#include <algorithm>
#include <cstring>

#include "real.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Copies : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* release : {"12.4", "12.9", "13.5"}) {
      REQUIRE_ARTIFACT(std::string("cudart-") + release);
    }
    names_ = {stub("cudart"), dropin_folder() / "libcudart.so.12", renamed("renamed")};
  }
  Path path(const std::string& name) const { return machine_.root() / name; }
  // A copy of the stub as another wheel has it.
  Path renamed(const std::string& name) {
    const Path file = path("wheels/" + name + "/lib" + name + "_stub.so");
    if (!std::filesystem::exists(file)) {
      copy_with_soname(stub("cudart"), file, "lib" + name + "_stub.so");
    }
    return file;
  }
  // The same, changed by `change(bytes)`.
  template <typename Change>
  Path changed(const std::string& name, Change change) {
    const Path file = renamed(name);
    std::string bytes = content(file);
    change(bytes);
    machine_.put_file(file, bytes);
    return file;
  }
  // A copy of an older release: it and the other copies do not find each other.
  Path old_copy(const std::string& name) {
    return changed(name, [](std::string& bytes) {
      const std::string symbol = "anycudaCopy1_";
      for (std::size_t at = 0; (at = bytes.find(symbol, at)) != std::string::npos; ++at) {
        bytes[at + std::strlen("anycudaCopy")] = '0';
      }
    });
  }
  // A copy whose table says that it is `size` bytes long.
  Path copy_with_table(const std::string& name, std::uint32_t size) {
    return changed(name, [size](std::string& bytes) {
      const std::string symbol("anycudaCopy1_cudart", sizeof "anycudaCopy1_cudart");
      for (std::size_t at = 0; (at = bytes.find(symbol, at)) != std::string::npos; ++at) {
        for (std::uint32_t known = 8; known < 256 && known < at; known += 4) {
          std::uint32_t head[2];
          std::memcpy(head, &bytes[at - known], sizeof head);
          if (head[0] != known || head[1] != 1) continue;
          std::memcpy(&bytes[at - known], &size, sizeof size);
          return;
        }
      }
      FAIL() << "no table";
    });
  }
  Path caller(const std::string& name, const std::string& run_path) {
    const Path file = path("callers/" + name + ".so");
    machine_.put_copy(file, fake("caller_object"));
    patch_elf(file, {"--force-rpath", "--set-rpath", run_path});
    return file;
  }
  std::vector<std::string> run(std::vector<std::string> steps) {
    steps.insert(steps.begin(), native("copies"));
    const ProcessResult result = machine_.run(steps);
    error_ = result.err;
    std::vector<std::string> lines = answers(result);
    const auto is_silent = [](const std::string& line) {
      for (const char* quiet : {"copy: yes", "use: ", "set: yes", "from: yes"}) {
        if (line.rfind(quiet, 0) == 0) return true;
      }
      return false;
    };
    lines.erase(std::remove_if(lines.begin(), lines.end(), is_silent), lines.end());
    return lines;
  }
  std::vector<std::string> with_copies(std::vector<std::string> steps) {
    std::vector<std::string> all;
    for (const Path& name : names_) all.push_back("copy:" + name.string());
    all.insert(all.end(), steps.begin(), steps.end());
    return run(all);
  }
  void put_runtimes() {
    machine_.put_copy("opt/a/libcudart.so.12", library_of(cudart, "12.9"));
    machine_.put_copy("opt/b/libcudart.so.12", library_of(cudart, "12.4"));
  }

  Machine machine_;
  std::vector<Path> names_;
  std::string error_;
};

// ---- one library

TEST_F(Copies, UseTheLibraryThatTheFirstCallHasChosen) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  const std::string other = "set:ANYCUDA_CUDART=" + path("opt/b/libcudart.so.12").string();
  for (const char* first : {"use:1", "use:2", "use:3"}) {
    EXPECT_THAT(with_copies({first, "version", other, "use:1", "version", "use:2", "version",
                             "use:3", "version", "loaded:libcudart.so.12"}),
                ElementsAre("version: 12090", "version: 12090", "version: 12090", "version: 12090",
                            "loaded: " + path("opt/a/libcudart.so.12").string()))
        << first << error_;
  }
}

TEST_F(Copies, NameTheCopyWhoseChoiceTheyUse) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12")).env("ANYCUDA_LOG", "info");
  with_copies({"use:1", "version", "use:2", "version"});
  EXPECT_THAT(error_, HasSubstr("opt/a/libcudart.so.12, which another anycuda stub of this process "
                                "has chosen"));
}

TEST_F(Copies, CopyLoadedAfterTheFirstCall_IsJoined) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  EXPECT_THAT(
      run({"copy:" + names_[2].string(), "version",
           "set:ANYCUDA_CUDART=" + path("opt/b/libcudart.so.12").string(),
           "copy:" + names_[0].string(), "version", "copy:" + names_[1].string(), "version"}),
      ElementsAre("version: 12090", "version: 12090", "version: 12090"));
}

// One has failed while nothing was there.
TEST_F(Copies, FindALibraryThatAnotherCopyFound) {
  put_runtimes();
  EXPECT_THAT(with_copies({"use:1", "version", "use:2", "version",
                           "set:ANYCUDA_CUDART=" + path("opt/a/libcudart.so.12").string(), "use:3",
                           "version", "use:2", "version", "use:1", "version"}),
              ElementsAre("version: -35", "version: -35", "version: 12090", "version: 12090",
                          "version: 12090"));
}

// Each object would choose another one by its run path.
TEST_F(Copies, ChooseOnceWhenThreadsCallThroughAllOfThem) {
  put_runtimes();
  const Path a = caller("a", path("opt/a")), b = caller("b", path("opt/b"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(with_copies({"from:" + a.string(), "from:" + b.string(), "race:16"}),
                ElementsAre("race: one version"));
  }
}

TEST_F(Copies, OfEachLibraryAreOne) {
  for (const char* library : {"nvrtc", "nvjitlink", "cuda"}) {
    EXPECT_THAT(content(stub(library)), HasSubstr(std::string("anycudaCopy1_") + library));
  }
  EXPECT_THAT(content(dropin_folder() / "libcuda.so.1"), HasSubstr("anycudaCopy1_cuda"));
}

// ---- one error per thread

// A function that the runtime does not have: the stub answers 302.
constexpr char kAbsent[] = "call:cudaCtxResetPersistingL2Cache";
constexpr char kPeek[] = "call:cudaPeekAtLastError";
constexpr char kGet[] = "call:cudaGetLastError";

TEST_F(Copies, ShowTheStubsErrorThroughEach) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(with_copies({"use:1", kPeek, "use:2", kPeek, "use:3", kPeek, "use:2",
                           kAbsent, kPeek, "use:1", kPeek, "use:3", kPeek, "use:1",
                           kGet,    kGet,  "use:2", kPeek, "use:3", kGet}),
              ElementsAre("call: 0", "call: 0", "call: 0", "call: 302", "call: 302", "call: 302",
                          "call: 302", "call: 302", "call: 0", "call: 0", "call: 0"));
}

TEST_F(Copies, ShowTheLibrarysErrorThroughEach) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(with_copies({"use:1", kAbsent, "use:3", "call:cudaMalloc", "use:2", kPeek, "use:1",
                           kGet, "use:2", kGet, "use:3", kGet}),
              ElementsAre("call: 302", "call: 2", "call: 2", "call: 2", "call: 0", "call: 0"));
}

// The stub's error is the later one.
TEST_F(Copies, DoNotTakeTheLibrarysErrorFromEachOther) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(with_copies({"use:3", "call:cudaMalloc", "use:1", kAbsent, "use:2", kPeek, "use:3",
                           kGet, "use:2", kGet, "use:1", kGet}),
              ElementsAre("call: 2", "call: 302", "call: 302", "call: 302", "call: 0", "call: 0"));
}

TEST_F(Copies, KeepEachThreadsErrorApart) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(with_copies({"use:1", kAbsent, std::string("in-thread:") + kPeek, "use:2",
                           std::string("in-thread:") + kGet, kGet}),
              ElementsAre("call: 302", "call: 0", "call: 0", "call: 302"));
}

// Without a driver it answers 35 itself.
TEST_F(Copies, ShowErrorsOnARealRuntime) {
  machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
  EXPECT_THAT(with_copies({"use:1", kGet, kPeek, "use:2", kPeek, "use:3", "call:cudaBindTexture",
                           "use:2", kPeek, "use:1", kGet, "use:3", kGet, kGet}),
              ElementsAre("call: 35", "call: 35", "call: 35", "call: 302", "call: 302", "call: 302",
                          "call: 35", "call: 35"));
}

// ---- registration

TEST_F(Copies, RegisterForCallsThroughEach) {
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(
      with_copies({"use:1", "register:first", "use:2", "register:second", "use:3", "register:third",
                   "use:2", "call:cudaGetDevice", "use:1", "call:cudaGetDevice", "register:late",
                   "unregister", "use:3", "unregister"}),
      ElementsAre("register: done", "register: done", "register: done", "fat binary 0",
                  "function first of 0, limit -1", "end 0", "fat binary 1",
                  "function second of 1, limit -1", "end 1", "fat binary 2",
                  "function third of 2, limit -1", "end 2", "call: 4242", "call: 4242",
                  "fat binary 3", "function late of 3, limit -1", "end 3", "register: done",
                  "unregister 3", "unregister: done", "unregister 2", "unregister: done"));
}

TEST_F(Copies, CopyLoadedAfterTheFirstCall_RegistersDirectly) {
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(run({"copy:" + names_[0].string(), "call:cudaGetDevice", "copy:" + names_[2].string(),
                   "register:late", "unregister"}),
              ElementsAre("call: 4242", "fat binary 0", "function late of 0, limit -1", "end 0",
                          "register: done", "unregister 0", "unregister: done"));
}

// What is taken back before the first call is never registered, whichever copy that goes through.
TEST_F(Copies, UndoAnotherCopysRegistrations) {
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(with_copies({"use:1", "register:first", "use:3", "unregister", "use:2",
                           "call:cudaGetDevice"}),
              ElementsAre("register: done", "unregister: done", "call: 4242"));
}

// ---- objects that contain a static stub

// The leader changes the slots of its members at the first error of a stub.
TEST_F(Copies, PluginWithAStaticStub_IsClosedBeforeAnError) {
  REQUIRE_PROGRAM(fake("static_plugin"));
  machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
  const std::string stub = "copy:" + names_[0].string();
  const std::string plugin = "copy:" + fake("static_plugin").string();
  for (const char* joins : {"call:plugin_version", "call:plugin_registers"}) {
    EXPECT_THAT(run({stub, plugin, joins, "close", "use:1", "call:cudaBindTexture", kPeek}),
                ElementsAre("call: 0", "close: still there", "call: 302", "call: 302"));
    EXPECT_THAT(run({stub, plugin, joins, "close", plugin, "use:1", "call:cudaBindTexture", "use:3",
                     "call:plugin_last_error"}),
                ElementsAre("call: 0", "close: still there", "call: 302", "call: 302"));
  }
}

// Nobody knows a static stub that has not joined another copy.
TEST_F(Copies, PluginWithAStaticStub_Alone_IsUnloaded) {
  REQUIRE_PROGRAM(fake("static_plugin"));
  machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
  const std::string plugin = "copy:" + fake("static_plugin").string();
  EXPECT_THAT(run({plugin, "call:plugin_version", "close"}), ElementsAre("call: 0", "close: gone"));
}

// ---- copies of other versions

TEST_F(Copies, FromBeforeUseTheSameLibrary) {
  put_runtimes();
  machine_.library_path("opt/a");
  const std::string old = "copy:" + old_copy("old").string();
  const std::string now = "copy:" + names_[0].string();
  for (const auto& [first, second] : {std::pair(old, now), std::pair(now, old)}) {
    EXPECT_THAT(
        run({first, second, "use:1", "version", "set:LD_LIBRARY_PATH=" + path("opt/b").string(),
             "use:2", "version", "loaded:libcudart.so.12"}),
        ElementsAre("version: 12090", "version: 12090",
                    "loaded: " + path("opt/a/libcudart.so.12").string()));
  }
}

TEST_F(Copies, FromBeforeDoNotTakePartInErrorsAndRegistrations) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  names_[1] = old_copy("old");
  EXPECT_THAT(with_copies({"use:2", kPeek, "use:1", kAbsent, "use:2", kPeek, "use:3", kGet}),
              ElementsAre("call: 0", "call: 302", "call: 0", "call: 302"));
}

TEST_F(Copies, WithALargerTableJoinAndLead) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  const Path larger = copy_with_table("larger", 4096);
  for (const auto& names : {std::vector<Path>{larger, names_[0]}, {names_[0], larger}}) {
    names_ = names;
    EXPECT_THAT(with_copies({"use:1", kAbsent, "use:2", kPeek, kGet, "use:1", kPeek}),
                ElementsAre("call: 302", "call: 302", "call: 302", "call: 0"));
  }
}

// It has the choice, and nothing else.
TEST_F(Copies, SmallerTable_SharesItsEntries) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  const Path smaller = copy_with_table("smaller", 8 + 3 * 4);
  for (const auto& names : {std::vector<Path>{smaller, names_[0]}, {names_[0], smaller}}) {
    names_ = names;
    EXPECT_THAT(
        with_copies({"use:1", "version",
                     "set:ANYCUDA_CUDART=" + path("opt/b/libcudart.so.12").string(), "use:2",
                     "version", "call:cudaBindTexture", kGet, kGet}),
        ElementsAre("version: 12090", "version: 12090", "call: 302", "call: 302", "call: 35"));
  }
}

TEST_F(Copies, FollowACopyOfALaterVersion) {
  put_runtimes();
  machine_.env("LATER_CHOICE", path("opt/a/libcudart.so.12"))
      .env("ANYCUDA_CUDART", path("opt/b/libcudart.so.12"));
  EXPECT_THAT(run({"open:" + fake("later_copy").string(), "copy:" + names_[0].string(),
                   "register:kernel", "version", "call:cudaBindTexture", kPeek, kGet, kGet}),
              ElementsAre("open: yes", "joined by protocol 1, whole", "registered kind 1",
                          "registered kind 3", "registered kind 2", "register: done", "replayed",
                          "version: 12090", "call: 302", "replayed", "call: 302", "replayed",
                          "call: 302", "call: 0"));
}

}  // namespace
}  // namespace anycuda::test
