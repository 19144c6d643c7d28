// SPDX-License-Identifier: Apache-2.0

// Which symbol version a caller reaches: its major's, or ANYCUDA_NATIVE where it names none.
//
// The stub's behaviour shows it. With ANYCUDA_CROSS_MAJOR=reject a caller of one major is served
// only by a runtime of that major, and an unversioned caller by each of them. And
// cudaPointerGetAttributes of CUDA 13 fills a larger structure than those of 11 and 12, so a caller
// of these must not reach it.
#include "real.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

using ::testing::ElementsAre;
using Releases = std::vector<std::string>;

constexpr char kServed[] = "8 16 24 32 2 ";  // cudaCreateChannelDesc of a real runtime
constexpr char kNotServed[] = "0 0 0 0 0 ";

// The runtimes, each the only one that the stub may use, which serve a caller. prepare(machine)
// makes what the way of calling needs.
template <typename Prepare>
Releases served_by(const std::vector<std::string>& command, Prepare prepare) {
  Releases serving;
  for (const std::string& release : kReleases) {
    Machine machine;
    machine.env("ANYCUDA_CUDART", library_of(cudart, release)).env("ANYCUDA_CROSS_MAJOR", "reject");
    prepare(machine);
    const ProcessResult result = machine.run(command);
    const std::string channel = answer(result, "channel");
    if (channel == kServed) {
      serving.push_back(release);
    } else {
      EXPECT_EQ(channel, kNotServed) << release << "\n" << result.describe();
    }
  }
  return serving;
}

Releases served_by(const std::vector<std::string>& command) {
  return served_by(command, [](Machine&) {});
}

std::string major_of(const std::string& release) { return release.substr(0, release.find('.')); }

class BuiltFor : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
  }
  std::string release() const { return GetParam(); }
  std::string program() const { return "call_cudart-" + major_of(release()); }
};

TEST_P(BuiltFor, StubInNeeded_ReachesItsVersion) {
  EXPECT_THAT(served_by({patched(program()), "channel"}), ElementsAre(release()));
}

TEST_P(BuiltFor, LinkedWithTheLinkLibrary_ReachesItsVersion) {
  const ElfFile program_file = ElfFile::read(linked(program()));
  EXPECT_THAT(program_file.needed, ::testing::Contains("libcudart_stub.so"));
  EXPECT_THAT(served_by({linked(program()), "channel"}), ElementsAre(release()));
}

TEST_P(BuiltFor, Preloaded_ReachesItsVersion) {
  EXPECT_THAT(served_by({native(program()), "channel"},
                        [&](Machine& machine) {
                          machine.on_library_path(cudart, release()).preload(stub("cudart"));
                        }),
              ElementsAre(release()));
}

TEST_P(BuiltFor, DropIn_ReachesItsVersion) {
  EXPECT_THAT(served_by({native(program()), "channel"},
                        [](Machine& machine) { machine.library_path(dropin_folder()); }),
              ElementsAre(release()));
}

TEST_P(BuiltFor, WithoutVersions_ReachesTheUnversionedNames) {
  EXPECT_EQ(served_by({versionless(program()), "channel"}), kReleases);
}

// A drop-in is one major's library; an unversioned caller gets the major of its name.
TEST_P(BuiltFor, ReachesTheDropInsVersionWithoutVersionInformation) {
  const Path plain = Path(ANYCUDA_BINARY_DIR) / "plain/programs" / program();
  EXPECT_THAT(served_by({plain, "channel"},
                        [](Machine& machine) { machine.library_path(dropin_folder()); }),
              ElementsAre(release()));
}

// Without a version the call goes to the runtime as it is; with one it goes there by way of an
// adapter where the structures differ, and says the same.
TEST_P(BuiltFor, GetsTheRuntimesAnswerWithinItsStructure) {
  for (const std::string& runtime : kReleases) {
    Machine machine;
    machine.wheel(cudart, runtime);
    const std::string passed_through =
        answer(machine.run({versionless(program()), "attributes"}), "attributes");
    EXPECT_NE(passed_through, "801") << runtime;
    EXPECT_EQ(answer(machine.run({patched(program()), "attributes"}), "attributes"), passed_through)
        << runtime;
  }
}

INSTANTIATE_TEST_SUITE_P(Binding, BuiltFor, ::testing::ValuesIn(kReleases),
                         [](const auto& info) { return "Cuda" + major_of(info.param); });

