// SPDX-License-Identifier: Apache-2.0

// The records of conda's and dpkg's packages, as texts.
#include <gtest/gtest.h>

#include <string>

#include "compat/metadata/records/conda_record.h"
#include "compat/metadata/records/dpkg_record.h"
#include "compat/metadata/toolkit_packages.h"

namespace anycuda {
namespace {

std::string text(Version version) {
  return version.known() ? std::to_string(version.major) + "." + std::to_string(version.minor) : "";
}

// As conda-forge's of libcublas, shortened.
const std::string kCublas = R"({
  "arch": "x86_64",
  "build": "h9ab20c4_0",
  "constrains": ["libcublas-static >=12.9.1.4"],
  "depends": [
    "__glibc >=2.17,<3.0.a0",
    "cuda-nvrtc",
    "cuda-version >=12.9,<12.10.0a0"
  ],
  "files": [
    "lib/libcublas.so.12",
    "targets\/x86_64-linux/lib/libcublas.so.12.9.1.4"
  ],
  "link": {"source": "/opt/pkgs/libcublas", "type": 1},
  "name": "libcublas",
  "noarch": null,
  "paths_data": {"paths": [{"_path": "lib/libother.so", "path_type": "softlink"}], "paths_version": 1},
  "size": 467000000,
  "version": "12.9.1.4"
})";

std::string with(const std::string& old, const std::string& text) {
  std::string changed = kCublas;
  return changed.replace(changed.find(old), old.size(), text);
}

TEST(CondaRecord, SaysWhatItIsAndHas) {
  const CondaRecord record = read_conda_record(kCublas, "lib/libcublas.so.12");
  EXPECT_TRUE(record.good);
  EXPECT_EQ(record.named.name, "libcublas");
  EXPECT_EQ(record.named.version, "12.9.1.4");
  EXPECT_TRUE(record.lists);
  EXPECT_EQ(record.need, ">=12.9,<12.10.0a0");
  EXPECT_EQ(text(record.cuda), "12.9");
}

TEST(CondaRecord, ListsFilesAndNothingElse) {
  EXPECT_TRUE(read_conda_record(kCublas, "targets/x86_64-linux/lib/libcublas.so.12.9.1.4").lists);
  for (const char* other : {"lib/libcublas.so", "lib/libcublas.so.12.9", "libcublas.so.12",
                            "lib/libother.so", "cuda-nvrtc", ""}) {
    EXPECT_FALSE(read_conda_record(kCublas, other).lists) << other;
  }
}

TEST(CondaRecord, OfWhichSomethingIsNotUnderstoodIsNotGood) {
  for (std::size_t length = 0; length < kCublas.size(); ++length) {
    EXPECT_FALSE(read_conda_record(kCublas.substr(0, length), "x").good) << length;
  }
  for (const std::string& bad :
       {with("\"name\"", "\"nome\""), with("\"version\"", "\"name\""),
        with("\"files\"", "\"depends\""), with("\"depends\"", "\"files\""),
        with("\"libcublas\"", "7"), with("\"libcublas\"", "\"lib\\u0063ublas\""),
        with("\"lib/libcublas.so.12\"", "3"), with("\"12.9.1.4\"", "\"\""), kCublas + kCublas}) {
    EXPECT_FALSE(read_conda_record(bad, "lib/libcublas.so.12").good) << bad;
  }
  EXPECT_FALSE(read_conda_record(R"({"name":"a","version":"1","files":{}})", "x").good);
  EXPECT_TRUE(read_conda_record(R"({"name":"a","version":"1","files":[]})", "x").good);
}

TEST(CondaRecord, IsOfOneReleaseWhereItsDependencyAdmitsOne) {
  const auto release = [](const std::string& specifier) {
    return text(
        read_conda_record(with("cuda-version >=12.9,<12.10.0a0", "cuda-version" + specifier), "x")
            .cuda);
  };
  EXPECT_EQ(release(" >=13.2,<13.3.0a0"), "13.2");
  EXPECT_EQ(release(" >=13.2,<13.3.a0"), "13.2");
  EXPECT_EQ(release(" >=12.4,<12.5"), "12.4");
  EXPECT_EQ(release(" ==12.4.*"), "12.4");
  EXPECT_EQ(release(" >=12.9,<12.10.0a0 h1234_0"), "12.9");
  for (const char* several : {"", " ", " >=12,<13.0a0", " >=12.4", " >=12,<12.10.0a0", " 12.9.*",
                              "s >=12.9,<12.10", " >=12.9|>=13"}) {
    EXPECT_EQ(release(several), "") << several;
  }
  EXPECT_EQ(release(" >=12.9,<12.10" + std::string(100, '0')), "");
}

