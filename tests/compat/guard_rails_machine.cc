// SPDX-License-Identifier: Apache-2.0
#include "guard_rails_machine.h"

#include <algorithm>
#include <typeinfo>

namespace anycuda::compat::test {

Version version(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t dot = text.find('.');
  return {std::stoi(text), std::stoi(text.substr(dot + 1))};
}

std::string RailsMachine::path(Kind kind, const std::string& name, const std::string& toolkit) {
  static const char* const kFolders[] = {"lib", "include", "static", "bitcode", "bin"};
  return std::string("/home/me/venv/") + kFolders[static_cast<int>(kind)] + "/" + name +
         (toolkit.empty() ? "" : "-" + toolkit);
}

RailsMachine& RailsMachine::install(Kind kind, const std::string& name,
                                    const std::string& toolkit) {
  const Component& component = component_named(kind, name);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    installed_.erase(
        std::remove_if(installed_.begin(), installed_.end(),
                       [&](const Installed& one) { return one.component == &component; }),
        installed_.end());
  }
  return also(kind, name, toolkit, path(kind, name, toolkit));
}

RailsMachine& RailsMachine::also(Kind kind, const std::string& name, const std::string& toolkit,
                                 const std::string& path) {
  const Component& component = component_named(kind, name);
  std::string file;
  if (kind == Kind::dynamic_library) {
    // The SONAME of its toolkit's major, where the row has one; else the newest.
    file = *component.files.begin();
    for (const std::string_view soname : component.files) {
      if (major_of_soname(soname) == version(toolkit).major) file = soname;
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  installed_.push_back({&component, {path, file, Found::wheel}, version(toolkit)});
  return *this;
}

RailsMachine& RailsMachine::below(const std::string& root, Kind kind, const std::string& name,
                                  const std::string& toolkit, const std::string& path) {
  const Component& component = component_named(kind, name);
  const std::lock_guard<std::mutex> lock(mutex_);
  below_.push_back({root, {&component, {path, "", Found::beside}, version(toolkit)}});
  return *this;
}

RailsMachine& RailsMachine::move(Kind kind, const std::string& name, const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Installed& one : installed_) {
    if (one.component == &component_named(kind, name)) one.located.path = path;
  }
  return *this;
}

RailsMachine& RailsMachine::loaded(const std::string& name, const std::string& toolkit,
                                   const std::string& soname) {
  const Component& component = component_named(Kind::dynamic_library, name);
  const std::string at = "/opt/theirs/" + soname;
  const std::lock_guard<std::mutex> lock(mutex_);
  loaded_.push_back({&component, {at, at, soname}});
  loaded_toolkits_.push_back({&component, {at, soname, Found::loaded}, version(toolkit)});
  return *this;
}

RailsMachine& RailsMachine::driver(const std::string& cuda, int branch) {
  driver_ = version(cuda);
  branch_ = branch;
  return *this;
}

RailsMachine& RailsMachine::no_driver() {
  driver_.reset();
  return *this;
}

RailsMachine& RailsMachine::unopenable(const std::string& name) {
  unopenable_ = name;
  return *this;
}

RailsMachine& RailsMachine::lies(const std::string& name, const std::string& what) {
  lies_[name] = what;
  return *this;
}

RailsMachine& RailsMachine::reports(const std::string& name, const std::string& toolkit) {
  reported_[name] = version(toolkit);
  return *this;
}

RailsMachine& RailsMachine::passed_over(const std::string& file) {
  passed_.push_back(file);
  return *this;
}

RailsMachine& RailsMachine::cannot_close() {
  stays_open_ = true;
  return *this;
}

RailsMachine& RailsMachine::while_opening(std::function<void(const std::string&)> what) {
  while_opening_ = std::move(what);
  return *this;
}

void RailsMachine::note(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  asked_.push_back(what);
}

ToolkitAnswer RailsMachine::version_of(const std::string& path) {
  note("read " + path);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Installed> all = installed_;
  all.insert(all.end(), loaded_toolkits_.begin(), loaded_toolkits_.end());
  for (const auto& [root, one] : below_) all.push_back(one);
  for (const Installed& one : all) {
    if (one.located.path != path) continue;
    if (!one.toolkit.known()) return {{}, "", "", "no cuda.h and no wheel says it"};
    return {one.toolkit, "cuda.h", path + ".cuda.h", ""};
  }
  return {{}, "", "", "no such file"};
}

std::vector<LoadedImage> RailsMachine::images_of(const Component& component) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<LoadedImage> images;
  for (const auto& [row, image] : loaded_) {
    if (row == &component) images.push_back(image);
  }
  std::stable_sort(images.begin(), images.end(), [](const auto& a, const auto& b) {
    return major_of_soname(a.soname) > major_of_soname(b.soname);
  });
  return images;
}

