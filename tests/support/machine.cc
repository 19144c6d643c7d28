// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "install.h"
#include "this_computer.h"

namespace anycuda::test {
namespace fs = std::filesystem;
namespace {

// Beside the build and not in /tmp: there the cache is rarely on the same file system, and hundreds
// of megabytes would be copied.
fs::path new_folder() {
  const fs::path parent = ANYCUDA_TEST_MACHINES;
  fs::create_directories(parent);
  std::string name = (parent / "machine-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a folder in " + parent.string() + ": " + strerror(errno));
  }
  return fs::canonical(name);
}

std::string artifact_name(Component library, const std::string& version) {
  return std::string(library.name) + "-" + version;
}

}  // namespace

Machine::Machine(const Artifacts& artifacts) : artifacts_(artifacts), root_(new_folder()) {
  for (const char* folder : {"home", "tmp", "usr/local", "etc"}) {
    fs::create_directories(root_ / folder);
  }
  fs::create_directories(system_libraries());
}

Machine::~Machine() {
  if (getenv("ANYCUDA_KEEP_MACHINES") != nullptr) return;  // to look at one after a failure
  std::error_code error;
  // A test may have taken the rights to a folder away.
  for (auto entry = fs::recursive_directory_iterator(
           root_, fs::directory_options::skip_permission_denied, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_directory(error) && !entry->is_symlink(error)) {
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, error);
    }
  }
  fs::remove_all(root_, error);
  if (!preload_folder_.empty()) fs::remove_all(preload_folder_, error);
}

fs::path Machine::system_libraries() const {
#if defined(__aarch64__)
  return root_ / "usr/lib/aarch64-linux-gnu";
#else
  return root_ / "usr/lib/x86_64-linux-gnu";
#endif
}

Machine& Machine::wheel(Component library, const std::string& version) {
  install_wheel(artifacts_.folder(artifact_name(library, version)), site_packages());
  put_file("venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.0\n");
  installed_["VIRTUAL_ENV"] = (root_ / "venv").string();
  return *this;
}

Machine& Machine::install_as_named_by_nvidia(Component library, const std::string& version,
                                             const Path& folder) {
  install_chain(artifacts_.folder(artifact_name(library, version)), folder);
  return *this;
}

Machine& Machine::conda(Component library, const std::string& version) {
  installed_["CONDA_PREFIX"] = (root_ / "conda").string();
  return install_as_named_by_nvidia(library, version, root_ / "conda/lib");
}

Machine& Machine::toolkit(Component library, const std::string& version) {
  const Path home = root_ / "usr/local" / ("cuda-" + version);
#if defined(__aarch64__)
  const Path inside = "targets/sbsa-linux/lib";
#else
  const Path inside = "targets/x86_64-linux/lib";
#endif
  install_as_named_by_nvidia(library, version, home / inside);
  place_link(home / "lib64", inside);
  // As the installer does it: the toolkit that came last is the default one.
  place_link(root_ / "usr/local/cuda", home.filename());
  return *this;
}

Machine& Machine::distribution(Component library, const std::string& version) {
  return install_as_named_by_nvidia(library, version, system_libraries());
}

Machine& Machine::on_library_path(Component library, const std::string& version) {
  const Path folder = root_ / "opt" / artifact_name(library, version);
  return install_as_named_by_nvidia(library, version, folder).library_path(folder);
}

void Machine::put_driver(int branch) {
  install_flat(artifacts_.folder("driver-" + std::to_string(branch)), system_libraries());
}

Machine& Machine::driver(int branch) {
  put_driver(branch);
  // The dynamic loader searches the folders of this computer, not those of the machine, so
  // LD_LIBRARY_PATH must name one. The folder has only the driver: the other libraries in the
  // system's folder must not be found this way.
  const Path reach = root_ / "run/driver";
  place_link(reach / "libcuda.so.1", system_libraries() / "libcuda.so.1");
  return library_path(reach);
}

Machine& Machine::driver_out_of_reach(int branch) {
  put_driver(branch);
  return *this;
}

Machine& Machine::env(const std::string& name, const std::string& value) {
  chosen_[name] = value;
  return *this;
}

Machine& Machine::library_path(const Path& folder) {
  library_path_.push_back(resolve(folder));
  return *this;
}

