// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file by the dpkg package that owns it, and by version.json.
#include "package_machine.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using ::testing::HasSubstr;

constexpr char kToolkit[] = "/usr/local/cuda-12.9/targets/x86_64-linux";
constexpr char kDebian[] = "/usr/lib/x86_64-linux-gnu/libcudart.so.12";

class MetadataDpkg : public MetadataMachine {
 protected:
  std::string in_toolkit(const std::string& file) { return kToolkit + ("/" + file); }
  // NVIDIA's runtime container, as far as cudart goes.
  void put_container() {
    machine_.put_file(below(in_toolkit("lib/libcudart.so.12.9.79")), "");
    machine_.put_link(below(in_toolkit("lib/libcudart.so.12")), "libcudart.so.12.9.79");
    machine_.put_link("usr/local/cuda-12.9/lib64", "targets/x86_64-linux/lib");
    machine_.put_link("usr/local/cuda", "cuda-12.9");
    put_dpkg(&machine_, "cuda-cudart-12-9", "12.9.79-1",
             {in_toolkit("lib/libcudart.so.12"), in_toolkit("lib/libcudart.so.12.9.79")});
  }
  void put_debian(const std::string& listed = kDebian) {
    machine_.put_file(below(kDebian + std::string(".4.127")), "");
    machine_.put_link(below(kDebian), "libcudart.so.12.4.127");
    put_dpkg(&machine_, "libcudart12:amd64", "12.4.127~12.4.1-2",
             {listed, listed + ".4.127", "/usr/share/doc/libcudart12"});
  }
  static std::string below(const std::string& path) { return path.substr(1); }
  ToolkitAnswer ask_system(const std::string& file) {
    const OnSystem system(machine_);
    return ask(root(file));
  }
};

TEST_F(MetadataDpkg, OfNvidiasPackageIsItsNames) {
  put_container();
  for (const char* file :
       {"usr/local/cuda/lib64/libcudart.so.12", "usr/local/cuda-12.9/lib64/libcudart.so.12.9.79",
        "usr/local/cuda-12.9/targets/x86_64-linux/lib/libcudart.so.12"}) {
    const ToolkitAnswer answer = ask_system(file);
    EXPECT_EQ(version_of(answer), "12.9") << file;
    EXPECT_EQ(answer.source, "dpkg package cuda-cudart-12-9");
    EXPECT_EQ(answer.package, answer.source);
    EXPECT_EQ(answer.file, root("var/lib/dpkg/info/cuda-cudart-12-9.list").string());
  }
}

TEST_F(MetadataDpkg, MorePackagesThanAreRead_IsTheProblem) {
  machine_.put_file(below(kDebian), "");
  for (int i = 0; i <= 16384; ++i) {
    machine_.put_file("var/lib/dpkg/info/cuda-cublas-12-" + std::to_string(i) + ".list", "/.\n");
  }
  EXPECT_THAT(ask_system(below(kDebian)).problem, HasSubstr("too many packages to read"));
}

TEST_F(MetadataDpkg, OfDebiansPackageIsItsSources) {
  put_debian();
  const ToolkitAnswer answer = ask_system(below(kDebian));
  EXPECT_EQ(version_of(answer), "12.4");
  EXPECT_EQ(answer.source, "dpkg package libcudart12 12.4.127~12.4.1-2");
  EXPECT_EQ(answer.file, root("var/lib/dpkg/status").string());
  machine_.put_file("usr/lib/x86_64-linux-gnu/libcublas.so.11", "");
  put_dpkg(&machine_, "libcublas11", "11.11.3.6~11.8.0-5~deb12u1",
           {"/usr/lib/x86_64-linux-gnu/libcublas.so.11"});
  EXPECT_EQ(version_of(ask_system("usr/lib/x86_64-linux-gnu/libcublas.so.11")), "11.8");
}

