// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_facts.h"

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/metadata/package_owners.h"

namespace anycuda {
namespace {

class Gathering {
 public:
  Gathering(const char* path, bool is_folder, Arena* arena, Sites* sites, ToolkitFacts* facts)
      : path_(path), is_folder_(is_folder), arena_(arena), sites_(sites), facts_(*facts) {}

  void gather() {
    find_owners();
    for (int i = 0; i < facts_.owners.count; ++i) read_owner(i);
    find_headers();
    ask_dpkg();
    find_version_file();
    for (int i = 0; i < facts_.headers.count; ++i) read_header(i);
  }

 private:
  void find_owners() {
    facts_.wheels = sites_->owners_of(path_, is_folder_);
    facts_.owners = facts_.wheels;
    facts_.conda.problem = facts_.dpkg.problem = "";
    if (!needs_next_manager(facts_.owners.count)) return;
    real_ = real_path(path_, arena_);
    if (is_folder_) return;  // of a folder that several packages share, each would be one
    facts_.conda = conda_owners_of(path_, real_, sites_);
    if (facts_.conda.count > 0) facts_.owners = facts_.conda;
  }
  void ask_dpkg() {
    if (is_folder_ || !needs_system_manager(facts_.owners.count, facts_.headers.count)) return;
    facts_.dpkg = dpkg_owners_of(real_, sites_);
    if (facts_.dpkg.count > 0) facts_.owners = facts_.dpkg;
    for (int i = 0; i < facts_.owners.count; ++i) read_owner(i);
  }

  void read_owner(int owner) {
    const Owners& owners = facts_.owners;
    facts_.owner_metadata[owner] = metadata_of_owner(*owners.found[owner], owners, arena_, &text_);
    facts_.owner_facts[owner] = facts_.owner_metadata[owner].facts;
  }

  // For a wheel's file the path in its RECORD counts. For any other its real path; only if no
  // header is there and no owner names its release, the path as given (folders made of links).
  void find_headers() {
    const LexicalPath seeming(arena_, seeming_folder());
    const LexicalPath real(arena_, real_folder());
    const bool elsewhere = real.text() != seeming.text();
    if (elsewhere) facts_.headers = headers_of_root(real.c_str(), arena_);
    if (facts_.headers.count == 0 && (!elsewhere || !owner_states_version())) {
      facts_.headers = headers_of_root(seeming.c_str(), arena_);
    }
  }
  void find_version_file() {
    if (!needs_version_file(facts_.owner_facts, facts_.owners.count, facts_.headers.count)) return;
    const LexicalPath real(arena_, real_folder());
    add_version_file(real.c_str(), arena_, &facts_.headers);
  }
  std::string_view seeming_folder() const { return folder_holding(path_); }
  std::string_view real_folder() const { return folder_holding(real_ != nullptr ? real_ : path_); }
  std::string_view folder_holding(const char* path) const {
    return is_folder_ ? std::string_view(path) : folder_of(path);
  }

  // Does its package say by itself which release it is of?
  bool owner_states_version() const {
    return facts_.owners.count > 0 && version_by_owner(facts_.owner_facts[0]).known();
  }

  // A header's owner matters unless the header names the same version as all owners of the file.
  bool agrees(Version version) const {
    for (int i = 0; i < facts_.owners.count; ++i) {
      const Version stated = version_by_owner(facts_.owner_facts[i]);
      if (stated.major != version.major || stated.minor != version.minor) return false;
    }
    return facts_.owners.count > 0;
  }

  void read_header(int header) {
    HeaderFacts& header_facts = facts_.header_facts[header];
    const RootHeader& found = facts_.headers.found[header];
    header_facts.version = found.stated.version;
    if (!header_facts.version.known() || agrees(header_facts.version)) return;
    const Owners owners = owners_of_header(found.path);
    // A header whose owner is unknown does not count as a header without an owner.
    header_facts.owned = owners.count > 0 || *owners.problem != '\0';
    for (int i = 0; i < owners.count; ++i) header_facts.owners |= bit_of(owners.found[i]);
  }

  // If the file's package names its release, another package's header is ignored. If it
  // does not, or the file has no owner, only a wheel can have put a header there for itself.
  Owners owners_of_header(const char* header) {
    const Owners& owners = facts_.owners;
    if (!owner_states_version() || owners.manager == Manager::wheel)
      return sites_->owners_of(header, false);
    return conda_owners_of(header, real_path(header, arena_), sites_);
  }

  // The bit of an owner of the file. One of another name than NVIDIA's wheels have may have been
  // passed over before; it is one now.
  unsigned bit_of(const Installed* candidate) {
    Owners& owners = facts_.owners;
    for (int i = 0; i < owners.count; ++i) {
      if (owners.found[i] == candidate) return 1U << i;
    }
    if (owners.count == 0 || owners.count == Owners::kMost || owners.manager != Manager::wheel ||
        is_of_nvidia(candidate->named.name) || !sites_->lists(*candidate, path_, is_folder_)) {
      return 0;
    }
    owners.found[owners.count] = candidate;
    read_owner(owners.count);
    return 1U << owners.count++;
  }

  const char* path_;
  const char* real_ = nullptr;  // asked for where no wheel owns it
  bool is_folder_;
  Arena* arena_;
  Sites* sites_;
  ToolkitFacts& facts_;
  TextFile text_;
};

}  // namespace

void gather_toolkit_facts(const char* path, bool is_folder, Arena* arena, Sites* sites,
                          ToolkitFacts* facts) {
  Gathering(path, is_folder, arena, sites, facts).gather();
}

}  // namespace anycuda
