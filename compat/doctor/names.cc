// SPDX-License-Identifier: Apache-2.0
#include "compat/doctor/names.h"

namespace anycuda::doctor {

const char* name_of(SearchTier tier) {
  switch (tier) {
    case SearchTier::variable:
      return "variable";
    case SearchTier::loaded:
      return "loaded";
    case SearchTier::rpath:
      return "rpath";
    case SearchTier::library_path:
      return "library_path";
    case SearchTier::runpath:
      return "runpath";
    case SearchTier::caller:
      return "caller";
    case SearchTier::python:
      return "python";
    case SearchTier::conda:
      return "conda";
    case SearchTier::activated:
      return "activated";
    case SearchTier::toolkit:
      return "toolkit";
    case SearchTier::system:
      return "system";
  }
  return "";
}

const char* name_of(FileState state) {
  switch (state) {
    case FileState::usable:
      return "usable";
    case FileState::missing:
      return "missing";
    case FileState::unreadable:
      return "unreadable";
    case FileState::not_a_file:
      return "not_a_file";
    case FileState::not_absolute:
      return "not_absolute";
    case FileState::has_tokens:
      return "has_tokens";
    case FileState::not_trusted:
      return "not_trusted";
    case FileState::not_elf:
      return "not_elf";
    case FileState::other_architecture:
      return "other_architecture";
    case FileState::truncated:
      return "truncated";
    case FileState::other_library:
      return "other_library";
    case FileState::anycuda_stub:
      return "anycuda_stub";
    case FileState::required_symbol_missing:
      return "core_symbol_missing";
    case FileState::out_of_memory:
      return "out_of_memory";
    case FileState::open_failed:
      return "open_failed";
    case FileState::other_file_opened:
      return "other_file_opened";
    case FileState::other_version:
      return "other_version";
    case FileState::link_stub:
      return "link_stub";
  }
  return "";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return "accepted";
    case Verdict::newer_than_known:
      return "newer_than_known";
    case Verdict::other_major:
      return "other_major";
    case Verdict::other_loaded:
      return "other_loaded";
    case Verdict::other_group:
      return "other_group";
    case Verdict::other_runtime:
      return "other_runtime";
    case Verdict::no_metadata:
      return "no_metadata";
    case Verdict::driver_too_old:
      return "driver_too_old";
    case Verdict::driver_failed:
      return "driver_failed";
  }
  return "";
}

const char* name_of(DriverVerdict verdict) {
  switch (verdict) {
    case DriverVerdict::served:
      return "served";
    case DriverVerdict::served_by_minor_version:
      return "served_by_minor_version";
    case DriverVerdict::served_by_declaration:
      return "served_by_declaration";
    case DriverVerdict::nothing_known:
      return "nothing_known";
    case DriverVerdict::too_old:
      return "too_old";
    case DriverVerdict::branch_short:
      return "branch_short";
    case DriverVerdict::branch_unknown:
      return "branch_unknown";
    case DriverVerdict::major_unknown:
      return "major_unknown";
  }
  return "";
}

}  // namespace anycuda::doctor
