// SPDX-License-Identifier: Apache-2.0

// Files whose content does not fit their name: each is passed over with its reason, and the next
// candidate is used. All of them have the newest runtime's name, and would come first if they were
// valid.
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "real.h"
#include "support/case_names.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Path kBad = "opt/bad/libcudart.so.13";

struct Fault {
  const char* name;
  void (*make)(Machine&);
  const char* reason;
  const char* version = "unknown CUDA";
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::string real_bytes() { return content(library_of(cudart, "13.5")); }

template <typename Change>
void put_changed(Machine& machine, Change change) {
  std::string bytes = real_bytes();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  machine.put_file(kBad, bytes);
}

void lacks_a_core_symbol(Machine& m) { m.put_copy(kBad, fake("without_malloc")); }
void is_truncated(Machine& m) {
  m.put_copy(kBad, library_of(cudart, "13.5")).truncate(kBad, real_bytes().size() / 2);
}
void is_truncated_to_its_header(Machine& m) {
  m.put_copy(kBad, library_of(cudart, "13.5")).truncate(kBad, 64);
}
// All that describes the library is there; what the dynamic loader would map is not, and touching
// it would end the program.
void lacks_its_last_byte(Machine& m) {
  const std::string bytes = real_bytes();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::size_t end = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr s;
    std::memcpy(&s, bytes.data() + header.e_phoff + sizeof s * i, sizeof s);
    if (s.p_type == PT_LOAD) end = std::max<std::size_t>(end, s.p_offset + s.p_filesz);
  }
  m.put_copy(kBad, library_of(cudart, "13.5")).truncate(kBad, end - 1);
}
void is_empty(Machine& m) { m.put_file(kBad, ""); }
void is_text(Machine& m) { m.put_file(kBad, "version https://git-lfs.github.com/spec/v1\n"); }
void is_of_aarch64(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_machine = EM_AARCH64; });
}
void is_of_32_bits(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS32; });
}
void is_a_program(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_type = ET_EXEC; });
}
void has_its_segments_elsewhere(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_phoff = ~0ull - 8; });
}
void claims_too_many_segments(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_phnum = 0xffff; });
}
void has_no_segments(Machine& m) {
  put_changed(m, [](Elf64_Ehdr& header) { header.e_phnum = 0; });
}
void is_a_folder(Machine& m) { m.put_folder(kBad); }
void is_a_pipe(Machine& m) {
  m.put_folder(kBad.parent_path());
  ASSERT_EQ(mkfifo(m.resolve(kBad).c_str(), 0644), 0);
}
void is_a_link_to_itself(Machine& m) { m.put_link(kBad, kBad.filename()); }
void is_a_link_to_nothing(Machine& m) { m.put_link(kBad, "libcudart.so.13.5.37"); }
void is_another_library(Machine& m) { m.put_copy(kBad, library_of(nvrtc, "13.5")); }
void is_the_stub(Machine& m) { m.put_copy(kBad, stub("cudart")); }

const Fault kFaults[] = {
    {"LacksACoreSymbol", lacks_a_core_symbol, "incomplete: it lacks cudaMalloc", "CUDA 13"},
    {"IsTruncated", is_truncated, "truncated: it ends before its own segments"},
    {"IsTruncatedToItsHeader", is_truncated_to_its_header, "truncated"},
    {"LacksItsLastByte", lacks_its_last_byte, "truncated: it ends before its own segments"},
    {"IsEmpty", is_empty, "not an ELF shared library"},
    {"IsText", is_text, "not an ELF shared library"},
    {"IsOfAarch64", is_of_aarch64, "built for another CPU architecture"},
    {"IsOf32Bits", is_of_32_bits, "built for another CPU architecture"},
    {"IsAProgram", is_a_program, "not an ELF shared library"},
    {"HasItsSegmentsElsewhere", has_its_segments_elsewhere, "truncated"},
    {"ClaimsTooManySegments", claims_too_many_segments, "not an ELF shared library"},
    {"HasNoSegments", has_no_segments, "not a CUDA runtime"},
    {"IsAFolder", is_a_folder, "not a regular file"},
    {"IsAPipe", is_a_pipe, "not a regular file"},
    {"IsALinkToItself", is_a_link_to_itself, "cannot be read \\(Too many levels"},
    {"IsALinkToNothing", is_a_link_to_nothing, "no such file"},
    {"IsAnotherLibrary", is_another_library, "not a CUDA runtime: its SONAME is 'libnvrtc.so.13'"},
    {"IsTheStub", is_the_stub, "an anycuda stub, not the library itself"},
};

class ARuntimeThat : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    for (const char* artifact : {"cudart-12.9", "cudart-13.5", "nvrtc-13.5"})
      REQUIRE_ARTIFACT(artifact);
    REQUIRE_PROGRAM(patched("call_cudart-12"));
    GetParam().make(machine_);
    machine_.library_path(kBad.parent_path()).env("ANYCUDA_LOG", "debug");
  }
  ProcessResult call() {
    return machine_.run({patched("call_cudart-12"), "channel", "loaded:libcudart"});
  }
  std::string passed_over() const {
    return "candidate [^\n]*/" + kBad.string() + " \\(" + GetParam().version +
           "\\): " + GetParam().reason;
  }
  Machine machine_;
};