OpenedLibrary RailsMachine::open(const ComponentInstance& instance, const std::string& name,
                                 const AcceptsVersion& accepts) {
  note("open " + name);
  OpenedLibrary opened;
  if (name == unopenable_) {
    opened.cause = name + ": undefined symbol: missing";
    return opened;
  }
  if (const auto one = lies_.find(name); one != lies_.end()) {
    opened.mismatch = one->second;
    opened.stays_open = stays_open_;
    return opened;
  }
  const auto reported = reported_.find(name);
  if (reported != reported_.end() && instance.version.known() && !accepts(reported->second)) {
    opened.stays_open = stays_open_;
    return opened;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Installed& one : installed_) {
      const bool there = std::any_of(loaded_.begin(), loaded_.end(),
                                     [&](const auto& old) { return old.second.name == name; });
      if (one.located.path == name && !there) {
        loaded_.push_back({one.component, {name, name, one.located.file}});
      }
    }
  }
  if (while_opening_) while_opening_(name);
  opened.handle = this;
  return opened;
}

System RailsMachine::system() {
  System system;
  system.find = [this](const Component& component) {
    note("find " + std::string(component.name));
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Installed& one : installed_) {
      if (one.component == &component) return one.located;
    }
    throw NotFoundError(
        std::vector<std::string>{"nowhere: no usable file is in", "  /home/me/venv"},
        {"/home/me/venv"});
  };
  system.find_all = [this](const Component& component) {
    note("find all " + std::string(component.name));
    const std::lock_guard<std::mutex> lock(mutex_);
    FoundFiles all;
    for (const Installed& one : installed_) {
      if (one.component == &component) all.usable.push_back(one.located);
    }
    all.passed = passed_;
    return all;
  };
  system.find_below = [this](const ComponentRoot& root, const Component& component) {
    note("find below " + root.path + " " + std::string(component.name));
    const std::lock_guard<std::mutex> lock(mutex_);
    FoundFiles all;
    for (const auto& [path, one] : below_) {
      if (path == root.path && one.component == &component) all.usable.push_back(one.located);
    }
    return all;
  };
  system.identity_of = [](const std::string&) { return FileIdentity{}; };
  system.version_of = [this](const Component&, const std::string& path) {
    return version_of(path);
  };
  system.driver_cuda = [this] {
    note("driver");
    if (!driver_) throw DriverQueryError("libcuda.so.1: no such file");
    return *driver_;
  };
  system.driver_branch = [this] {
    note("branch");
    if (branch_ == 0) return BranchAnswer{0, "NVML is not there"};
    return BranchAnswer{branch_, "", std::to_string(branch_) + ".58.03"};
  };
  system.loaded = [this](const Component& component) { return images_of(component); };
  system.open_needed = [this](const std::string& name) { note("need " + name); };
  system.open = [this](const ComponentInstance& instance, const std::string& name, bool,
                       const AcceptsVersion& accepts) { return open(instance, name, accepts); };
  system.close = [this](void*) { note("close"); };
  system.forget = [this] { note("forget"); };
  return system;
}

GuardRailsImpl RailsMachine::rails(const Options& options) {
  return GuardRailsImpl(options, resolve_policy(options, {}, true), system());
}

std::vector<std::string> RailsMachine::asked() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return asked_;
}

int RailsMachine::times_asked(const std::string& what) const {
  const std::vector<std::string> all = asked();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const std::string& one) {
    return one.substr(0, what.size()) == what;
  }));
}

namespace {

template <typename Type>
bool is_a(const Error& error) {
  return typeid(error) == typeid(Type);
}

}  // namespace

std::string outcome(const std::function<void()>& call) {
  try {
    call();
    return "accepted";
  } catch (const Error& error) {
    if (is_a<DriverToolkitError>(error)) return "DriverToolkitError";
    if (is_a<ToolkitMismatchError>(error)) return "ToolkitMismatchError";
    if (is_a<InsufficientMetadataError>(error)) return "InsufficientMetadataError";
    if (is_a<NotFoundError>(error)) return "NotFoundError";
    if (is_a<ConstraintError>(error)) return "ConstraintError";
    if (is_a<SettingError>(error)) return "SettingError";
    if (is_a<DriverQueryError>(error)) return "DriverQueryError";
    if (is_a<LoadError>(error)) return "LoadError";
    if (is_a<UnknownNameError>(error)) return "UnknownNameError";
    return "another Error";
  }
}

std::string message(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Options with_mode(Mode mode) {
  Options options;
  options.mode = mode;
  return options;
}

}  // namespace anycuda::compat::test