Machine& Machine::preload(const Path& library) {
  if (preload_folder_.empty()) {
    std::string name = "/tmp/anycuda-preload-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(std::string("cannot make a folder in /tmp: ") + strerror(errno));
    }
    preload_folder_ = name;
  }
  const Path link = preload_folder_ / library.filename();
  fs::create_symlink(library, link);
  return env("LD_PRELOAD", link);
}

Environment Machine::environment() const {
  Environment all = {{"PATH", "/usr/bin:/bin"},
                     {"HOME", (root_ / "home").string()},
                     {"TMPDIR", (root_ / "tmp").string()},
                     {"ANYCUDA_SYSTEM_ROOT", root_.string()},
                     // No GPU on any machine, also where this computer has one.
                     {"CUDA_VISIBLE_DEVICES", ""}};
  // From the world; a test that is started by hand has none.
  static const char* const given = getenv("ANYCUDA_FENCE");
  static const std::string fence = given != nullptr      ? given
                                   : computer_has_cuda() ? ANYCUDA_TEST_FENCE
                                                         : "";
  if (!fence.empty()) {
    all["LD_AUDIT"] = fence;
    all["ANYCUDA_TEST_FENCE"] = root_.string();
  }
  std::string path;
  for (const Path& folder : library_path_) path += (path.empty() ? "" : ":") + folder.string();
  if (!path.empty()) all["LD_LIBRARY_PATH"] = path;
  for (const auto& [name, value] : installed_) all[name] = value;
  for (const auto& [name, value] : chosen_) all[name] = value;
  return all;
}

// A file that is a second name of one in the cache becomes a copy before it is changed.
Machine::Path Machine::make_own(const Path& path) {
  const Path file = resolve(path);
  if (fs::is_regular_file(file) && fs::hard_link_count(file) > 1) {
    const Path real = fs::canonical(file);
    const Path copy = real.string() + ".copy";
    fs::copy_file(real, copy);
    fs::rename(copy, real);
  }
  return file;
}

Machine& Machine::put_file(const Path& path, std::string_view bytes) {
  const Path file = resolve(path);
  fs::create_directories(file.parent_path());
  fs::remove(
      file);  // and not written through: it may be a link, or a second name of a file in the cache
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
  return *this;
}

Machine& Machine::put_copy(const Path& path, const Path& from) {
  const Path file = resolve(path);
  fs::create_directories(file.parent_path());
  fs::remove(file);
  fs::copy_file(from, file);
  return *this;
}

Machine& Machine::put_link(const Path& path, const Path& target) {
  place_link(resolve(path), target);
  return *this;
}

Machine& Machine::put_folder(const Path& path) {
  fs::remove_all(resolve(path));
  fs::create_directories(resolve(path));
  return *this;
}

Machine& Machine::truncate(const Path& path, std::uintmax_t size) {
  fs::resize_file(make_own(path), size);
  return *this;
}

Machine& Machine::chmod(const Path& path, mode_t mode) {
  const Path file = make_own(path);
  if (::chmod(file.c_str(), mode) != 0) {
    throw std::runtime_error("chmod " + file.string() + ": " + strerror(errno));
  }
  return *this;
}

Machine& Machine::remove(const Path& path) {
  if (fs::remove_all(resolve(path)) == 0) {
    throw std::runtime_error("nothing to remove at " + resolve(path).string());
  }
  return *this;
}

ProcessSpec Machine::spec(std::vector<std::string> argv) const {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.env = environment();
  spec.folder = root_ / "home";
  return spec;
}

ProcessResult Machine::run(std::vector<std::string> argv, std::chrono::seconds timeout) const {
  ProcessSpec started = spec(std::move(argv));
  started.timeout = timeout;
  return run_process(started);
}

ProcessResult Machine::run_secure(std::vector<std::string> argv) const {
  ProcessSpec started = spec(std::move(argv));
  started.secure = true;
  return run_process(started);
}

ProcessResult Machine::run_without_rights(std::vector<std::string> argv) const {
  std::vector<std::string> start = {ANYCUDA_TEST_WITHOUT_RIGHTS, ANYCUDA_TEST_BUILD};
  if (const char* cache = getenv("ANYCUDA_CACHE")) start.push_back(cache);
  start.push_back("--");
  argv.insert(argv.begin(), start.begin(), start.end());
  return run_process(spec(std::move(argv)));
}

}  // namespace anycuda::test