TEST(CondaRecord, IsNamedAfterItsPackage) {
  const Distribution named = parse_conda_name("cuda-cudart_linux-64-12.9.79-h3f2d84a_0.json");
  EXPECT_EQ(named.name, "cuda-cudart_linux-64");
  EXPECT_EQ(named.version, "12.9.79");
  for (const char* other : {"history", "a.json", "a-1.json", "-1-0.json", "a--0.json", "a-1-.json",
                            "a-1-0.json.c~", ".json", ""}) {
    EXPECT_EQ(parse_conda_name(other).name, "") << other;
  }
}

TEST(DpkgList, HasWholePathsOnly) {
  const char list[] = "/.\n/usr\n/usr/lib/a.so.12.4\n/usr/lib/a.so.12\n/opt/usr/lib/b.so\n";
  EXPECT_TRUE(dpkg_lists(list, "/usr/lib/a.so.12"));
  EXPECT_TRUE(dpkg_lists(list, "/usr/lib/a.so.12.4"));
  EXPECT_TRUE(dpkg_lists("/usr/lib/a", "/usr/lib/a"));
  for (const char* other : {"/usr/lib/a.so", "/usr/lib/b.so", "/lib/a.so.12", "/a.so.12", "/x"}) {
    EXPECT_FALSE(dpkg_lists(list, other)) << other;
  }
  const char sums[] = "0123456789abcdef0123456789abcdef  usr/lib/a.so.12\nx  usr/lib/c\n";
  EXPECT_TRUE(dpkg_lists(sums, "/usr/lib/a.so.12"));
  EXPECT_FALSE(dpkg_lists(sums, "/lib/a.so.12"));
  EXPECT_FALSE(dpkg_lists("", "/usr"));
}

TEST(DpkgList, IsNamedAfterItsPackage) {
  EXPECT_EQ(parse_dpkg_list_name("libcudart12:amd64.list", ".list"), "libcudart12");
  EXPECT_EQ(parse_dpkg_list_name("cuda-cudart-12-9.list", ".list"), "cuda-cudart-12-9");
  EXPECT_EQ(parse_dpkg_list_name("cuda-cudart-12-9.md5sums", ".list"), "");
  EXPECT_EQ(parse_dpkg_list_name("cuda-cudart-12-9", ".md5sums"), "");
}

TEST(DpkgStatus, HasTheVersionOfAnInstalledPackage) {
  const char status[] =
      "Package: libcudart1\nVersion: 1\n\n"
      "Package: libcudart12\nStatus: deinstall ok config-files\nVersion: 11\n\n"
      "Package: libcudart12\nStatus: install ok installed\nArchitecture: amd64\n"
      "Depends: libcudart13\nVersion: 12.4.127~12.4.1-2\nDescription: x\n Package: libcudart14\n\n"
      "Package: libcudart13\nVersion: 13\n";
  EXPECT_EQ(dpkg_version(status, "libcudart12"), "12.4.127~12.4.1-2");
  EXPECT_EQ(dpkg_version(status, "libcudart1"), "1");
  EXPECT_EQ(dpkg_version(status, "libcudart13"), "13");
  for (const char* other : {"libcudart", "libcudart14", "cudart12", "Package"}) {
    EXPECT_EQ(dpkg_version(status, other), "") << other;
  }
  EXPECT_EQ(dpkg_version("Package: a", "a"), "");
  // Fields have any order and any blanks behind the colon (deb-control(5)).
  EXPECT_EQ(dpkg_version("Version:1\nPackage:\ta \nX: y\n\nPackage: b\n", "a"), "1");
  EXPECT_EQ(dpkg_version("Version: 1\nPackage: b\n\nPackage: a\n", "a"), "");
  EXPECT_EQ(dpkg_version("Package: b\nVersion: 2\n\n\nVersion: 1\nPackage: a", "a"), "1");
  EXPECT_EQ(dpkg_version("Version: 1\nX-Package: a\nDescription: x\n Package: a\n", "a"), "");
  EXPECT_EQ(dpkg_version(
                "Package: a\r\nStatus: x not-installed\r\n\r\nPackage: a\r\nVersion: 3\r\n", "a"),
            "3");
  std::string hostile;
  for (int i = 0; i < 1000000; ++i) hostile += "Package: libcudart12\n";
  EXPECT_EQ(dpkg_version(hostile, "libcudart12"), "") << "read once, not a million times";
}

