// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file by the cuda.h of its root.
#include <sys/stat.h>

#include <set>

#include "anycuda/compat/catalogue.h"
#include "metadata_machine.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class MetadataHeader : public MetadataMachine {};

TEST_F(MetadataHeader, IsTheHeadersInEveryFolderOfAToolkit) {
  put_header("opt/cuda/include/cuda.h", 12040);
  for (const char* file :
       {"lib/a", "lib64/a", "lib64/stubs/a", "lib/stubs/a", "bin/a", "nvvm/bin/a", "nvvm/lib64/a",
        "nvvm/libdevice/a", "nvvm/include/a", "targets/x86_64-linux/lib/a", "include/a",
        "targets/x86_64-linux/lib/stubs/a", "include/crt/a", "include/cccl/cuda/std/a",
        "extras/CUPTI/lib64/a", "extras/CUPTI/include/a", "compute-sanitizer/a"}) {
    machine_.put_file(fs::path("opt/cuda") / file, "");
    EXPECT_EQ(version_of(ask(root("opt/cuda") / file)), "12.4") << file;
  }
  EXPECT_EQ(version_of(ask(root("opt/cuda/include"))), "12.4");
}

TEST_F(MetadataHeader, IsTheHeadersInEveryFolderOfTheCatalogue) {
  std::set<std::string> folders;
  for (const compat::Component& component : compat::all_components()) {
    if (component.packaging != compat::Packaging::toolkit) continue;
    for (const std::string_view folder : component.root_folders) {
      folders.insert("opt/cuda/" + std::string(folder));
    }
    folders.insert(component.system_folders.begin(), component.system_folders.end());
  }
  EXPECT_GT(folders.size(), 10u);
  put_header("opt/cuda/include/cuda.h", 12090);
  put_header("usr/include/cuda.h", 12090);
  for (const std::string& folder : folders) {
    machine_.put_file(folder + "/a", "");
    EXPECT_EQ(version_of(ask(root(folder + "/a"))), "12.9") << folder;
  }
}

TEST_F(MetadataHeader, IsNotAHeadersFurtherUp) {
  put_header("usr/include/cuda.h", 11080);
  for (const char* file : {"usr/local/cuda-12.4/lib64/a", "usr/share/a", "usr/local/lib/a",
                           "usr/lib/mine/x86_64-linux-gnu/a",
                           "usr/lib/python3/dist-packages/nvidia/cuda_runtime/lib/a"}) {
    machine_.put_file(file, "");
    const ToolkitAnswer answer = ask(root(file));
    EXPECT_FALSE(answer.version.known()) << file;
    EXPECT_THAT(answer.problem, HasSubstr("cuda.h")) << file;
  }
  machine_.put_file("usr/lib/x86_64-linux-gnu/a", "");
  EXPECT_EQ(version_of(ask(root("usr/lib/x86_64-linux-gnu/a"))), "11.8");
}

TEST_F(MetadataHeader, OfCondaIsTheTargetsHeaders) {
  put_header("conda/targets/x86_64-linux/include/cuda.h", 12090);
  machine_.put_file("conda/targets/x86_64-linux/lib/libcudart.so.12.9.79", "");
  machine_.put_link("conda/lib/libcudart.so.12",
                    "../targets/x86_64-linux/lib/libcudart.so.12.9.79");
  machine_.put_file("conda/lib/libcublas.so.12", "").put_file("conda/nvvm/bin/cicc", "");
  for (const char* file : {"lib/libcudart.so.12", "lib/libcublas.so.12", "nvvm/bin/cicc",
                           "targets/x86_64-linux/lib/libcudart.so.12.9.79"}) {
    const ToolkitAnswer answer = ask(root("conda") / file);
    EXPECT_EQ(version_of(answer), "12.9") << file;
    EXPECT_EQ(answer.source, "cuda.h");
  }
}

TEST_F(MetadataHeader, TwoDifferentHeadersInOneRoot_IsUnknown) {
  put_header("conda/include/cuda.h", 11080);
  put_header("conda/targets/x86_64-linux/include/cuda.h", 12090);
  machine_.put_file("conda/lib/a", "").put_file("conda/targets/x86_64-linux/lib/a", "");
  EXPECT_THAT(ask(root("conda/lib/a")).problem,
              AllOf(HasSubstr("conda/include/cuda.h says CUDA 11.8"),
                    HasSubstr("conda/targets/x86_64-linux/include/cuda.h says CUDA 12.9")));
  // The target's own is nearer.
  EXPECT_EQ(version_of(ask(root("conda/targets/x86_64-linux/lib/a"))), "12.9");
}

TEST_F(MetadataHeader, IsOfTheFolderWhereAFileReallyIs) {
  put_header("usr/include/cuda.h", 11080);
  put_header("opt/cuda/include/cuda.h", 12090);
  machine_.put_file("opt/cuda/lib64/libcudart.so.12", "");
  machine_.put_link("usr/lib64/libcudart.so.12", root("opt/cuda/lib64/libcudart.so.12"));
  EXPECT_EQ(version_of(ask(root("usr/lib64/libcudart.so.12"))), "12.9");
  // A folder made of links: the header is where the file seems to be.
  machine_.put_file("store/1/lib/libcudart.so.11.0", "");
  machine_.put_link("usr/lib64/libcudart.so.11.0", root("store/1/lib/libcudart.so.11.0"));
  EXPECT_EQ(version_of(ask(root("usr/lib64/libcudart.so.11.0"))), "11.8");
}

TEST_F(MetadataHeader, AmbiguousHeader_ProblemIsNamed) {
  machine_.put_file("cuda/lib64/a", "");
  const auto problem_with = [&](const std::string& header) {
    machine_.put_file("cuda/include/cuda.h", header);
    return ask(root("cuda/lib64/a")).problem;
  };
  EXPECT_THAT(problem_with("// nothing"), HasSubstr("cuda.h has no #define CUDA_VERSION"));
  EXPECT_THAT(problem_with("#define CUDA_VERSION 7"), HasSubstr("has CUDA_VERSION 7, which"));
  EXPECT_THAT(problem_with("#define CUDA_VERSION x"), HasSubstr("something other than a number"));
  EXPECT_THAT(problem_with(header_text(12090) + header_text(12080)),
              HasSubstr("more than once, as 12090 and as 12080"));
}

TEST_F(MetadataHeader, HeaderThatIsNotAFile_IsReported) {
  machine_.put_file("cuda/lib64/a", "");
  machine_.put_folder("cuda/include/cuda.h");
  EXPECT_THAT(ask(root("cuda/lib64/a")).problem, HasSubstr("cuda.h is not a regular file"));
  machine_.remove("cuda/include/cuda.h");
  ASSERT_EQ(mkfifo(root("cuda/include/cuda.h").c_str(), 0600), 0);
  EXPECT_THAT(ask(root("cuda/lib64/a")).problem, HasSubstr("cuda.h is not a regular file"));
  machine_.remove("cuda/include/cuda.h").put_link("cuda/include/cuda.h", "cuda.h");
  EXPECT_THAT(ask(root("cuda/lib64/a")).problem, HasSubstr("cuda.h cannot be read"));
  machine_.put_file("cuda/include/cuda.h", header_text(12090));
  machine_.truncate("cuda/include/cuda.h", std::uintmax_t{1} << 40);
  EXPECT_THAT(ask(root("cuda/lib64/a")).problem, HasSubstr("is too large and was not read"));
}

}  // namespace
}  // namespace anycuda::test
