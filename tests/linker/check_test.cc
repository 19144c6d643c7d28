// SPDX-License-Identifier: Apache-2.0

// Errors that hold on every machine are reported before any search: these tests need no CUDA.
#include "linker/inputs/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "anycuda/linker/linker.h"

using namespace anycuda::linker;
using anycuda::Linker;
using testing::HasSubstr;

namespace {

const char kPtx[] = "// made by hand\n.version 7.0\n.target sm_80\n";

std::vector<Input> one(InputType type, std::string bytes, std::string name = "mine") {
  return {Input::bytes(type, std::move(bytes), std::move(name))};
}

template <typename Error>
std::string refused(std::vector<Input> inputs, const Options& options = {}) {
  try {
    Linker linker(std::move(inputs), options);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

std::string refused_option(const Options& options) {
  try {
    check(options);
  } catch (const OptionError& error) {
    return error.option();
  }
  return "";
}

template <typename Set>
std::string refused_with(Set set) {
  Options options;
  set(&options);
  return refused_option(options);
}

class Folder {
 public:
  Folder() {
    std::string name = ANYCUDA_BINARY_DIR "/inputXXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name) << bytes;
    return path_ / name;
  }
  std::string path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(Inputs, None_IsASeparateError) {
  EXPECT_THAT(refused<NoInputError>({}), HasSubstr("no input"));
}

TEST(Inputs, EachFaultNamesTheInput) {
  EXPECT_THAT(refused<InputError>(one(InputType::ptx, "")), HasSubstr("'mine' (PTX) is empty"));
  EXPECT_THAT(refused<InputError>(one(InputType::cubin, kPtx)),
              HasSubstr("'mine' (CUBIN) has the first bytes of PTX"));
  EXPECT_THAT(refused<InputError>(one(InputType::cubin, "junk")), HasSubstr("damaged"));
  EXPECT_THAT(refused<InputError>(one(InputType::object, std::string("\x7f"
                                                                     "ELF",
                                                                     4) +
                                                             std::string(14, '\0') + "\xbe" +
                                                             std::string(45, '\0'))),
              HasSubstr("has the first bytes of CUBIN"));
  EXPECT_THAT(refused<InputError>(one(InputType::any, "junk")), HasSubstr("declare its InputType"));
  EXPECT_THAT(refused<InputError>(one(static_cast<InputType>(77), kPtx)),
              HasSubstr("invalid InputType (77)"));
  EXPECT_THAT(refused<InputError>(one(InputType::index, "a b c")), HasSubstr("must be a file"));
  EXPECT_THAT(refused<InputError>(one(InputType::ptx, kPtx, std::string("a\0b", 3))),
              HasSubstr("zero byte in its name"));
  EXPECT_THAT(refused<InputError>(one(InputType::ptx, kPtx, std::string(32769, 'n'))),
              HasSubstr("name of more than 32 KiB"));
  EXPECT_THAT(
      refused<InputError>({Input::bytes(InputType::ptx, kPtx), Input::bytes(InputType::ptx, "")}),
      HasSubstr("'input 2'"));
}

// nvJitLink hangs on a fatbin that is cut and crashes on a CUBIN.
TEST(Inputs, TruncatedInputIsRefused) {
  const std::string fatbin("\x50\xed\x55\xba\1\0\x10\0\x20\0\0\0\0\0\0\0", 16);
  for (const std::size_t size : {4, 16, 47}) {
    EXPECT_THAT(
        refused<InputError>(one(InputType::any, (fatbin + std::string(32, 'x')).substr(0, size))),
        HasSubstr("is truncated"))
        << size;
  }
  const Folder folder;
  EXPECT_THAT(
      refused<InputError>({Input::file(InputType::fatbin, folder.put("cut.fatbin", fatbin))}),
      HasSubstr("at least 48 bytes, and there are 16"));
  EXPECT_EQ(checked(one(InputType::any, fatbin + std::string(32, 'x')))[0].type, InputType::fatbin);
}

TEST(Inputs, FileIsCheckedAgain) {
  const Folder folder;
  const std::string path = folder.put("module.ptx", kPtx);
  const std::vector<Item> items = checked({Input::file(InputType::any, path)});
  revalidate(items);
  folder.put("module.ptx", "!<arch>\n");
  EXPECT_THROW(revalidate(items), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW(revalidate(items), InputError);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(revalidate(items), InputError);
}

TEST(Inputs, LtoIrNeedsTheOption) {
  const std::string ir("\xed\x43\x4e\x7f\x01\x43\x02\x73", 8);
  for (const InputType type : {InputType::lto_ir, InputType::any}) {
    EXPECT_THAT(refused<InputError>(one(type, ir)), HasSubstr("set Options::lto"));
  }
  Options options;
  options.lto = true;
  EXPECT_THAT(refused<InputError>(one(InputType::nvvm, ir), options),
              HasSubstr("only by the driver's linker"));
}

TEST(Inputs, FilesAreChecked) {
  const Folder folder;
  const auto of = [](const std::string& path) {
    return std::vector<Input>{Input::file(InputType::ptx, path)};
  };
  EXPECT_THAT(refused<InputError>(of(folder.path("none.ptx"))),
              HasSubstr("none.ptx' (PTX) cannot be read (No such file"));
  EXPECT_THAT(refused<InputError>(of("")), HasSubstr("has no path"));
  EXPECT_THAT(refused<InputError>(of("/")), HasSubstr("is not a regular file"));
  EXPECT_THAT(refused<InputError>(of(folder.put("empty.ptx", ""))), HasSubstr("is empty"));
  EXPECT_THAT(refused<InputError>(of(folder.put("a.ptx", "!<arch>\n"))),
              HasSubstr("has the first bytes of library"));
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refused<InputError>(of(pipe)), HasSubstr("is not a regular file"));
}

TEST(Inputs, KeepTheirNames) {
  const std::vector<Item> items =
      checked({Input::bytes(InputType::any, kPtx, "named"), Input::bytes(InputType::ptx, kPtx)});
  EXPECT_EQ(items[0].name, "named");
  EXPECT_EQ(items[0].type, InputType::ptx);
  EXPECT_EQ(items[1].name, "input 2");
}

// A refusal of the choice is an answer, wrong inputs and options are errors.
TEST(WhichBackend, ChecksLikeTheConstructor) {
  Options options;
  options.backend = Backend::driver;
  const BackendReport report = which_backend(one(InputType::ptx, kPtx), options);
  EXPECT_EQ(report.backend, Backend::driver);
  EXPECT_EQ(report.refusal, Refusal::none);
  EXPECT_EQ(report.reason, "the driver's linker is used: Options::backend forces it");
  EXPECT_THROW((void)which_backend({}, options), NoInputError);
  EXPECT_THROW((void)which_backend(one(InputType::ptx, ""), options), InputError);
  options.time = true;
  EXPECT_THROW((void)which_backend(one(InputType::ptx, kPtx), options), UnsupportedOptionError);
  options.max_registers = 0;
  EXPECT_THROW((void)which_backend(one(InputType::ptx, kPtx), options), OptionError);
}

TEST(Options, WrongValuesAreRefusedByName) {
  EXPECT_EQ(refused_option({}), "");
  for (const char* good : {"sm_80", "sm_90a", "sm_100f", "sm_121", "compute_80", "compute_90a"}) {
    EXPECT_EQ(refused_with([&](Options* o) { o->arch = good; }), "") << good;
  }
  for (const char* bad : {"80", "sm_", "sm80", "sm_80 ", "sm_80b", "compute80", "native",
                          "sm_123456", "-g", "compute_"}) {
    EXPECT_EQ(refused_with([&](Options* o) { o->arch = bad; }), "arch") << bad;
  }
  EXPECT_EQ(refused_with([](Options* o) { o->optimization_level = 5; }), "optimization_level");
  EXPECT_EQ(refused_with([](Options* o) { o->optimization_level = -1; }), "optimization_level");
  EXPECT_EQ(refused_with([](Options* o) { o->max_registers = 0; }), "max_registers");
  EXPECT_EQ(refused_with([](Options* o) { o->split_compile = -1; }), "split_compile");
  EXPECT_EQ(refused_with([](Options* o) { o->split_compile_extended = -1; }),
            "split_compile_extended");
  EXPECT_EQ(refused_with([](Options* o) { o->jump_table_density = 102; }), "jump_table_density");
  EXPECT_EQ(refused_with([](Options* o) { o->kernels_used = {"a", ""}; }), "kernels_used");
  EXPECT_EQ(refused_with([](Options* o) { o->variables_used = {""}; }), "variables_used");
  EXPECT_EQ(refused_with([](Options* o) { o->ptxas_options = {std::string("a\0b", 3)}; }),
            "ptxas_options");
  EXPECT_EQ(refused_with([](Options* o) { o->nvvm_options = {""}; }), "nvvm_options");
  EXPECT_EQ(refused_with([](Options* o) { o->ptxas_options = {std::string(32769, 'v')}; }),
            "ptxas_options");
  EXPECT_EQ(refused_with([](Options* o) { o->log_bytes = 1; }), "log_bytes");
  EXPECT_EQ(refused_with([](Options* o) { o->log_bytes = ~std::size_t{0}; }), "log_bytes");
  EXPECT_EQ(refused_with([](Options* o) { o->output = static_cast<Output>(9); }), "output");
  EXPECT_EQ(refused_with([](Options* o) { o->rule = static_cast<Rule>(9); }), "rule");
  EXPECT_EQ(refused_with([](Options* o) { o->backend = static_cast<Backend>(9); }), "backend");
  EXPECT_EQ(refused_with([](Options* o) { o->cache_mode = static_cast<CacheMode>(9); }),
            "cache_mode");
}

TEST(Options, ContradictingOptions) {
  EXPECT_EQ(refused_with([](Options* o) { o->output = Output::ptx; }), "output");
  EXPECT_EQ(refused_with([](Options* o) { o->output = Output::lto_ir; }), "output");
  EXPECT_EQ(refused_with([](Options* o) {
              o->output = Output::ptx;
              o->lto = o->incremental = true;
            }),
            "incremental");
  EXPECT_EQ(refused_with([](Options* o) {
              o->output = Output::ptx;
              o->lto = true;
              o->arch = "compute_80";
            }),
            "");
}

TEST(Options, BothSpellingsOfArch_AreOneArchitecture) {
  EXPECT_EQ(real_arch("compute_90a"), "sm_90a");
  EXPECT_EQ(real_arch("sm_100f"), "sm_100f");
  EXPECT_EQ(real_arch(""), "");
}

// Both are wrong; this machine, which may have no CUDA, may be too: the error names the input.
TEST(Options, InvalidInputsAreReportedFirst) {
  Options options;
  options.lto = true;
  options.backend = Backend::nvjitlink;
  options.max_registers = -1;
  EXPECT_THAT(refused<InputError>(one(InputType::ptx, ""), options), HasSubstr("is empty"));
  EXPECT_THAT(refused<OptionError>(one(InputType::ptx, kPtx), options), HasSubstr("max_registers"));
}

}  // namespace
