// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file by the conda package that owns it.
#include "package_machine.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kFile[] = "targets/x86_64-linux/lib/libcudart.so.12.9.79";
constexpr char kLink[] = "lib/libcudart.so.12";

class MetadataConda : public MetadataMachine {
 protected:
  // conda-forge's: the files in one package, the links to them in another.
  void put_cudart() {
    machine_.put_file(std::string("conda/") + kFile, "");
    machine_.put_link(std::string("conda/") + kLink, std::string("../") + kFile);
    put_conda(&machine_, {"cuda-cudart_linux-64", "12.9.79", {kFile}});
    put_conda(&machine_, {"cuda-cudart", "12.9.79", {kLink}, {"cuda-cudart_linux-64 12.9.79"}});
  }
  ToolkitAnswer ask_in_conda(const std::string& file) { return ask(root("conda/" + file)); }
};

TEST_F(MetadataConda, OfAPackageWithTheToolkitsVersionIsItsVersion) {
  put_cudart();
  const ToolkitAnswer answer = ask_in_conda(kLink);
  EXPECT_EQ(version_of(answer), "12.9");
  EXPECT_EQ(answer.source, "conda package cuda-cudart 12.9.79");
  EXPECT_EQ(answer.file, root("conda/conda-meta/cuda-cudart-12.9.79-h5888daf_0.json").string());
  EXPECT_EQ(ask_in_conda(kFile).source, "conda package cuda-cudart_linux-64 12.9.79");
}

TEST_F(MetadataConda, OfAPrefixThatIsALinkIsThePackages) {
  put_cudart();
  machine_.put_link("miniforge", root("conda"));
  EXPECT_EQ(version_of(ask(root("miniforge/") / kLink)), "12.9");
  // A link to its file from elsewhere.
  machine_.put_link("opt/lib/libcudart.so.12", root("conda/") / kLink);
  EXPECT_EQ(version_of(ask(root("opt/lib/libcudart.so.12"))), "12.9");
}

TEST_F(MetadataConda, SeparatelyVersionedPackage_HasItsCudaDependencysVersion) {
  machine_.put_file("conda/lib/libcublas.so.12", "").put_file("conda/lib/libcufft.so.11", "");
  put_conda(&machine_, {"cuda-version", "12.9", {}});
  put_conda(&machine_, {"libcublas",
                        "12.8.5.1",
                        {"lib/libcublas.so.12"},
                        {"__glibc >=2.17", "cuda-nvrtc", "cuda-version >=12.8,<12.9.0a0"}});
  const ToolkitAnswer answer = ask_in_conda("lib/libcublas.so.12");
  EXPECT_EQ(version_of(answer), "12.8");
  EXPECT_EQ(answer.source,
            "conda package libcublas 12.8.5.1, pinned by cuda-version >=12.8,<12.9.0a0");
  // The prefix's cuda-version says nothing about a package that works with several.
  put_conda(&machine_,
            {"libcufft", "11.4.1.4", {"lib/libcufft.so.11"}, {"cuda-version >=12,<13.0a0"}});
  EXPECT_THAT(ask_in_conda("lib/libcufft.so.11").problem,
              AllOf(HasSubstr("conda package libcufft 11.4.1.4 owns it"),
                    HasSubstr("version is not a CUDA Toolkit version; the package does not depend "
                              "on a single release of cuda-version"),
                    HasSubstr("no version.json")));
}

TEST_F(MetadataConda, OfAPackageThatDoesNotSayIsTheHeaders) {
  machine_.put_file("conda/lib/libcublas.so.11", "");
  put_header("conda/include/cuda.h", 11080);
  put_conda(&machine_, {"cuda-cudart-dev", "11.8.89", {"include/cuda.h"}});
  put_conda(&machine_, {"libcublas", "11.11.3.6", {"lib/libcublas.so.11"}});
  const ToolkitAnswer answer = ask_in_conda("lib/libcublas.so.11");
  EXPECT_EQ(version_of(answer), "11.8");
  EXPECT_EQ(answer.source, "cuda.h");
}

TEST_F(MetadataConda, HeaderOfAnotherPackage_IsIgnored) {
  put_cudart();
  put_header("conda/targets/x86_64-linux/include/cuda.h", 12080);
  EXPECT_THAT(ask_in_conda(kLink).problem,
              AllOf(HasSubstr("conda package cuda-cudart 12.9.79, which owns it, is of CUDA 12.9"),
                    HasSubstr("cuda.h says CUDA 12.8")));
  put_conda(&machine_,
            {"cuda-cudart-dev_linux-64", "12.8.90", {"targets/x86_64-linux/include/cuda.h"}});
  EXPECT_EQ(version_of(ask_in_conda(kLink)), "12.9");
}

