// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_rule.h"

namespace anycuda {
namespace {

bool same(Version a, Version b) { return a.major == b.major && a.minor == b.minor; }

bool counts(const HeaderFacts& header) {
  return header.version.known() && (header.owners != 0 || !header.owned);
}

// The header that speaks for an owner, -1: none.
int header_of(int owner, const HeaderFacts* headers, int header_count) {
  for (int i = 0; i < header_count; ++i) {
    if (headers[i].version.known() && (headers[i].owners >> owner & 1U) != 0) return i;
  }
  return -1;
}

ToolkitDecision decision_by_owner(int owner, const OwnerFacts& facts, const HeaderFacts* headers,
                                  int header_count) {
  ToolkitDecision by_owner;
  by_owner.owner = owner;
  if (facts.pinned.known()) {
    by_owner.authority = Authority::pin;
    by_owner.version = facts.pinned;
  } else if (facts.own.known()) {
    by_owner.authority = Authority::own_version;
    by_owner.version = facts.own;
  } else {
    by_owner.header = header_of(owner, headers, header_count);
    if (by_owner.header < 0) return {};
    by_owner.authority = Authority::header;
    by_owner.version = headers[by_owner.header].version;
  }
  return by_owner;
}

ToolkitDecision decide_owners(const OwnerFacts* owners, int owner_count, const HeaderFacts* headers,
                              int header_count) {
  ToolkitDecision decision;
  for (int i = 0; i < owner_count; ++i) {
    const ToolkitDecision by_owner = decision_by_owner(i, owners[i], headers, header_count);
    if (by_owner.authority == Authority::none) continue;
    if (decision.authority == Authority::none) {
      decision = by_owner;
    } else if (!same(decision.version, by_owner.version)) {
      return {Authority::owners_differ, {}, decision.owner, i};
    }
  }
  return decision;
}

bool any_wheel(const OwnerFacts* owners, int owner_count) {
  for (int i = 0; i < owner_count; ++i) {
    if (owners[i].wheel) return true;
  }
  return false;
}

}  // namespace

bool needs_next_manager(int owner_count) { return owner_count == 0; }

bool needs_system_manager(int owner_count, int header_count) {
  return owner_count == 0 && header_count == 0;
}

bool needs_version_file(const OwnerFacts* owners, int owner_count, int header_count) {
  for (int i = 0; i < owner_count; ++i) {
    const OwnerFacts& owner = owners[i];
    if (owner.wheel || owner.unreliable || version_by_owner(owner).known()) return false;
  }
  return header_count == 0;
}

Version version_by_owner(const OwnerFacts& owner) {
  return owner.pinned.known() ? owner.pinned : owner.own;
}

ToolkitDecision decide_toolkit(const OwnerFacts* owners, int owner_count,
                               const HeaderFacts* headers, int header_count) {
  for (int i = 0; i < owner_count; ++i) {
    if (owners[i].unreliable || owners[i].pins_differ) {
      return {Authority::contradiction, {}, i};
    }
  }
  ToolkitDecision decision = decide_owners(owners, owner_count, headers, header_count);
  if (decision.authority == Authority::owners_differ) return decision;
  if (decision.authority == Authority::none && any_wheel(owners, owner_count)) return decision;
  for (int i = 0; i < header_count; ++i) {
    if (!counts(headers[i])) continue;
    if (decision.authority == Authority::none) {
      decision.authority = Authority::header;
      decision.version = headers[i].version;
      decision.header = i;
    } else if (!same(decision.version, headers[i].version)) {
      const int other = decision.owner < 0 ? decision.header : -1;
      return {Authority::header_differs, {}, decision.owner, -1, i, other};
    }
  }
  return decision;
}

}  // namespace anycuda
