// SPDX-License-Identifier: Apache-2.0

// Several copies of the runtime's stub in one process act as one (docs/copies.md): one library, one
// error per thread, and registrations through one serve calls through another.
#include <algorithm>
#include <cstring>

#include "real.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
  // The table of a copy: its size, the protocol, anycuda's version.
  struct Table {
    std::uint32_t words[3] = {24 + 12 * 4, 2, ANYCUDA_VERSION_NUMBER};
  };
  // A copy whose table has another word there.
  Path copy_with_table(const std::string& name, int place, std::uint32_t word) {
    return changed(name, [=](std::string& bytes) {
      Table table;
      const std::string known(reinterpret_cast<const char*>(&table), sizeof table);
      const std::size_t at = bytes.find(known);
      ASSERT_NE(at, std::string::npos);
      ASSERT_EQ(bytes.find(known, at + 1), std::string::npos);
      table.words[place] = word;
      std::memcpy(&bytes[at], &table, sizeof table);
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
    EXPECT_THAT(ElfFile::read(stub(library)).exported_names(), Contains("anycudaCopy2"));
  }
  EXPECT_THAT(ElfFile::read(dropin_folder() / "libcuda.so.1").exported_names(),
              Contains("anycudaCopy2"));
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

class CopiesInPlugins : public Copies {
 protected:
  void SetUp() override {
    Copies::SetUp();
    REQUIRE_PROGRAM(fake("static_plugin"));
  }
  const std::string stub_ = "copy:" + stub("cudart").string();
  const std::string plugin_ = "copy:" + fake("static_plugin").string();
};

// The stub knows nothing of the plugin: neither its slots nor its registrations are there any more.
TEST_F(CopiesInPlugins, ClosedBeforeAnError_IsGone) {
  machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
  for (const char* joins :
       {"call:plugin_version", "call:plugin_registers", "call:plugin_last_error"}) {
    const std::string result =
        joins == std::string("call:plugin_last_error") ? "call: 35" : "call: 0";
    EXPECT_THAT(run({stub_, plugin_, joins, "close", "use:1", "call:cudaBindTexture", kPeek}),
                ElementsAre(result, "close: gone", "call: 302", "call: 302"));
    EXPECT_THAT(run({stub_, plugin_, joins, "close", plugin_, "use:1", "call:cudaBindTexture",
                     "use:3", "call:plugin_last_error"}),
                ElementsAre(result, "close: gone", "call: 302", "call: 302"));
  }
}

TEST_F(CopiesInPlugins, CalledBeforeAnError_ShowTheStubsError) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  EXPECT_THAT(run({stub_, plugin_, "call:plugin_last_error", "use:1", kAbsent, "use:2",
                   "call:plugin_last_error", "call:plugin_last_error", "use:1", kPeek}),
              ElementsAre("call: 0", "call: 302", "call: 302", "call: 0", "call: 0"));
}

TEST_F(CopiesInPlugins, UseTheProcesssLibrary) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  const std::string other = "set:ANYCUDA_CUDART=" + path("opt/b/libcudart.so.12").string();
  const std::string loaded = "loaded: " + path("opt/a/libcudart.so.12").string();
  EXPECT_THAT(
      run({stub_, "version", other, plugin_, "call:plugin_version", "loaded:libcudart.so.12"}),
      ElementsAre("version: 12090", "call: 0", loaded));
  EXPECT_THAT(run({stub_, plugin_, "call:plugin_version", other, "close", "use:1", "version",
                   "loaded:libcudart.so.12"}),
              ElementsAre("call: 0", "close: gone", "version: 12090", loaded));
}

// The plugin keeps its registrations, until a call through it passes them to the stub that leads.
TEST_F(CopiesInPlugins, RegistrationsArePassedOn) {
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(run({stub_, "register:first", plugin_, "call:plugin_keeps", "call:plugin_last_error",
                   "use:1", "call:cudaGetDevice", "use:2", "close", "use:1", "call:cudaGetDevice"}),
              ElementsAre("register: done", "call: 0", "fat binary 0",
                          "function first of 0, limit -1", "end 0", "fat binary 1", "end 1",
                          "call: 4242", "call: 4242", "unregister 1", "close: gone", "call: 4242"));
}