TEST(DpkgRelease, IsInANameOrBehindATilde) {
  EXPECT_EQ(text(release_in_name("cuda-cudart-12-9")), "12.9");
  EXPECT_EQ(text(release_in_name("libcublas-dev-13-0")), "13.0");
  EXPECT_EQ(text(release_in_name("a-12-10")), "12.10");
  for (const char* other : {"", "12-9", "cuda-12", "cuda-cudart-12-", "cuda-cudart-0-9",
                            "libcudart12", "cuda-cudart12-9", "cuda-cudart-123456-9"}) {
    EXPECT_EQ(text(release_in_name(other)), "") << other;
  }
  EXPECT_EQ(text(release_behind_tilde("12.4.127~12.4.1-2")), "12.4");
  EXPECT_EQ(text(release_behind_tilde("11.8.89~11.8.0-5~deb12u1")), "11.8");
  EXPECT_EQ(text(release_behind_tilde("12.4.5.8~12.4.1-2+b1")), "12.4");
  for (const char* other : {"", "12.9.79-1", "10.1.243-3", "535.1~deb12u1", "1~", "1~12-1"}) {
    EXPECT_EQ(text(release_behind_tilde(other)), "") << other;
  }
}

TEST(ToolkitPackages, FitPatterns) {
  EXPECT_TRUE(fits("libcudart#", "libcudart12"));
  EXPECT_TRUE(fits("libcudart#", "libcudart11.0"));
  EXPECT_TRUE(fits("cuda-*-#-#", "cuda-nvrtc-dev-12-9"));
  EXPECT_TRUE(fits("a*", "a"));
  for (const auto& [pattern, name] : {std::pair{"libcudart#", "libcudart"},
                                      {"libcudart#", "libcudart-12"},
                                      {"libcudart#", "libcudart12-dev"},
                                      {"cuda-*-#-#", "cuda-cudart-12"},
                                      {"a", "ab"},
                                      {"ab", "a"},
                                      {"", "a"}}) {
    EXPECT_FALSE(fits(pattern, name)) << pattern << " " << name;
  }
}

TEST(ToolkitPackages, StateTheReleaseIfTheCatalogueHasIt) {
  const auto conda = [](const char* name) { return release_in(Manager::conda, name); };
  const auto dpkg = [](const char* name) { return release_in(Manager::dpkg, name); };
  for (const char* name : {"cuda-cudart", "cuda-cudart_linux-64", "cuda-cudart-dev", "cuda-nvrtc",
                           "libnvjitlink", "cudatoolkit"}) {
    EXPECT_EQ(conda(name), ReleaseIn::version) << name;
  }
  EXPECT_EQ(conda("libcublas"), ReleaseIn::dependency);
  for (const char* name : {"cuda-version", "cuda-python", "cudnn", "numpy", "libcudart12"}) {
    EXPECT_EQ(conda(name), ReleaseIn::nothing) << name;
  }
  for (const char* name : {"cuda-cudart-12-9", "cuda-cudart-dev-12-9", "cuda-nvrtc-13-0",
                           "libcublas-12-9", "libcublas-dev-12-9", "libnvjitlink-12-9"}) {
    EXPECT_EQ(dpkg(name), ReleaseIn::name) << name;
  }
  for (const char* name : {"libcudart12", "libcudart11.0", "libnvrtc12", "libnvrtc-builtins12.4",
                           "libnvjitlink12", "libcublas12", "nvidia-cuda-dev"}) {
    EXPECT_EQ(dpkg(name), ReleaseIn::source_version) << name;
  }
  EXPECT_EQ(dpkg("cuda-compat-12-9"), ReleaseIn::dependency);
  for (const char* name :
       {"libc6", "cuda-toolkit-12-9-config-common", "libgtk-3-0", "cuda-keyring"}) {
    EXPECT_EQ(dpkg(name), ReleaseIn::nothing) << name;
  }
}

}  // namespace
}  // namespace anycuda