TEST_F(MetadataDpkg, MergedUsr_ShortPathFindsThePackage) {
  const std::string listed = std::string(kDebian).substr(4);  // "/lib/..."
  put_debian(listed);
  EXPECT_FALSE(ask_system(below(kDebian)).version.known()) << "/lib does not exist";
  machine_.put_link("lib", "usr/lib");
  EXPECT_EQ(version_of(ask_system(below(kDebian))), "12.4");
  EXPECT_EQ(version_of(ask_system(below(listed))), "12.4");
  machine_.remove("lib");
  machine_.put_file(below(listed), "").put_file(below(listed) + ".4.127", "");
  EXPECT_FALSE(ask_system(below(kDebian)).version.known()) << "another file has that path";
}

TEST_F(MetadataDpkg, ImageWithoutDpkg_SumsFilesFindThePackage) {
  machine_.put_file(below(kDebian), "");
  machine_.put_file("var/lib/dpkg/status.d/libcudart12",
                    "Package: libcudart12\nVersion: 12.4.127~12.4.1-2\n");
  machine_.put_file("var/lib/dpkg/status.d/libcudart12.md5sums",
                    "d41d8cd98f00b204e9800998ecf8427e  " + below(kDebian) + "\n");
  const ToolkitAnswer answer = ask_system(below(kDebian));
  EXPECT_EQ(version_of(answer), "12.4");
  EXPECT_EQ(answer.file, root("var/lib/dpkg/status.d/libcudart12").string());
}

TEST_F(MetadataDpkg, OfALinkIsThatOfTheFileBehindIt) {
  put_debian();
  put_container();
  machine_.remove(below(kDebian));
  machine_.put_link(below(kDebian), root("usr/local/cuda/lib64/libcudart.so.12"));
  EXPECT_EQ(version_of(ask_system(below(kDebian))), "12.9") << "the link has changed";
  machine_.put_file("opt/mine/libcudart.so.12", "");
  machine_.remove(below(kDebian)).put_link(below(kDebian), root("opt/mine/libcudart.so.12"));
  EXPECT_THAT(ask_system(below(kDebian)).problem,
              HasSubstr("no dpkg package in " + root("var/lib/dpkg/").string()));
}

TEST_F(MetadataDpkg, FileOutsideTheSystem_IsNotQueried) {
  put_container();
  ASSERT_EQ(version_of(ask_system("usr/local/cuda/lib64/libcudart.so.12")), "12.9");
  Machine other;
  const OnSystem system(other);
  EXPECT_FALSE(ask(root("usr/local/cuda/lib64/libcudart.so.12")).version.known());
}

TEST_F(MetadataDpkg, FileInAHome_IsNotQueried) {
  machine_.put_file("home/me/lib/libcudart.so.12", "");
  put_dpkg(&machine_, "cuda-cudart-12-9", "12.9.79-1", {"/home/me/lib/libcudart.so.12"});
  EXPECT_FALSE(ask_system("home/me/lib/libcudart.so.12").version.known());
  machine_.put_file("opt/lib/libcudart.so.12", "");
  put_dpkg(&machine_, "cuda-cudart-12-9", "12.9.79-1", {"/opt/lib/libcudart.so.12"});
  EXPECT_EQ(version_of(ask_system("opt/lib/libcudart.so.12")), "12.9");
}

TEST_F(MetadataDpkg, BesideAHeader_IsNotQueried) {
  put_container();
  put_header(below(in_toolkit("include/cuda.h")), 12080);
  EXPECT_EQ(ask_system("usr/local/cuda/lib64/libcudart.so.12").source, "cuda.h");
  machine_.remove(below(in_toolkit("include/cuda.h")));
  EXPECT_EQ(ask_system("usr/local/cuda/lib64/libcudart.so.12").source,
            "dpkg package cuda-cudart-12-9");
}

TEST_F(MetadataDpkg, WithoutAVersion_IsTheHeadersOrHasTheReason) {
  machine_.put_file(below(kDebian), "");
  put_dpkg(&machine_, "libcudart12", "12.0.146", {kDebian});
  EXPECT_THAT(ask_system(below(kDebian)).problem,
              HasSubstr("dpkg package libcudart12 12.0.146 owns it, but its version is not a "));
  machine_.put_file("var/lib/dpkg/status", "Package: libcudart12\n");
  EXPECT_THAT(ask_system(below(kDebian)).problem,
              HasSubstr("owns it, and " + root("var/lib/dpkg/status").string() +
                        " has no version of this package"));
  machine_.remove("var/lib/dpkg/status");
  EXPECT_THAT(ask_system(below(kDebian)).problem, HasSubstr("status is not there"));
  put_header("usr/include/cuda.h", 12000);
  EXPECT_EQ(ask_system(below(kDebian)).source, "cuda.h");
}