// Nobody knows a static stub that has not found another copy.
TEST_F(CopiesInPlugins, Alone_IsUnloaded) {
  machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
  EXPECT_THAT(run({plugin_, "call:plugin_version", "close"}),
              ElementsAre("call: 0", "close: gone"));
}

// ---- copies of other versions

TEST_F(Copies, WithALargerTableJoinAndLead) {
  machine_.env("ANYCUDA_CUDART", fake("failing"));
  const Path larger = copy_with_table("larger", 0, 4096);
  for (const auto& names : {std::vector<Path>{larger, names_[0]}, {names_[0], larger}}) {
    names_ = names;
    EXPECT_THAT(with_copies({"use:1", kAbsent, "use:2", kPeek, kGet, "use:1", kPeek}),
                ElementsAre("call: 302", "call: 302", "call: 302", "call: 0"));
  }
}

// It has the choice, and nothing else.
TEST_F(Copies, SmallerTable_SharesTheChoice) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  const Path smaller = copy_with_table("smaller", 0, 24);
  for (const auto& names : {std::vector<Path>{smaller, names_[0]}, {names_[0], smaller}}) {
    names_ = names;
    EXPECT_THAT(
        with_copies({"use:1", "version",
                     "set:ANYCUDA_CUDART=" + path("opt/b/libcudart.so.12").string(), "use:2",
                     "version", "call:cudaBindTexture", kGet, kGet}),
        ElementsAre("version: 12090", "version: 12090", "call: 302", "call: 302", "call: 35"));
  }
}

// A build that knows CUDA 11 and 12 (earlier_stub.py), called by programs built for CUDA 12.
class EarlierCopy : public Copies {
 protected:
  void SetUp() override {
    Copies::SetUp();
    REQUIRE_PROGRAM(fake("earlier/libcudart_stub"));
    machine_.env("ANYCUDA_CUDART", library_of(cudart, "13.5"));
    names_ = {fake("earlier/libcudart_stub"), stub("cudart")};
  }
  static constexpr char kCall[] = "call:cudaRuntimeGetVersion@libcudart.so.12";
};

TEST_F(EarlierCopy, Alone_RefusesALaterCuda) {
  names_.pop_back();
  EXPECT_THAT(with_copies({kCall}), ElementsAre("call: 35"));
  EXPECT_THAT(error_, HasSubstr("newer than this anycuda knows"));
}

TEST_F(EarlierCopy, BesideALaterOne_RunsOnALaterCuda) {
  for (const char* first : {"use:1", "use:2"}) {
    EXPECT_THAT(with_copies({first, kCall, "use:2", kCall, "use:1", kCall, kCall}),
                ElementsAre("call: 0", "call: 0", "call: 0", "call: 0"));
    EXPECT_THAT(error_, IsEmpty());
  }
  std::reverse(names_.begin(), names_.end());
  EXPECT_THAT(with_copies({"use:2", kCall, "use:1", kCall}), ElementsAre("call: 0", "call: 0"));
}

// A drop-in has the functions of one major, and serves nobody.
TEST_F(EarlierCopy, BesideALaterOneBehindADropIn_RunsOnALaterCuda) {
  names_ = {dropin_folder() / "libcudart.so.12", names_[0], names_[1]};
  EXPECT_THAT(with_copies({"use:2", kCall, "use:1", kCall, "use:3", kCall}),
              ElementsAre("call: 0", "call: 0", "call: 0"));
}

// The first file keeps the log, the later stub leads, and the call comes through a static stub.
TEST_F(EarlierCopy, CalledThroughAStaticStub_PassesItsRegistrationsOn) {
  REQUIRE_PROGRAM(fake("static_plugin"));
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(with_copies({"use:1", "register:first", "copy:" + fake("static_plugin").string(),
                           "call:plugin_last_error"}),
              ElementsAre("register: done", "fat binary 0", "function first of 0, limit -1",
                          "end 0", "call: 4242"));
}