// Which runtimes answer a call through an interpreter: none is loaded where the stub refuses.
Releases loaded_by(const std::vector<std::string>& steps) {
  Releases loaded;
  for (const std::string& release : kReleases) {
    Machine machine;
    machine.env("ANYCUDA_CUDART", library_of(cudart, release));
    machine.env("ANYCUDA_CROSS_MAJOR", "reject");
    std::vector<std::string> command = {native("host")};
    command.insert(command.end(), steps.begin(), steps.end());
    command.push_back("loaded:libcudart");
    const ProcessResult result = machine.run(command);
    EXPECT_EQ(answer(result, "import"), "yes") << result.describe();
    if (answer(result, "loaded") != "none") loaded.push_back(release);
  }
  return loaded;
}

class Interpreter : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& release : kReleases) REQUIRE_ARTIFACT("cudart-" + release);
  }
};

TEST_F(Interpreter, Dlsym_ReachesTheUnversionedNames) {
  EXPECT_EQ(loaded_by({"import:" + stub("cudart").string(), "call:cudaPeekAtLastError"}),
            kReleases);
}

TEST_F(Interpreter, ReachesTheVersionItNamesByDlvsym) {
  EXPECT_THAT(
      loaded_by({"import:" + stub("cudart").string(), "call:cudaPeekAtLastError@libcudart.so.12"}),
      ElementsAre("12.9"));
}

TEST_F(Interpreter, ReachesTheDropInsVersionByDlsym) {
  const Path dropin = dropin_folder() / "libcudart.so.13";
  EXPECT_THAT(loaded_by({"import:" + dropin.string(), "call:cudaPeekAtLastError"}),
              ElementsAre("13.5"));
}

TEST_F(Interpreter, Ctypes_ReachesTheUnversionedNames) {
  for (const std::string& release : kReleases) {
    const std::string runtime = std::filesystem::canonical(library_of(cudart, release));
    Machine machine;
    machine.env("ANYCUDA_CUDART", runtime).env("ANYCUDA_CROSS_MAJOR", "reject");
    const ProcessResult result =
        machine.run({python(), "-c",
                     "import ctypes; ctypes.CDLL('" + stub("cudart").string() +
                         "').cudaPeekAtLastError(); print('" + runtime +
                         "' in open('/proc/self/maps').read())"});
    EXPECT_EQ(result.out, "True\n") << release << result.describe();
  }
}

// The other libraries bind in the same way. Without one that may serve, each says its own error.
struct Client {
  Component component;
  std::string release, program, step, refused;
};

void PrintTo(const Client& client, std::ostream* out) {
  *out << client.program << " of " << client.release;
}

class OtherLibrary : public ::testing::TestWithParam<Client> {};

TEST_P(OtherLibrary, IsReachedOnlyByItsMajor) {
  const Client& client = GetParam();
  const std::string name = client.program + "-" + major_of(client.release);
  REQUIRE_PROGRAM(patched(name));
  for (const std::string& release : kReleases) {
    // CUDA 11 has no nvJitLink.
    if (client.component.name == nvjitlink.name && release == "11.8") continue;
    REQUIRE_ARTIFACT(std::string(client.component.name) + "-" + release);
    Machine machine;
    machine.wheel(client.component, release).env("ANYCUDA_CROSS_MAJOR", "reject");
    const ProcessResult result = machine.run({patched(name), client.step});
    if (release == client.release) {
      EXPECT_EQ(answer(result, client.step).substr(0, 2), "0 ") << result.describe();
    } else {
      EXPECT_EQ(answer(result, client.step), client.refused) << result.describe();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Binding, OtherLibrary,
    ::testing::Values(Client{nvrtc, "11.8", "call_nvrtc", "version", "11 0.0"},
                      Client{nvrtc, "12.9", "call_nvrtc", "version", "11 0.0"},
                      Client{nvrtc, "13.5", "call_nvrtc", "version", "11 0.0"},
                      Client{nvjitlink, "12.9", "call_nvjitlink", "create", "6 null"},
                      Client{nvjitlink, "13.5", "call_nvjitlink", "create", "6 null"}),
    [](const auto& info) {
      return std::string(info.param.component.name) + major_of(info.param.release);
    });

TEST(DriverLibrary, IsReachedWithTheStubInNeeded) {
  REQUIRE_PROGRAM(patched("call_cuda"));
  Machine machine;
  machine.driver(535);
  EXPECT_EQ(answer(machine.run({patched("call_cuda"), "version"}), "version"), "0 12020");
}

TEST(DriverLibrary, IsReachedUnderPreloadAndThroughTheDropIn) {
  REQUIRE_PROGRAM(native("call_cuda"));
  Machine preloaded;
  preloaded.driver(535).preload(stub("cuda"));
  EXPECT_EQ(answer(preloaded.run({native("call_cuda"), "version"}), "version"), "0 12020");
  Machine dropin;
  dropin.driver_out_of_reach(535).library_path(dropin_folder());
  EXPECT_EQ(answer(dropin.run({native("call_cuda"), "version"}), "version"), "0 12020");
}

}  // namespace
}  // namespace anycuda::test