TEST_F(MetadataConda, UnlistedFile_IsReported) {
  put_cudart();
  machine_.put_file("conda/lib/libcudart.so.11.0", "");
  EXPECT_THAT(ask_in_conda("lib/libcudart.so.11.0").problem,
              HasSubstr("no conda package in " + root("conda/conda-meta").string() + " lists it"));
}

TEST_F(MetadataConda, PackageIsNamedAlsoWithoutAToolkitsVersion) {
  machine_.put_file("conda/lib/libcufft.so.11", "");
  put_conda(&machine_, {"libcufft", "11.4.1.4", {"lib/libcufft.so.11"}});
  const ToolkitAnswer answer = ask_in_conda("lib/libcufft.so.11");
  EXPECT_FALSE(answer.version.known());
  EXPECT_EQ(answer.package, "conda package libcufft 11.4.1.4");
}

TEST_F(MetadataConda, OfTwoPackagesThatDisagreeNamesThem) {
  put_cudart();
  put_conda(&machine_, {"cuda-cudart-dev", "12.8.90", {kLink}});
  EXPECT_THAT(ask_in_conda(kLink).problem, AllOf(HasSubstr("2 conda packages own it"),
                                                 HasSubstr("cuda-cudart 12.9.79 (CUDA 12.9)"),
                                                 HasSubstr("cuda-cudart-dev 12.8.90 (CUDA 12.8)")));
  EXPECT_EQ(ask_in_conda(kLink).package, "");
}

TEST_F(MetadataConda, OfAWheelInItsPrefixIsTheWheels) {
  const std::string site = "conda/lib/python3.12/site-packages";
  put_wheel(&machine_, {"nvidia-cuda-runtime-cu12", "12.8.90", {kRuntime}}, site);
  put_cudart();
  put_conda(
      &machine_,
      {"cuda-cudart-dev", "12.9.79", {std::string("lib/python3.12/site-packages/") + kRuntime}});
  EXPECT_EQ(ask(root(site) / kRuntime).source, "wheel nvidia-cuda-runtime-cu12 12.8.90");
}

TEST_F(MetadataConda, ThatContradictThemselvesOrAreBrokenAreNotTrusted) {
  put_cudart();
  const CondaPackage cudart{"cuda-cudart", "12.9.79", {kLink}};
  const auto file = root("conda") / conda_record(cudart);
  const std::string good = R"({"name": "cuda-cudart", "version": "12.8.90", "files": [)" +
                           ("\"" + std::string(kLink)) + "\"]}";
  machine_.put_file(file, good);
  EXPECT_THAT(ask_in_conda(kLink).problem,
              AllOf(HasSubstr("contradict"), HasSubstr("describes cuda-cudart 12.8.90")));
  machine_.put_file(file, good.substr(0, good.size() - 1));
  EXPECT_EQ(version_of(ask_in_conda(kLink)), "12.9")
      << "by the package of the file behind the link";
  machine_.remove(root("conda/") / conda_record({"cuda-cudart_linux-64", "12.9.79", {}}));
  const std::string unknown = "the conda package that owns it is unknown: " + file.string();
  EXPECT_THAT(ask_in_conda(kLink).problem, HasSubstr(unknown + " is not a valid conda record"));
  machine_.remove(file).put_folder(file);
  EXPECT_THAT(ask_in_conda(kLink).problem, HasSubstr(unknown + " is not a regular file"));
  machine_.remove(file).put_file(file, good);
  machine_.truncate(file, std::uintmax_t{1} << 40);
  EXPECT_THAT(ask_in_conda(kLink).problem, HasSubstr(unknown + " is too large"));
}

TEST_F(MetadataConda, InAWorldWritableFolder_IsIgnored) {
  put_cudart();
  machine_.chmod("conda/conda-meta", 0777);
  EXPECT_FALSE(ask_in_conda(kLink).version.known());
}

TEST_F(MetadataConda, OfAnotherNameAreNotOpened) {
  put_cudart();
  put_conda(&machine_, {"impostor", "12.8.90", {kLink}});
  machine_.put_folder("conda/conda-meta/numpy-2.0-0.json");
  EXPECT_EQ(version_of(ask_in_conda(kLink)), "12.9");
}

}  // namespace
}  // namespace anycuda::test