// The tables of another major's runtime are refused; an unversioned call would reach the runtime.
TEST_F(EarlierCopy, BesideALaterOne_KeepsTheMajorOfItsCaller) {
  EXPECT_THAT(with_copies({"use:1", "call:cudaGetExportTable@libcudart.so.12"}),
              ElementsAre("call: 801"));
  EXPECT_THAT(error_, HasSubstr("cudaGetExportTable"));
}

// cudaBindTexture is absent in CUDA 13 for every caller but those of 11.
TEST_F(EarlierCopy, BesideALaterOne_SharesItsErrors) {
  EXPECT_THAT(with_copies({"use:1", kGet, kGet, "call:cudaBindTexture", kPeek, "use:2", kPeek, kGet,
                           "use:1", kGet, "call:cudaBindTexture", "use:2", kGet}),
              ElementsAre("call: 35", "call: 35", "call: 302", "call: 302", "call: 302",
                          "call: 302", "call: 35", "call: 302", "call: 302"));
}

TEST_F(EarlierCopy, BesideALaterOne_PassesItsRegistrationsOn) {
  machine_.env("ANYCUDA_CUDART", fake("recording"));
  EXPECT_THAT(with_copies({"use:1", "register:first", "register:gone", "unregister", "use:2",
                           "register:second", "call:cudaGetDevice", "use:1", "register:late",
                           "unregister", "use:2", "unregister", "use:1", "unregister"}),
              ElementsAre("register: done", "register: done", "unregister: done", "register: done",
                          "fat binary 0", "function first of 0, limit -1", "end 0", "fat binary 1",
                          "function second of 1, limit -1", "end 1", "call: 4242", "fat binary 2",
                          "function late of 2, limit -1", "end 2", "register: done", "unregister 2",
                          "unregister: done", "unregister 1", "unregister: done", "unregister 0",
                          "unregister: done"));
}

// The decision holds: the earlier copy leads.
TEST_F(EarlierCopy, CalledBeforeALaterOneIsLoaded_GoesOn) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12"));
  EXPECT_THAT(
      run({"copy:" + names_[0].string(), kCall, "copy:" + names_[1].string(), kCall, "use:1",
           "call:cudaGetDevice@libcudart.so.12", "use:2", kGet, "loaded:libcudart.so.12"}),
      ElementsAre("call: 0", "call: 0", "call: 35", "call: 35",
                  "loaded: " + path("opt/a/libcudart.so.12").string()));
}

TEST_F(Copies, OfEqualVersions_AreNotServed) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/a/libcudart.so.12")).env("ANYCUDA_LOG", "debug");
  with_copies({"use:1", "version", "use:2", "version", "use:3", "version"});
  EXPECT_THAT(error_, Not(HasSubstr("in a later anycuda")));
  names_[2] = copy_with_table("later", 2, ANYCUDA_VERSION_NUMBER + 1);
  with_copies({"use:1", "version", "use:2", "version", "use:3", "version"});
  EXPECT_THAT(error_, HasSubstr("in a later anycuda"));
}

TEST_F(Copies, CopyOfALaterVersion_ServesTheOthers) {
  put_runtimes();
  machine_.env("ANYCUDA_CUDART", path("opt/b/libcudart.so.12"));
  EXPECT_THAT(
      run({"copy:" + names_[0].string(), "register:kernel", "copy:" + fake("later_copy").string(),
           "use:1", "call:cudaMalloc@libcudart.so.12", "call:cudaMalloc@libcudart.so.12",
           "call:cudaBindTexture", kPeek, "unregister", "loaded:libcudart.so.12"}),
      ElementsAre("register: done", "registered kind 1 of nothing",
                  "registered kind 3 of this copy", "registered kind 2 of this copy", "replayed",
                  "serves cudaMalloc of libcudart.so.12", "call: 7", "call: 7", "replayed",
                  "serves cudaBindTexture of no version", "call: 7", "replayed",
                  "serves cudaPeekAtLastError of no version", "call: 0",
                  "registered kind 256 of this copy", "unregister: done", "loaded: none"));
}

}  // namespace
}  // namespace anycuda::test
