// SPDX-License-Identifier: Apache-2.0

// The list of questions, and the settings that affect the answers.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "compat/base/environment.h"
#include "compat/base/log.h"
#include "compat/descriptor/libraries.h"
#include "compat/doctor/ask.h"
#include "compat/doctor/record_writer.h"

namespace anycuda::doctor {
namespace {

constexpr int kFormat = 1;

void write_library(const Library& library, RecordWriter* records) {
  const LibraryDescriptor& about = *library.descriptor;
  char majors[64] = "";
  int used = 0;
  for (int i = 0; i < about.major_count; ++i) {
    // Without a symbol version there is one kind of caller, as for the driver.
    if (about.majors[i].symbol_version == nullptr) continue;
    for (int major = about.majors[i].major; major <= about.majors[i].newest; ++major) {
      used += std::snprintf(majors + used, sizeof majors - static_cast<std::size_t>(used), "%s%d",
                            used > 0 ? " " : "", major);
    }
  }
  records->begin("library")
      .field("name", about.name)
      .field("product", about.product)
      .field("stub", library.stub)
      .field("variable", about.variable)
      .field("install_hint", about.install_hint)
      .flag("is_driver", about.is_driver)
      .flag("driver_bound", about.rules.driver_bound)
      .field("majors", majors)
      .end();
}

void write_setting(RecordWriter* records, const char* name, bool understood, const char* values) {
  const char* value = environment_variable(name);
  if (value == nullptr) return;
  records->begin("setting")
      .field("name", name)
      .field("value", value)
      .flag("understood", understood)
      .field("values", values)
      .end();
}

void write_settings(RecordWriter* records) {
  const auto value = [](const char* name) { return environment_variable(name); };
  for (int i = 0; i < kLibraryCount; ++i) {
    const char* name = kLibraries[i].descriptor->variable;
    const char* file = value(name);
    write_setting(records, name, file == nullptr || *file == '/', "a file by its full path");
  }
  for (const char* mode : {kModeVariable, kStubModeVariable, kApiModeVariable}) {
    write_setting(records, mode, parse_mode(value(mode), Mode::best_effort).understood,
                  values_of(mode));
  }
  write_setting(records, kDriverCompatVariable,
                parse_driver_compat(value(kDriverCompatVariable)).understood,
                values_of(kDriverCompatVariable));
  write_setting(records, kCrossMajorVariable,
                parse_cross_major(value(kCrossMajorVariable)).understood,
                values_of(kCrossMajorVariable));
  write_setting(records, "ANYCUDA_LOG", wrong_log_setting() == nullptr,
                "off, error, warn, info, debug or the full path of a file");
  write_setting(records, "ANYCUDA_SYSTEM_ROOT", wrong_system_root() == nullptr,
                "the full path of a folder");
  const char* cache = value("ANYCUDA_CODE_CACHE");  // of the Linker
  write_setting(records, "ANYCUDA_CODE_CACHE",
                cache == nullptr || *cache == '/' || std::strcmp(cache, "off") == 0,
                "off or the full path of a folder");
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_about(int file) {
  anycuda::doctor::RecordWriter records(file);
  records.begin("format")
      .field("number", anycuda::doctor::kFormat)
      .field("version", ANYCUDA_VERSION)
      .end();
  for (int i = 0; i < anycuda::kLibraryCount; ++i) {
    anycuda::doctor::write_library(anycuda::kLibraries[i], &records);
  }
  anycuda::doctor::write_settings(&records);
  return records.complete() ? 0 : EIO;
}
