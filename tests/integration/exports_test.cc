// SPDX-License-Identifier: Apache-2.0

// What the stubs export: every name of every real library, under that library's own version name,
// and nothing else.
#include <fcntl.h>
#include <unistd.h>

#include <regex>

#include "compat/descriptor/libraries.h"
#include "compat/search/elf/image_file.h"
#include "export_lists.h"
#include "support/case_names.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

using ::testing::IsEmpty;

const ElfFile& stub_of(const std::string& library) {
  static std::map<std::string, ElfFile> read;
  const auto known = read.find(library);
  if (known != read.end()) return known->second;
  return read.emplace(library, ElfFile::read(stub(library))).first->second;
}

std::vector<Release> all_releases() {
  std::vector<Release> all;
  for (Component component : {cudart, nvrtc, nvjitlink}) {
    for (const Release& release : releases_of(component)) all.push_back(release);
  }
  return all;
}

Names defaults_of(const ElfFile& file) {
  Names names;
  for (const ElfSymbol& symbol : file.exports) {
    if (symbol.is_default) names.insert(symbol.name + "@" + symbol.version);
  }
  return names;
}

class RealLibrary : public ::testing::TestWithParam<Release> {};

// One test and not one per expectation: the largest of these libraries has 100 MB.
TEST_P(RealLibrary, IsMatchedByTheStubAndByTheDropIn) {
  REQUIRE_ARTIFACT(GetParam().artifact());
  const ElfFile real = ElfFile::read(library_of(GetParam().component, GetParam().version));
  const ElfFile& ours = stub_of(std::string(GetParam().component.name));
  const ElfFile dropin = ElfFile::read(dropin_folder() / real.soname);
  ASSERT_GT(real.exports.size(), 10u);
  Names native, functions, our_functions;
  for (const ElfSymbol& symbol : real.exports) {
    native.insert(symbol.name + "@ANYCUDA_NATIVE");
    if (symbol.is_function) functions.insert(symbol.name);
  }
  for (const ElfSymbol& symbol : ours.exports) {
    if (symbol.is_function) our_functions.insert(symbol.name);
  }

  EXPECT_THAT(missing_from(ours.exported_versioned_names(), real.exported_versioned_names()),
              IsEmpty())
      << "under the real library's own version name";
  EXPECT_THAT(missing_from(defaults_of(ours), native), IsEmpty())
      << "for callers without a version";
  EXPECT_THAT(missing_from(our_functions, functions), IsEmpty()) << "as functions";
  EXPECT_EQ(dropin.soname, real.soname);
  EXPECT_THAT(missing_from(defaults_of(dropin), real.exported_versioned_names()), IsEmpty())
      << "as defaults of the drop-in";
}

ImageFacts facts_of(const Path& file, const LibraryDescriptor& library,
                    const LibrarySymbols& symbols) {
  Arena arena;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const ImageFacts facts =
      read_image(descriptor, std::filesystem::file_size(file), library, &symbols, arena);
  close(descriptor);
  return facts;
}

// A search knows such a file at once, and finds what a look at each name would. NVRTC and nvJitLink
// before 12.8 have no hashes of their names.
TEST_P(RealLibrary, IsKnownByTheSumOfItsNames) {
  REQUIRE_ARTIFACT(GetParam().artifact());
  const Path file = library_of(GetParam().component, GetParam().version);
  const Library* library = library_named(std::string(GetParam().component.name).c_str());
  ASSERT_NE(library, nullptr);
  LibrarySymbols one_by_one = *library->symbols;
  one_by_one.release_count = 0;
  const ImageFacts each = facts_of(file, *library->descriptor, one_by_one);
  ASSERT_EQ(each.state, FileState::usable);
  EXPECT_GE(each.version.minor, 0);
  LibrarySymbols sums_only = *library->symbols;
  sums_only.symbol_count = 0;
  const bool has_hashes = std::string_view(GetParam().component.name) == cudart.name ||
                          GetParam().major() == "13" || GetParam().version == "12.8" ||
                          GetParam().version == "12.9";
  EXPECT_EQ(facts_of(file, *library->descriptor, sums_only).version.minor,
            has_hashes ? each.version.minor : -1);
}

INSTANTIATE_TEST_SUITE_P(Exports, RealLibrary, ::testing::ValuesIn(all_releases()), kPrintedName);

TEST(Releases, AreAllOfTheFieldsSince11_7) {
  REQUIRE_ARTIFACT("cudart-12.0.107");
  EXPECT_GE(releases_of(cudart).size(), 18u);
  EXPECT_GE(releases_of(nvrtc).size(), 17u);
  EXPECT_GE(releases_of(nvjitlink).size(), 15u);
}

// By these names copies of a stub find each other (docs/copies.md).
constexpr const char* kCopyNames[] = {"anycudaCopy2", "anycudaProcess2"};

// What the real libraries export between them: the stub may have no more. A library that could not
// be fetched would make a name look foreign.
class OnlyPromised : public ::testing::TestWithParam<Component> {};

