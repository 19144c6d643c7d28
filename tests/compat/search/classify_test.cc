// SPDX-License-Identifier: Apache-2.0
#include "compat/search/elf/classify.h"
#include "loader/tables.h"

#include <gtest/gtest.h>

#include <string_view>

namespace anycuda {
namespace {

struct NameCase {
  const char* name;
  int major;
};
void PrintTo(const NameCase& c, std::ostream* out) { *out << '"' << c.name << '"'; }

class Soname : public testing::TestWithParam<NameCase> {};

TEST_P(Soname, NamesAMajor) {
  EXPECT_EQ(major_of_soname(kLibrary, GetParam().name), GetParam().major);
}

INSTANTIATE_TEST_SUITE_P(
    Names, Soname,
    testing::Values(NameCase{"libtest.so.11.2", 11}, NameCase{"libtest.so.12", 12},
                    NameCase{"libtest.so.13", 13},
                    // New majors are known by number; old ones only by the names they really have.
                    NameCase{"libtest.so.14", 14}, NameCase{"libtest.so.20", 20},
                    NameCase{"libtest.so.11", 0}, NameCase{"libtest.so.11.0", 0},
                    NameCase{"libtest.so.10", 0}, NameCase{"libtest.so.0", 0},
                    NameCase{"libtest.so.12.9.79", 0}, NameCase{"libtest.so.14.1", 0},
                    // Absurd ones.
                    NameCase{"", 0}, NameCase{"libtest.so", 0}, NameCase{"libtest.so.", 0},
                    NameCase{"libtest.so.x", 0}, NameCase{"libtest.so.14x", 0},
                    NameCase{"libtest.so.-14", 0}, NameCase{"libtest.so.+14", 0},
                    NameCase{"libtest.so. 14", 0}, NameCase{"libtest.so14", 0},
                    NameCase{"libtest.so.99999999999999999999", 0},
                    NameCase{"libtest.so.4294967310", 0}, NameCase{"libother.so.12", 0},
                    NameCase{"libtest-builtins.so.14", 0}, NameCase{"xlibtest.so.12", 0}));

TEST(EarlierSoname, IsOfTheFirstMajor) {
  LibraryDescriptor library = kLibrary;
  library.earlier_soname = "libtest.so.8";
  EXPECT_EQ(major_of_soname(library, "libtest.so.8"), 11);
  EXPECT_EQ(major_of_soname(library, "libtest.so.7"), 0);
  EXPECT_TRUE(is_soname(library, "libtest.so.8"));
  EXPECT_FALSE(is_soname(kLibrary, "libtest.so.8"));
  for (const char* soname : {"libtest.so.8", "libtest.so.12"}) {
    Classifier identity(library);
    identity.soname(soname);
    ImageFacts facts;
    identity.put_into(&facts);
    EXPECT_EQ(facts.is_earlier, std::string_view(soname) == "libtest.so.8");
  }
}

TEST(Classifier, PlainCopyIsRecognisedByItsSoname) {
  Classifier identity(kLibrary);
  identity.soname("libtest.so.12");
  EXPECT_EQ(identity.major(), 12);
  EXPECT_FALSE(identity.is_stub());
}

TEST(Classifier, RenamedCopyIsRecognisedByItsSymbolVersion) {
  Classifier identity(kLibrary);
  identity.soname("libtest-8f3a91.so.12.9.79");
  identity.version_definition("libtest.so.12");
  EXPECT_EQ(identity.major(), 12);
}

TEST(Classifier, KnowsARenamedCopyOfANewMajorToo) {
  Classifier identity(kLibrary);
  identity.soname("libtest-8f3a91.so.14");
  identity.version_definition("libtest.so.14");
  EXPECT_EQ(identity.major(), 14);
}

TEST(Classifier, SymbolVersionComesBeforeTheSoname) {
  Classifier identity(kLibrary);
  identity.version_definition("libtest.so.11.2");
  identity.soname("libtest.so.12");
  EXPECT_EQ(identity.major(), 11);
}

TEST(Classifier, OtherLibrary_IsNotRecognised) {
  Classifier identity(kLibrary);
  identity.soname("libother.so.12");
  identity.version_definition("libother.so.12");
  EXPECT_EQ(identity.major(), 0);
  EXPECT_EQ(Classifier(kLibrary).major(), 0);
}

TEST(Classifier, StubIsRecognisedByItsSymbolVersionUnderEveryName) {
  Classifier identity(kLibrary);
  identity.soname("libtest.so.12");
  identity.version_definition("ANYCUDA_NATIVE");
  identity.version_definition("libtest.so.12");
  EXPECT_TRUE(identity.is_stub());
}

TEST(Classifier, UnversionedLibraryIsRecognisedByItsSoname) {
  Classifier identity(kDriver);
  identity.version_definition("libtestdriver.so.1.x");
  EXPECT_EQ(identity.major(), 0);
  identity.soname("libtestdriver.so.1");
  EXPECT_EQ(identity.major(), 1);
}

}  // namespace
}  // namespace anycuda
