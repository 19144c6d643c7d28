// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <new>
#include <string_view>
#include <vector>

namespace anycuda::linker {
namespace {

constexpr std::string_view kEntry = ".code";
constexpr std::string_view kTemporary = ".writing-";
constexpr std::size_t kDigits = 16;
constexpr std::time_t kAbandoned = 3600;  // seconds; no process writes an entry for so long

class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool ok() const { return number_ >= 0; }
  int number() const { return number_; }
  // A network's file system may report a full disk only here.
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

std::string name_of_entry(const std::string& key) {
  char name[kDigits + 1];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return std::string(name) + std::string(kEntry);
}

bool is_entry(std::string_view name) {
  return name.size() == kDigits + kEntry.size() && name.substr(kDigits) == kEntry &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

bool is_temporary(std::string_view name) { return name.substr(0, kTemporary.size()) == kTemporary; }

// No other process has the same number at this time, and no other thread the same counter.
std::string temporary_name() {
  static std::atomic<unsigned> next{0};
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::string(kTemporary) + std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) +
         "." + std::to_string(now.tv_nsec) + "-" + std::to_string(++next);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool read_all(int file, std::string* bytes) {
  std::size_t have = 0;
  while (have < bytes->size()) {
    const ssize_t done = ::read(file, bytes->data() + have, bytes->size() - have);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    have += static_cast<std::size_t>(done);
  }
  return true;
}

// Beyond its limit a process would be ended by SIGXFSZ.
bool exceeds_limit(std::uint64_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         size > limit.rlim_cur;
}

bool same_time(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

// The open folder, if it can be trusted.
class Store::Folder {
 public:
  Folder(Store* store, bool create) : file_(open_folder(store->folder_, create)) {
    struct stat status {};
    if (!file_.ok()) {
      if (create || errno != ENOENT) store->fail(Problem::open_folder, errno);
    } else if (fstat(file_.number(), &status) != 0 || status.st_uid != geteuid() ||
               (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      store->fail(Problem::untrusted_folder, 0);
    } else {
      usable_ = true;
    }
  }
  bool usable() const { return usable_; }
  int number() const { return file_.number(); }
  bool stat_of(const std::string& name, struct stat* status) const {
    return fstatat(number(), name.c_str(), status, AT_SYMLINK_NOFOLLOW) == 0;
  }
  bool remove(const std::string& name) const { return unlinkat(number(), name.c_str(), 0) == 0; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    const int copy = openat(number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const stream = copy >= 0 ? fdopendir(copy) : nullptr;
    if (stream == nullptr && copy >= 0) ::close(copy);
    if (stream == nullptr) return names;
    try {
      while (const dirent* entry = readdir(stream)) names.emplace_back(entry->d_name);
    } catch (const std::bad_alloc&) {  // the entries that have been listed are enough
    }
    closedir(stream);
    return names;
  }

 private:
  // The last part may not be a symbolic link: in /tmp another user can put it there.
  static int open_folder(const std::string& path, bool create) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int number = open(path.c_str(), kFlags);
    if (number >= 0 || errno != ENOENT || !create) return number;
    for (std::size_t end = 1; end != std::string::npos;) {
      end = path.find('/', end + 1);
      const std::string parent = path.substr(0, end);
      if (mkdir(parent.c_str(), S_IRWXU) == 0 || errno == EEXIST) continue;
      const int error = errno;  // a read-only file system reports EROFS for existing folders, too
      if (access(parent.c_str(), F_OK) == 0) continue;
      errno = error;
      return -1;
    }
    return open(path.c_str(), kFlags);
  }

  File file_;
  bool usable_ = false;
};

Store::Store(CacheFolder folder, std::uint64_t max_bytes)
    : folder_(std::move(folder.path)), max_bytes_(max_bytes), problem_(0) {
  note(folder.problem);
}

CacheCounts Store::counts() const {
  CacheCounts counts;
  counts.hits = counts_[kHits];
  counts.misses = counts_[kMisses];
  counts.uncacheable = counts_[kUncacheable];
  counts.stored = counts_[kStored];
  counts.damaged = counts_[kDamaged];
  counts.evicted = counts_[kEvicted];
  counts.failures = counts_[kFailures];
  return counts;
}

std::string Store::problem() const {
  const std::uint64_t both = problem_;
  return describe(static_cast<Problem>(both >> 32), static_cast<int>(both & 0xffffffff));
}

void Store::note(Problem problem, int error) {
  problem_ =
      std::uint64_t{static_cast<std::uint32_t>(problem)} << 32 | static_cast<std::uint32_t>(error);
}

void Store::fail(Problem problem, int error) {
  count(kFailures);
  note(problem, error);
}

void Store::count_uncacheable(Problem why) {
  count(kUncacheable);
  note(why);
}

std::optional<Fields> Store::find(const std::string& key) {
  std::optional<Fields> value = read(key);
  count(value ? kHits : kMisses);
  return value;
}

std::optional<Fields> Store::read(const std::string& key) {
  const Folder folder(this, false);
  if (!folder.usable()) return {};
  const std::string name = name_of_entry(key);
  // O_NONBLOCK: the open of a pipe does not wait.
  const File file(
      openat(folder.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file.ok() && errno == ENOENT) return {};
  struct stat status {};
  Entry entry;
  entry.damaged = true;
  if (file.ok() && fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == geteuid() && static_cast<std::uint64_t>(status.st_size) <= max_bytes_) {
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    if (read_all(file.number(), &bytes)) entry = read_entry(bytes, key);
  }
  if (entry.damaged) {
    count(kDamaged);
    folder.remove(name);
  } else if (entry.value) {
    futimens(file.number(), nullptr);  // its last use; the access time is not kept everywhere
  }
  return std::move(entry.value);
}

bool Store::write(const Folder& folder, const std::string& name, const std::string& entry) {
  const std::string temporary = temporary_name();
  File file(openat(folder.number(), temporary.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.ok()) return false;
  // Without fsync(): after a crash of the machine the checksum finds an incomplete entry.
  if (write_all(file.number(), entry) && file.close() &&
      renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  folder.remove(temporary);
  errno = error;
  return false;
}

void Store::put(const std::string& key, const Fields& value) noexcept try {
  const std::string entry = entry_of(key, value);
  if (entry.size() > max_bytes_ - max_bytes_ / 16 || exceeds_limit(entry.size())) {
    return note(Problem::too_large);
  }
  const Folder folder(this, true);
  if (!folder.usable()) return;
  if (!write(folder, name_of_entry(key), entry)) return fail(Problem::write_entry, errno);
  count(kStored);
  since_scan_ += entry.size();
  if (scanned_ && since_scan_ < max_bytes_ / 16) return;
  scanned_ = true;
  since_scan_ = 0;
  shrink(folder, max_bytes_ - max_bytes_ / 16);
} catch (const std::bad_alloc&) {
  fail(Problem::write_entry, ENOMEM);
}

void Store::shrink(const Folder& folder, std::uint64_t most) {
  struct Used {
    struct stat status;
    std::string name;
  };
  std::vector<Used> entries;
  std::uint64_t total = 0;
  const std::time_t now = std::time(nullptr);
  for (std::string& name : folder.names()) {
    struct stat status {};
    const bool temporary = is_temporary(name);
    if ((!temporary && !is_entry(name)) || !folder.stat_of(name, &status)) continue;
    const std::time_t age = now - status.st_mtim.tv_sec;
    if (temporary && (age > kAbandoned || age < -kAbandoned)) {
      folder.remove(name);
      continue;
    }
    total += static_cast<std::uint64_t>(status.st_size);
    if (!temporary) entries.push_back({status, std::move(name)});
  }
  std::sort(entries.begin(), entries.end(), [](const Used& a, const Used& b) {
    const timespec& x = a.status.st_mtim;
    const timespec& y = b.status.st_mtim;
    return x.tv_sec != y.tv_sec ? x.tv_sec < y.tv_sec : x.tv_nsec < y.tv_nsec;
  });
  for (const Used& entry : entries) {
    if (total <= most) return;
    struct stat status {};
    // Another process may have used or replaced it meanwhile.
    if (folder.stat_of(entry.name, &status) && !same_time(status, entry.status)) continue;
    if (folder.remove(entry.name)) count(kEvicted);
    total -= std::min(total, static_cast<std::uint64_t>(entry.status.st_size));
  }
}

void Store::clear() {
  if (!enabled()) return;
  const Folder folder(this, false);
  if (!folder.usable()) return;
  for (const std::string& name : folder.names()) {
    if (is_entry(name)) folder.remove(name);
  }
  shrink(folder, max_bytes_);  // abandoned temporary files; others are being written
}

}  // namespace anycuda::linker