TEST_P(OnlyPromised, NamesAreExported) {
  Names promised;
  Names versions;
  for (const Release& release : releases_of(GetParam())) {
    REQUIRE_ARTIFACT(release.artifact());
    const ElfFile real = ElfFile::read(library_of(release.component, release.version));
    promised.merge(real.exported_versioned_names());
    for (const std::string& name : real.exported_names()) promised.insert(name + "@ANYCUDA_NATIVE");
    versions.insert(real.version_definitions.begin(), real.version_definitions.end());
  }
  for (const std::string name : kCopyNames) {
    for (const std::string& version : versions) promised.insert(name + "@" + version);
    promised.insert(name + "@ANYCUDA_NATIVE");
  }
  const ElfFile& ours = stub_of(std::string(GetParam().name));
  EXPECT_THAT(missing_from(promised, ours.exported_versioned_names()), IsEmpty());
  ASSERT_FALSE(ours.version_definitions.empty());
  EXPECT_EQ(ours.version_definitions.front(), "ANYCUDA_NATIVE");  // callers without versions
  const Names exported_versions(ours.version_definitions.begin() + 1,
                                ours.version_definitions.end());
  EXPECT_EQ(exported_versions, versions);
  for (const std::string& version : versions) {
    const Names dropin = ElfFile::read(dropin_folder() / version).exported_versioned_names();
    EXPECT_THAT(missing_from(promised, dropin), IsEmpty()) << version;
  }
}
INSTANTIATE_TEST_SUITE_P(Exports, OnlyPromised, ::testing::Values(cudart, nvrtc, nvjitlink),
                         kPrintedName);

TEST(Driver, HasEveryNameOfTheRealDriverLibraries) {
  for (const char* artifact : {"driver-535", "driver-550"}) {
    REQUIRE_ARTIFACT(artifact);
    const Names real = ElfFile::read(Artifacts::of_this_build().folder(artifact) / "libcuda.so.1")
                           .exported_names();
    ASSERT_GT(real.size(), 600u);
    EXPECT_THAT(missing_from(stub_of("cuda").exported_names(), real), IsEmpty()) << artifact;
    const ElfFile dropin = ElfFile::read(dropin_folder() / "libcuda.so.1");
    EXPECT_EQ(dropin.soname, "libcuda.so.1");
    EXPECT_THAT(missing_from(dropin.exported_names(), real), IsEmpty()) << artifact;
  }
}

Path newest_cuda_header() {
  const Path artifact = Artifacts::of_this_build().folder("cudart-" + kReleases.back());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(artifact)) {
    if (entry.path().filename() == "cuda.h") return entry.path();
  }
  throw std::runtime_error("no cuda.h in " + artifact.string());
}

TEST(Driver, HasEveryFunctionThatTheNewestHeaderDeclares) {
  REQUIRE_ARTIFACT("cudart-" + kReleases.back());
  const Names declared = names_declared_in(newest_cuda_header());
  ASSERT_GT(declared.size(), 500u);
  EXPECT_EQ(declared.count("cuMemAlloc_v2"), 1u);  // the reading of the header itself
  EXPECT_THAT(missing_from(stub_of("cuda").exported_names(), declared), IsEmpty());
}

TEST(Driver, ExportsNothingElse) {
  REQUIRE_ARTIFACT("driver-535");
  REQUIRE_ARTIFACT("driver-550");
  Names promised = names_in_database("cuda");
  promised.insert(std::begin(kCopyNames), std::end(kCopyNames));
  for (const char* artifact : {"driver-535", "driver-550"}) {
    promised.merge(ElfFile::read(Artifacts::of_this_build().folder(artifact) / "libcuda.so.1")
                       .exported_names());
  }
  EXPECT_THAT(missing_from(promised, stub_of("cuda").exported_names()), IsEmpty());
  EXPECT_EQ(stub_of("cuda").version_definitions, std::vector<std::string>{"ANYCUDA_NATIVE"});
}

// Everything in a text that could be a function's name.
Names words_of(const std::string& text) {
  Names words;
  std::string word;
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      if (word.rfind("cu", 0) == 0) words.insert(word);
      word.clear();
    }
  }
  return words;
}

// The database has functions without an export by their names in the headers: each such name is in
// a header.
TEST(Driver, NamesOfTheDatabaseAreInTheHeaders) {
  Names unknown = names_in_database("cuda");
  for (const char* artifact : {"driver-535", "driver-550"}) {
    REQUIRE_ARTIFACT(artifact);
    unknown =
        missing_from(ElfFile::read(Artifacts::of_this_build().folder(artifact) / "libcuda.so.1")
                         .exported_names(),
                     unknown);
  }
  Names words;
  for (const Release& release : releases_of(cudart)) {
    REQUIRE_ARTIFACT(release.artifact());
    const Path artifact = Artifacts::of_this_build().folder(release.artifact());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(artifact)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("cuda", 0) != 0 || entry.path().extension() != ".h") continue;
      words.merge(words_of(content(entry.path())));
    }
  }
  for (const std::string& name : unknown) {
    // The forms for the per-thread stream are made by the header's preprocessor.
    const std::string base = std::regex_replace(name, std::regex("_pt(sz|ds)$"), "");
    EXPECT_EQ(words.count(base), 1u) << name;
  }
}

}  // namespace
}  // namespace anycuda::test
