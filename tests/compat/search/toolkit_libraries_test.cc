// SPDX-License-Identifier: Apache-2.0
#include "compat/descriptor/toolkit_libraries.h"

#include <gtest/gtest.h>

#include <string>

namespace anycuda {
namespace {

int major_of(const char* soname) {
  const int library = toolkit_library_of(soname);
  return library < 0 ? -1 : toolkit_major_of(library, soname);
}

TEST(ToolkitLibraries, SonameOfOneMajor_TellsIt) {
  EXPECT_EQ(major_of("libcudart.so.11.0"), 11);
  EXPECT_EQ(major_of("libnvrtc.so.12"), 12);
  EXPECT_EQ(major_of("libcufft.so.11"), 12);  // the library's own number
  EXPECT_EQ(major_of("libnvJitLink.so.13"), 13);
}

TEST(ToolkitLibraries, SonameOfSeveralMajors_TellsNone) {
  for (const char* soname : {"libcusparse.so.12", "libcusolver.so.11", "libcurand.so.10"}) {
    EXPECT_EQ(major_of(soname), 0) << soname;
  }
  EXPECT_EQ(major_of("libcudart.so.99"), 0);
}

TEST(ToolkitLibraries, OtherNames_AreNone) {
  for (const char* soname : {"libc.so.6", "libcurses.so.6", "libcuda.so.1", "libcudnn.so.9", "",
                             "lib", "libcudart", "libcudartx.so.12"}) {
    EXPECT_EQ(toolkit_library_of(soname), -1) << soname;
  }
}

TEST(ToolkitLibraries, StubAndLibrary_AreOne) {
  EXPECT_EQ(toolkit_library_of("libnvjitlink_stub.so"), toolkit_library_of("libnvJitLink.so.12"));
  EXPECT_EQ(toolkit_library_of("libcublaslt_stub.so"), toolkit_library_of("libcublasLt.so.13"));
  EXPECT_NE(toolkit_library_of("libcublas_stub.so"), toolkit_library_of("libcublaslt_stub.so"));
}

TEST(ToolkitLibraries, File_HasTheNameInThatCuda) {
  const int fft = toolkit_library_of("libcufft_stub.so");
  EXPECT_EQ(toolkit_file(fft, 13).stem, std::string("cufft"));
  EXPECT_EQ(toolkit_file(fft, 13).number, std::string("12"));
  EXPECT_EQ(toolkit_file(fft, 13).wheel_folder, std::string("nvidia/cufft/lib"));
  EXPECT_EQ(toolkit_file(fft, 99).number, std::string(""));
  EXPECT_EQ(toolkit_file(toolkit_library_of("libnvjitlink_stub.so"), 11).number, std::string(""));
}

}  // namespace
}  // namespace anycuda