TEST_P(ARuntimeThat, IsPassedOverForTheNextInItsTier) {
  machine_.on_library_path(cudart, "12.9");
  const ProcessResult result = call();
  EXPECT_THAT(answers(result),
              ElementsAre("channel: 8 16 24 32 2 ", HasSubstr("/opt/cudart-12.9/libcudart.so")));
  EXPECT_THAT(result.err, ContainsRegex(passed_over()));
}

TEST_P(ARuntimeThat, IsPassedOverForTheNextTier) {
  machine_.wheel(cudart, "12.9");
  const ProcessResult result = call();
  EXPECT_THAT(answers(result),
              ElementsAre("channel: 8 16 24 32 2 ", HasSubstr("/site-packages/nvidia/")));
  EXPECT_THAT(result.err, ContainsRegex(passed_over()));
}

TEST_P(ARuntimeThat, WithoutAnother_IsNamedInTheReport) {
  machine_.env("ANYCUDA_LOG", "error");
  const ProcessResult result = call();
  EXPECT_THAT(answers(result), ElementsAre("channel: 0 0 0 0 0 ", "loaded: none"));
  EXPECT_THAT(result.err, ContainsRegex("/" + kBad.string() + ": " + GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(Faults, ARuntimeThat, ::testing::ValuesIn(kFaults), kPrintedName);

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"cudart-12.9", "cudart-13.5"}) REQUIRE_ARTIFACT(artifact);
    REQUIRE_PROGRAM(patched("call_cudart-12"));
  }
  Machine machine_;
};

TEST_F(Faults, AnUnreadableRuntimeIsPassedOver) {
  machine_.put_copy(kBad, library_of(cudart, "13.5")).chmod(kBad, 0);
  machine_.library_path(kBad.parent_path()).on_library_path(cudart, "12.9");
  machine_.env("ANYCUDA_LOG", "debug");
  const ProcessResult result =
      machine_.run_without_rights({patched("call_cudart-12"), "channel", "loaded:libcudart"});
  EXPECT_THAT(answers(result),
              ElementsAre("channel: 8 16 24 32 2 ", HasSubstr("/opt/cudart-12.9/libcudart.so")));
  EXPECT_THAT(result.err, HasSubstr("cannot be read (Permission denied)"));
}

// What the reading of the file could not foresee, the dynamic loader refuses.
TEST_F(Faults, RuntimeWithAMissingLibraryIsPassedOver) {
  std::string bytes = real_bytes();
  for (std::size_t at = bytes.find("libpthread.so.0"); at != std::string::npos;
       at = bytes.find("libpthread.so.0")) {
    bytes.replace(at, 15, "libnothere.so.0");
  }
  machine_.put_file(kBad, bytes);
  ASSERT_THAT(ElfFile::read(machine_.resolve(kBad)).needed, ::testing::Contains("libnothere.so.0"));
  machine_.library_path(kBad.parent_path()).on_library_path(cudart, "12.9");
  machine_.env("ANYCUDA_LOG", "debug");
  const ProcessResult result =
      machine_.run({patched("call_cudart-12"), "channel", "loaded:libcudart"});
  EXPECT_THAT(answers(result),
              ElementsAre("channel: 8 16 24 32 2 ", HasSubstr("/opt/cudart-12.9/libcudart.so")));
}

// Bound as a whole when it is opened: otherwise the program would end in the middle of a call.
TEST_F(Faults, RuntimeWithAMissingSymbolIsPassedOver) {
  machine_.put_copy(kBad, fake("unbound")).library_path(kBad.parent_path());
  const std::vector<std::string> command = {patched("call_cudart-12"), "malloc",
                                            "loaded:libcudart"};
  const ProcessResult alone = machine_.run(command);
  EXPECT_THAT(answers(alone), ElementsAre("malloc: 35 null", "loaded: none"));
  EXPECT_THAT(alone.err, ContainsRegex("/" + kBad.string() + ": .*nobody_has_this"));
  machine_.on_library_path(cudart, "12.9");
  const ProcessResult result = machine_.run(command);
  EXPECT_THAT(answers(result),
              ElementsAre(HasSubstr("malloc: 35"), HasSubstr("/opt/cudart-12.9/libcudart.so")));
  EXPECT_EQ(result.err, "");
}

// A thousand runtimes with wrong bytes in what describes them. They are of a major that the
// caller refuses (ANYCUDA_CROSS_MAJOR=reject), so the stub reads them and loads none: what the
// dynamic loader makes of them is not asked here.
TEST_F(Faults, MutatedRuntimesAreReadWithoutHarm) {
  machine_.put_copy(kBad, library_of(cudart, "13.5")).library_path(kBad.parent_path());
  machine_.on_library_path(cudart, "12.9").env("ANYCUDA_CROSS_MAJOR", "reject");
  const ProcessResult result =
      machine_.run({patched("mutate-12"), machine_.resolve(kBad).string(), "1000"});
  EXPECT_EQ(result.out, "1000 of 1000 mutations: the next candidate was used\n")
      << result.describe();
}

TEST_F(Faults, OnlyMutatedRuntimes_AreADefinedError) {
  machine_.put_copy(kBad, library_of(cudart, "13.5")).library_path(kBad.parent_path());
  machine_.env("ANYCUDA_CROSS_MAJOR", "reject").env("ANYCUDA_LOG", "off");
  const ProcessResult result =
      machine_.run({patched("mutate-12"), machine_.resolve(kBad).string(), "1000"});
  EXPECT_EQ(result.out, "1000 of 1000 mutations: cudaErrorInsufficientDriver\n")
      << result.describe();
}

}  // namespace
}  // namespace anycuda::test
