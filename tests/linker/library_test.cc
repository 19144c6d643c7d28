// SPDX-License-Identifier: Apache-2.0

// Library and Kernel with a fake driver, with real ones that have no GPU, and with none; and the
// names in code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anycuda/linker/code.h"
#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using anycuda::linker::Code;
using anycuda::linker::InputType;
using anycuda::linker::SymbolKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

namespace {

std::string run(const char* job, const std::string& fault = "", const std::string& version = "") {
  Computer computer;
  computer.with_fake_driver(fault, version);
  return computer.child({"library", job});
}

TEST(Library, IsLoadedOnceForEveryContext) {
  const std::string out = run("steps");
  EXPECT_THAT(out, HasSubstr("fake: load .version 7.0\nloaded 'code.ptx'\n"
                             "named _Z5scaleIfEvPT_, run\n"
                             "the same 1, another 1\n"
                             "one function for each context: 1\n"
                             "the same again: 1\n"
                             "has _Z5scaleIfEvPT_\nhas run\n"))
      << out;
}

TEST(Library, TheLastHolderUnloadsIt) {
  EXPECT_THAT(run("steps"), HasSubstr("\nthe owner holds it\n"
                                      "fake: unload, none is left\nnothing holds it\n"));
}

TEST(Library, LoadsFiles) {
  const std::string out = run("files");
  EXPECT_THAT(out, HasSubstr("fake: load the file k.ptx\n"));
  EXPECT_EQ(after(out, "loaded '"), "1'") << out;
}

TEST(Library, HasVariables) {
  const std::string out = run("steps");
  EXPECT_EQ(after(out, "variable "), "4096 16") << out;
  EXPECT_EQ(after(out, "managed "), "8192 4") << out;
  EXPECT_THAT(after(out, "no variable: "),
              HasSubstr("cuLibraryGetGlobal for 'nothing' of 'code.ptx' failed: "));
  EXPECT_THAT(after(out, "no managed variable: "), HasSubstr("cuLibraryGetManaged for 'table'"));
}

TEST(Library, MissingKernel_ErrorNamesTheOthers) {
  EXPECT_EQ(after(run("steps"), "no kernel: "),
            "DriverError: the library 'code.ptx' has no kernel 'nothing'; its kernels are: "
            "_Z5scaleIfEvPT_, run");
}

TEST(Library, FailedLoad_ErrorHasTheDriversLog) {
  EXPECT_THAT(run("refusals", "load"),
              HasSubstr("PTX: DriverError: cuLibraryLoadData of 'code.ptx' failed: "
                        "CUDA_ERROR_INVALID_PTX (218)\n  log: ptxas does not like it\n"));
}

// With lazy loading the driver compiles later.
TEST(Library, FailureAtFirstUse_ErrorHasTheDriversLog) {
  const std::string out = run("refusals", "jit");
  EXPECT_THAT(out, HasSubstr("PTX: DriverError: cuLibraryGetKernel for 'run' of 'code.ptx' failed: "
                             "CUDA_ERROR_INVALID_PTX (218)\n  log: ptxas does not like it now\n"));
  EXPECT_THAT(out, HasSubstr("unload, none is left"));
}

TEST(Library, PartialCubin_ErrorSaysWhatToDo) {
  EXPECT_THAT(run("refusals", "partial"),
              HasSubstr("PTX: DriverError: cuKernelGetFunction of the kernel 'run' failed: "
                        "CUDA_ERROR_NOT_FOUND (500)\n  what to do: link the code with the modules "
                        "that define what it uses (a partial CUBIN lacks them)\n"));
}

TEST(Library, OtherCodeIsRefused) {
  const std::string out = run("refusals");
  const std::string how = "a library is PTX, a CUBIN or a fatbin; make a CUBIN of it with a Linker";
  EXPECT_THAT(after(out, "LTO-IR: "), HasSubstr("InputError: the input 'ir' (LTO-IR) cannot be"));
  EXPECT_EQ(after(out, "archive: "),
            "InputError: the input 'lib.a' (library) cannot be loaded: " + how);
  EXPECT_THAT(after(out, "empty: "), HasSubstr("InputError: "));
  EXPECT_THAT(after(out, "text: "), HasSubstr("InputError: "));
  EXPECT_THAT(after(out, "no file: "), HasSubstr("InputError: "));
  EXPECT_EQ(after(out, "empty library: "),
            "DriverError: the Library is empty: call Library::load first");
  EXPECT_EQ(after(out, "empty kernel: "),
            "DriverError: the Kernel is empty: call Library::kernel first");
  EXPECT_EQ(after(out, "empty: 0"), " 0 1") << out;
}

TEST(Library, OlderDriver_ErrorNamesBothVersions) {
  const std::string out = run("refusals", "", "11080");
  EXPECT_EQ(after(out, "PTX: "),
            "BackendError: cuLibraryLoadData needs a driver of CUDA 12.0 or later; this one is of "
            "CUDA 11.8: update the driver, or load the code with cuModuleLoadData");
  EXPECT_THAT(out, Not(HasSubstr("fake: load")));
  EXPECT_EQ(after(run("refusals", "", "12030"), "foreign kernel: "),
            "BackendError: cuKernelGetParamInfo needs a driver of CUDA 12.4 or later; this one is "
            "of CUDA 12.3: update the driver");
}

// cuLibraryEnumerateKernels came with CUDA 12.4.
TEST(Library, OlderDriver_MissingKernelIsStillNamed) {
  Computer computer;
  computer.with_fake_driver("", "12030");
  const std::string out = computer.run({LINKER_CHILD, "library", "names"}).out;
  EXPECT_EQ(after(out, "no kernel: "),
            "DriverError: the library 'code.ptx' has no kernel 'nothing'")
      << out;
}

TEST(Library, NoDriver_ErrorSaysSo) {
  const Computer computer;  // child() expects nothing on stderr
  EXPECT_THAT(after(computer.child({"library", "refusals"}), "PTX: "),
              HasSubstr("BackendError: cuLibraryLoadData needs a driver: no libcuda.so.1"));
}

TEST(Library, OutOfMemoryAnywhereLosesNothing) {
  Computer computer;
  computer.with_fake_driver();
  const std::string out = computer.child({"library", "no_memory"});
  EXPECT_THAT(out, Not(HasSubstr("LEFT")));
  EXPECT_GT(std::atoi(after(out, "allocations that failed: ").c_str()), 5) << out;
}

// Drivers of CUDA 12.2 and 12.4, on a machine without a GPU.
class RealDriver : public testing::TestWithParam<int> {};
TEST_P(RealDriver, WithoutCuInit_ErrorSaysWhatToDo) {
  NEEDS_ARTIFACTS("driver-" + std::to_string(GetParam()));
  Computer computer;
  computer.with_driver(GetParam());
  EXPECT_THAT(computer.child({"library", "refusals"}),
              HasSubstr("PTX: DriverError: cuLibraryLoadData of 'code.ptx' failed: "
                        "CUDA_ERROR_NOT_INITIALIZED (3)\n  what to do: call cuInit first\n"));
}
INSTANTIATE_TEST_SUITE_P(Branch, RealDriver, testing::Values(535, 550), kPrintedName);

TEST(Kernel, HasAttributes) {
  const std::string out = run("steps");
  // The fake driver's value is ten times the attribute's number, and the device.
  EXPECT_EQ(after(out, "attributes of device 1: "),
            "1 11 21 31 41 51 61 1 81 91 1 111 121 131 1 151")
      << out;
  EXPECT_EQ(after(out, "registers here: "), "40");
  EXPECT_THAT(out, HasSubstr("parameter: 0 8\nparameter: 8 4\n"));
  EXPECT_THAT(out, HasSubstr("fake: set 8 to 65536 on device 0\nfake: set 9 to 50 on device 1\n"
                             "fake: set 14 to 1 on device 0\n"));
}

TEST(Kernel, HasOccupancy) {
  const std::string out = run("steps");
  EXPECT_EQ(after(out, "blocks: "), "69") << out;
  EXPECT_EQ(after(out, "block size: "), "7 128");
  EXPECT_EQ(after(out, "block size by a function: "), "96 256");
  EXPECT_EQ(after(out, "without a limit: "), "0");
  EXPECT_EQ(after(out, "thrown on: "), "another exception: mine");
  EXPECT_EQ(after(out, "shared bytes: "), "2096");
  EXPECT_EQ(after(out, "cluster: "), "1107") << "without the cluster's size";
  EXPECT_EQ(after(out, "clusters: "), "211");
  EXPECT_EQ(after(out, "clusters without a size: "), "0");
  EXPECT_THAT(after(out, "no block: "),
              HasSubstr("cuOccupancyMaxActiveBlocksPerMultiprocessor of the kernel "
                        "'_Z5scaleIfEvPT_' failed: CUDA_ERROR_INVALID_VALUE (1)"));
}

TEST(Symbols, OfPtx) {
  const Code code(
      ".version 8.0\n.target sm_80\n.weak .entry scale() { ret; }\n.extern .func other();\n"
      ".visible .func early();\n"
      ".visible .entry run() { ret; }\n.entry own() { ret; }\n"
      ".visible .func (.param .b32 r) twice(.param .b32 p) { ret; }\n.weak .global .u32 number;\n"
      ".visible .const .align 4 .b8 table[16];\n.global .u32 hidden;\n",
      InputType::ptx);
  EXPECT_THAT(code.symbols(),
              ElementsAre(Pair("number", SymbolKind::variable), Pair("run", SymbolKind::kernel),
                          Pair("scale", SymbolKind::kernel), Pair("table", SymbolKind::variable),
                          Pair("twice", SymbolKind::function)));
}

TEST(Symbols, OfOtherCodeAreNone) {
  EXPECT_THAT(Code().symbols(), IsEmpty());
  EXPECT_THAT(Code("\177ELF", InputType::cubin).symbols(), IsEmpty());
  EXPECT_THAT(Code("hello", InputType::any).symbols(), IsEmpty());
}

class SymbolsOf : public testing::TestWithParam<const char*> {};
TEST_P(SymbolsOf, ResultsOfNvrtc) {
  NEEDS_ARTIFACTS(std::string("nvrtc-") + GetParam());
  Computer computer;
  computer.with_nvrtc(GetParam());
  const std::string out = computer.child({"library", "symbols"});
  const std::string kernels = " _Z5scaleIfEvPT_=kernel";
  const std::string all =
      kernels + " _Z5twicei=function counter=variable run=kernel table=variable";
  EXPECT_EQ(after(out, "PTX, 1:"), all) << out;
  EXPECT_EQ(after(out, "CUBIN, 1:"), all) << out;
  EXPECT_EQ(after(out, "PTX, 0:"), kernels + " run=kernel") << out;
  EXPECT_EQ(after(out, "CUBIN, 0:"), kernels + " run=kernel") << out;
  EXPECT_EQ(after(out, "LTO-IR, 1:"), "");
  EXPECT_THAT(out, Not(HasSubstr("without a type: 0")));
}
INSTANTIATE_TEST_SUITE_P(Nvrtc, SymbolsOf, testing::Values("12.3", "12.9", "13.5"), kPrintedName);

}  // namespace