TEST_F(MetadataDpkg, Unreadable_IsReported) {
  put_container();
  const auto list = root("var/lib/dpkg/info/cuda-cudart-12-9.list");
  machine_.truncate(list, std::uintmax_t{1} << 40);
  EXPECT_THAT(ask_system("usr/local/cuda/lib64/libcudart.so.12").problem,
              HasSubstr("the dpkg package that owns it is unknown: " + list.string()));
  machine_.put_file(list, std::string(100000, '/') + "\n" + in_toolkit("lib/libcudart.so.12.9.79"));
  EXPECT_EQ(version_of(ask_system("usr/local/cuda/lib64/libcudart.so.12")), "12.9");
  machine_.chmod("var/lib/dpkg/info", 0777);
  EXPECT_FALSE(ask_system("usr/local/cuda/lib64/libcudart.so.12").version.known());
}

class MetadataVersionFile : public MetadataMachine {
 protected:
  void put_version_file(const std::string& version) {
    machine_.put_file("opt/cuda/version.json", R"({"cuda": {"name": "CUDA SDK", "version": ")" +
                                                   version + R"("}, "cuda_cudart": {}})");
  }
};

TEST_F(MetadataVersionFile, IsTheToolkitsWhereItHasNoHeader) {
  put_version_file("12.9.1");
  machine_.put_file("opt/cuda/targets/x86_64-linux/lib/libcudart.so.12", "");
  machine_.put_link("opt/cuda/lib64", "targets/x86_64-linux/lib");
  machine_.put_link("usr/local/cuda", root("opt/cuda"));
  for (const char* file :
       {"opt/cuda/lib64/libcudart.so.12", "usr/local/cuda/lib64/libcudart.so.12"}) {
    const ToolkitAnswer answer = ask(root(file));
    EXPECT_EQ(version_of(answer), "12.9") << file;
    EXPECT_EQ(answer.source, "version.json");
    EXPECT_EQ(answer.file, root("opt/cuda/version.json").string());
  }
  put_header("opt/cuda/include/cuda.h", 12080);
  EXPECT_EQ(ask(root("opt/cuda/lib64/libcudart.so.12")).source, "cuda.h");
}

TEST_F(MetadataVersionFile, FileElsewhereOrOfAWheel_IsIgnored) {
  put_version_file("12.9.1");
  machine_.put_file("opt/cuda/share/libcudart.so.12", "");
  EXPECT_FALSE(ask(root("opt/cuda/share/libcudart.so.12")).version.known());
  put_wheel(&machine_, {"nvidia-cublas-cu12", "12.9.1.4", {kCublas}});
  machine_.put_file(site("nvidia/cublas/version.json"), R"({"cuda": {"version": "12.9.1"}})");
  EXPECT_FALSE(ask(site(kCublas)).version.known());
}

TEST_F(MetadataVersionFile, Broken_IsReported) {
  machine_.put_file("opt/cuda/lib64/a", "");
  put_version_file("twelve");
  EXPECT_THAT(ask(root("opt/cuda/lib64/a")).problem,
              HasSubstr(root("opt/cuda/version.json").string() + " has no version of CUDA"));
  machine_.truncate("opt/cuda/version.json", std::uintmax_t{1} << 40);
  EXPECT_THAT(ask(root("opt/cuda/lib64/a")).problem, HasSubstr("version.json is too large"));
  machine_.remove("opt/cuda/version.json");
  EXPECT_THAT(ask(root("opt/cuda/lib64/a")).problem,
              HasSubstr("targets/*/include/cuda.h, and no version.json, in"));
}

}  // namespace
}  // namespace anycuda::test
