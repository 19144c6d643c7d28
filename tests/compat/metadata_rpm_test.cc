// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file by the RPM package that owns it.
#include <sys/stat.h>

#include <fstream>

#include "package_machine.h"
#include "tests/support/unit/environment.h"

namespace anycuda::test {
namespace {

using compat::ToolkitAnswer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLib[] = "usr/local/cuda-12.9/targets/x86_64-linux/lib/";
constexpr char kSqlite[] = "var/lib/rpm/rpmdb.sqlite";
constexpr char kBerkeley[] = "var/lib/rpm/Packages";

class MetadataRpm : public MetadataMachine {
 protected:
  // A runtime container of UBI 9, as far as cudart goes.
  void put_container() {
    put_toolkit();
    put_sqlite();
  }
  void put_toolkit() {
    machine_.put_file(kRuntimeFile, "");
    machine_.put_link(kLib + std::string("libcudart.so.12"), "libcudart.so.12.9.79");
    machine_.put_link("usr/local/cuda-12.9/lib64", "targets/x86_64-linux/lib");
    machine_.put_link("usr/local/cuda", "cuda-12.9");
  }
  void put_sqlite(const std::string& path = kSqlite) {
    machine_.put_copy(path, ANYCUDA_TEST_RPM "/el9/rpmdb.sqlite");
  }
  void put_berkeley(const std::string& path = kBerkeley) {
    machine_.put_copy(path, ANYCUDA_TEST_RPM "/el8/Packages");
  }
  ToolkitAnswer ask_system(const std::string& file) {
    const OnSystem system(machine_);
    return ask(root(file));
  }
  std::string problem() { return ask_system(kRuntimeFile).problem; }
  void overwrite(const std::string& file, std::streamoff at, const std::string& bytes) {
    std::fstream stream(root(file), std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(at) << bytes;
  }

  const std::string kRuntimeFile = kLib + std::string("libcudart.so.12.9.79");
};

TEST_F(MetadataRpm, OfNvidiasPackageIsItsNames) {
  put_container();
  for (const char* file :
       {"usr/local/cuda/lib64/libcudart.so.12", "usr/local/cuda-12.9/lib64/libcudart.so.12.9.79"}) {
    const ToolkitAnswer answer = ask_system(file);
    EXPECT_EQ(version_of(answer), "12.9") << file;
    EXPECT_EQ(answer.source, "RPM package cuda-cudart-12-9");
    EXPECT_EQ(answer.file, root(kSqlite).string());
  }
}

TEST_F(MetadataRpm, IsReadInBothFormatsAndFolders) {
  put_toolkit();
  machine_.put_file(kLib + std::string("libcublas.so.12"), "");
  for (const char* folder : {"var/lib/rpm/", "usr/lib/sysimage/rpm/"}) {
    for (const char* name : {"rpmdb.sqlite", "Packages"}) {
      const std::string database = folder + std::string(name);
      name[0] == 'r' ? put_sqlite(database) : put_berkeley(database);
      for (const auto& [file, package] : {std::pair("libcudart.so.12", "cuda-cudart-12-9"),
                                          {"libcublas.so.12", "libcublas-12-9"}}) {
        const ToolkitAnswer answer = ask_system(std::string(kLib) + file);
        EXPECT_EQ(answer.source, std::string("RPM package ") + package) << database;
        EXPECT_EQ(answer.file, root(database).string());
      }
      machine_.remove(database);
    }
  }
}

TEST_F(MetadataRpm, OfAFileThatNoneListsIsUnknown) {
  put_container();
  // One of another package has that name; so has one of another folder.
  for (const char* file :
       {"usr/share/files/libcudart.so.12.9.79", "usr/local/cuda-12.9/lib/libcudart.so.12"}) {
    machine_.put_file(file, "");
    EXPECT_THAT(ask_system(file).problem,
                HasSubstr("no RPM package in " + root(kSqlite).string() + " lists it"));
  }
}

TEST_F(MetadataRpm, PackageOutsideTheReleases_IsReported) {
  put_container();
  machine_.put_file("usr/local/cuda-12.9/compat/libcuda.so.1", "");
  EXPECT_THAT(
      ask_system("usr/local/cuda-12.9/compat/libcuda.so.1").problem,
      HasSubstr(
          "RPM package cuda-compat-12-9 owns it, but its version is not a CUDA Toolkit version"));
}

TEST_F(MetadataRpm, OfTwoPackagesThatDifferIsUnknown) {
  put_sqlite();
  machine_.put_file("usr/local/cuda/lib/libnvrtc.so.12", "");
  EXPECT_THAT(
      ask_system("usr/local/cuda/lib/libnvrtc.so.12").problem,
      AllOf(HasSubstr("2 RPM packages own it and do not agree: "),
            HasSubstr("cuda-nvrtc-12-8 (CUDA 12.8)"), HasSubstr("cuda-nvrtc-12-9 (CUDA 12.9)")));
}

TEST_F(MetadataRpm, IsQueriedOnlyWithoutOtherSources) {
  put_toolkit();
  machine_.put_file(kSqlite, "broken");
  EXPECT_THAT(problem(), HasSubstr("the RPM package that owns it is unknown"));
  put_header("usr/local/cuda-12.9/targets/x86_64-linux/include/cuda.h", 12090);
  EXPECT_EQ(ask_system(kRuntimeFile).source, "cuda.h");
  machine_.remove("usr/local/cuda-12.9/targets/x86_64-linux/include/cuda.h");
  put_dpkg(&machine_, "cuda-cudart-12-9", "12.9.79-1", {"/" + kRuntimeFile});
  EXPECT_EQ(ask_system(kRuntimeFile).source, "dpkg package cuda-cudart-12-9");
}

TEST_F(MetadataRpm, FileInAHome_IsNotQueried) {
  put_container();
  machine_.put_file("home/me/libcudart.so.12", "");
  EXPECT_THAT(ask_system("home/me/libcudart.so.12").problem, Not(HasSubstr("RPM")));
}

TEST_F(MetadataRpm, ThatAnybodyMayWriteIsNotRead) {
  put_container();
  machine_.chmod("var/lib/rpm", 0777);
  EXPECT_THAT(problem(), Not(HasSubstr("RPM")));
  EXPECT_FALSE(ask_system(kRuntimeFile).version.known());
}

TEST_F(MetadataRpm, WithUnfinishedChangesIsNotRead) {
  put_container();
  machine_.put_file(kSqlite + std::string("-wal"), "");
  EXPECT_EQ(version_of(ask_system(kRuntimeFile)), "12.9") << "as rpm leaves it";
  for (const char* log : {"-wal", "-journal"}) {
    machine_.put_file(kSqlite + std::string(log), "a page");
    EXPECT_THAT(problem(),
                HasSubstr("the RPM package that owns it is unknown: " + root(kSqlite).string() +
                          " has unfinished changes in a log beside it: run rpm --rebuilddb"));
    machine_.remove(kSqlite + std::string(log));
  }
}

TEST_F(MetadataRpm, AnotherFormat_HasAHint) {
  put_toolkit();
  machine_.put_file("usr/lib/sysimage/rpm/Packages.db",
                    std::string("RpmP\0\0\0\0", 8) + std::string(8192, 'x'));
  EXPECT_THAT(problem(), AllOf(HasSubstr("Packages.db has a format that anycuda does not read: "),
                               HasSubstr("such as cuda-cudart-devel-12-9")));
}

TEST_F(MetadataRpm, Damaged_IsReported) {
  for (const char* database : {kSqlite, kBerkeley}) {
    put_toolkit();
    database == kSqlite ? put_sqlite() : put_berkeley();
    overwrite(database, 20, std::string(4, '\x01'));  // the size of its pages
    EXPECT_THAT(problem(), HasSubstr(root(database).string() + " is damaged: run rpm --rebuilddb"));
    machine_.remove(database);
  }
  put_sqlite();
  machine_.truncate(kSqlite, 8192);
  EXPECT_THAT(problem(), HasSubstr("rpmdb.sqlite is damaged: run rpm --rebuilddb"));
}

// An owner that was found before the damage may not be the only one.
TEST_F(MetadataRpm, DamagedBehindAnOwner_IsUnknown) {
  put_sqlite();
  const std::string file = "usr/local/cuda/lib/libnvrtc.so.12";
  machine_.put_file(file, "");
  const std::string whole = unit::read_file(root(kSqlite));
  int damaged = 0;
  for (const char* name : {"cuda-nvrtc-12-8", "cuda-nvrtc-12-9"}) {
    for (std::size_t at = whole.find(name); at != std::string::npos;
         at = whole.find(name, at + 1)) {
      overwrite(kSqlite, static_cast<std::streamoff>(at), std::string(1, '\0'));
      const ToolkitAnswer answer = ask_system(file);
      EXPECT_FALSE(answer.version.known()) << name << " at " << at;
      damaged += answer.problem.find("is damaged") != std::string::npos ? 1 : 0;
      overwrite(kSqlite, static_cast<std::streamoff>(at), whole.substr(at, 1));
    }
  }
  EXPECT_EQ(damaged, 2);
}

TEST_F(MetadataRpm, NotAFileOrTooLarge_IsReported) {
  put_container();
  machine_.truncate(kSqlite, std::uintmax_t{1} << 40);
  EXPECT_THAT(problem(), HasSubstr("rpmdb.sqlite is too large and was not read"));
  machine_.remove(kSqlite).put_folder(kSqlite);
  EXPECT_THAT(problem(), HasSubstr("rpmdb.sqlite is not a regular file"));
  machine_.remove(kSqlite);
  ASSERT_EQ(mkfifo(root(kSqlite).c_str(), 0644), 0);
  EXPECT_THAT(problem(), HasSubstr("rpmdb.sqlite is not a regular file"));
  machine_.remove(kSqlite).put_file(kSqlite, "");
  EXPECT_THAT(problem(), HasSubstr("rpmdb.sqlite has a format that anycuda does not read"));
}

TEST_F(MetadataRpm, WithoutADatabaseIsNotNamed) {
  put_toolkit();
  machine_.put_folder("var/lib/rpm");
  EXPECT_THAT(problem(), Not(HasSubstr("RPM")));
}

}  // namespace
}  // namespace anycuda::test
