// SPDX-License-Identifier: Apache-2.0

// What the guard rails write to ANYCUDA_LOG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard_rails_machine.h"
#include "tests/support/unit/environment.h"

namespace anycuda::compat::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Kind kLibrary = Kind::dynamic_library;

class RailsLog : public testing::Test {
 protected:
  RailsLog() {
    machine.driver("12.9", 575).library("nvrtc", "13.5");
    machine.also(kLibrary, "nvrtc", "12.4", "/opt/cuda/lib64/libnvrtc.so.12");
  }
  // What these calls write to stderr.
  std::string written(const char* level, const std::function<void(GuardRailsImpl&)>& calls) {
    const unit::ScopedVariable log("ANYCUDA_LOG", level);
    GuardRailsImpl rails = machine.rails();
    testing::internal::CaptureStderr();
    calls(rails);
    return testing::internal::GetCapturedStderr();
  }
  static void load_nvrtc(GuardRailsImpl& rails) { rails.load("nvrtc"); }

  RailsMachine machine;
};

const std::string kUsing =
    "anycuda: nvrtc (dynamic library): using /opt/cuda/lib64/libnvrtc.so.12 (wheel, CUDA 12.4 by "
    "CUDA_VERSION in /opt/cuda/lib64/libnvrtc.so.12.cuda.h)\n";
const std::string kRefused =
    "anycuda: nvrtc (dynamic library): refused nvrtc (dynamic library) of CUDA 13.5: " +
    RailsMachine::path(kLibrary, "nvrtc", "13.5") + " (CUDA_VERSION in " +
    RailsMachine::path(kLibrary, "nvrtc", "13.5") +
    ".cuda.h): the driver is too old for nvrtc: CUDA 13.5 is of a newer major than the driver's "
    "CUDA 12.9\n";

TEST_F(RailsLog, LevelInfo_HasUsedAndRefusedFiles) {
  EXPECT_EQ(written("info", load_nvrtc), kRefused + kUsing);
}

TEST_F(RailsLog, AtDebugHasEveryStep) {
  const std::string text = written("debug", load_nvrtc);
  const char* const steps[] = {"candidate /home/me/venv/lib/nvrtc-13.5 (wheel, CUDA 13.5 by ",
                               "refused nvrtc (dynamic library) of CUDA 13.5",
                               "candidate /opt/cuda/lib64/libnvrtc.so.12 (wheel, CUDA 12.4 by ",
                               "opening /opt/cuda/lib64/libnvrtc.so.12",
                               "using /opt/cuda/lib64/libnvrtc.so.12"};
  std::size_t at = 0;
  for (const char* step : steps) {
    at = text.find(std::string("anycuda: nvrtc (dynamic library): ") + step, at);
    ASSERT_NE(at, std::string::npos) << step << " in\n" << text;
  }
}

TEST_F(RailsLog, LevelDebug_LoadedLibraryIsNamedAsSuch) {
  machine.loaded("nvrtc", "12.9", "libnvrtc.so.12");
  EXPECT_THAT(written("debug", load_nvrtc),
              HasSubstr("candidate /opt/theirs/libnvrtc.so.12 (loaded already, CUDA 12.9 by "));
}

TEST_F(RailsLog, LevelDebug_FileInACompanionsRootIsNamedAsSuch) {
  machine.install(Kind::program, "nvcc", "12.4").move(Kind::program, "nvcc", "/hpc/bin/nvcc");
  machine.below("/hpc", Kind::headers, "cudart", "12.4", "/hpc/include");
  const std::string text = written("debug", [](GuardRailsImpl& rails) {
    rails.locate(Kind::program, "nvcc");
    rails.locate(Kind::headers, "cudart");
  });
  EXPECT_THAT(text, HasSubstr("cudart (headers): candidate /hpc/include (beside a companion, CUDA "
                              "12.4 by "));
}

TEST_F(RailsLog, DefaultIsEmpty) {
  for (const char* level : {static_cast<const char*>(nullptr), "off", "error", "warn"}) {
    EXPECT_EQ(written(level,
                      [](GuardRailsImpl& rails) {
                        rails.load("nvrtc");
                        EXPECT_EQ(outcome([&] { rails.load("cublas"); }), "NotFoundError");
                      }),
              "");
  }
}

TEST_F(RailsLog, HasARepeatedComponentOnce) {
  EXPECT_EQ(written("info",
                    [this](GuardRailsImpl& rails) {
                      machine.headers("cudart", "12.4");
                      rails.locate(Kind::headers, "cudart");
                      rails.locate(Kind::headers, "cudart");
                    }),
            "anycuda: cudart (headers): using /home/me/venv/include/cudart-12.4 (wheel, CUDA 12.4 "
            "by CUDA_VERSION in /home/me/venv/include/cudart-12.4.cuda.h)\n");
}

TEST_F(RailsLog, HasOtherFailures) {
  machine.unopenable("/opt/cuda/lib64/libnvrtc.so.12");
  EXPECT_THAT(written("info", [](GuardRailsImpl& rails) { outcome([&] { rails.load("nvrtc"); }); }),
              HasSubstr("nvrtc (dynamic library): not opened /opt/cuda/lib64/libnvrtc.so.12: "
                        "/opt/cuda/lib64/libnvrtc.so.12: undefined symbol: missing\n"));
  machine.no_driver();
  EXPECT_THAT(written("info", [](GuardRailsImpl& rails) { outcome([&] { rails.load("nvrtc"); }); }),
              HasSubstr("the driver does not answer: libcuda.so.1: no such file\n"));
  EXPECT_EQ(written("info", [](GuardRailsImpl& rails) { outcome([&] { rails.load("cufft"); }); }),
            "anycuda: cufft (dynamic library): nowhere\n");
}

TEST_F(RailsLog, HasAFileOfAnUnknownToolkit) {
  machine.library("cufft", "");
  const unit::ScopedVariable log("ANYCUDA_LOG", "info");
  GuardRailsImpl rails = machine.rails(with_mode(Mode::best_effort));
  testing::internal::CaptureStderr();
  rails.load("cufft");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "anycuda: cufft (dynamic library): using /home/me/venv/lib/cufft (wheel, of an unknown "
            "CUDA Toolkit)\n");
}

TEST_F(RailsLog, HasPipelines) {
  machine.library("nvJitLink", "12.4").library("nvrtc", "12.9");
  EXPECT_THAT(written("debug",
                      [](GuardRailsImpl& rails) {
                        rails.declare({"nvrtc", "nvJitLink", {Format::ptx, Format::cubin}});
                        rails.load("nvrtc");
                        rails.load("nvJitLink");
                        outcome([&] { rails.declare({"nvrtc", "nvJitLink", {Format::ltoir}}); });
                      }),
              AllOf(HasSubstr("anycuda: pipeline nvrtc -> nvJitLink: PTX CUBIN declared\n"),
                    HasSubstr("anycuda: pipeline nvrtc -> nvJitLink: LTO-IR refused\n")));
}

TEST_F(RailsLog, HasOneLineForAPathWithANewline) {
  machine.headers("cudart", "12.4").move(Kind::headers, "cudart", "/tmp/a\nanycuda: b\x7f/include");
  const std::string text =
      written("info", [](GuardRailsImpl& rails) { rails.locate(Kind::headers, "cudart"); });
  EXPECT_THAT(text, HasSubstr("using /tmp/a\\x0aanycuda: b\\x7f/include (wheel"));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

}  // namespace
}  // namespace anycuda::compat::test
