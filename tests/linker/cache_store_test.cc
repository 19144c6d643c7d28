// SPDX-License-Identifier: Apache-2.0

// The cache's folder: entries, damage, limits, permissions, and several processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "linker/cache/store.h"
#include "linker/cache/through.h"

using namespace anycuda::linker;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class CacheStore : public testing::Test {
 protected:
  CacheStore() {
    std::string name = testing::TempDir() + "/cache-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~CacheStore() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Store store(std::uint64_t max_bytes = 1 << 20) { return Store({folder()}, max_bytes); }
  std::string folder() const { return root_ + "/a/b"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder())) found.push_back(file.path());
    return found;
  }
  fs::path only_file() const { return files().at(0); }
  static void age(const fs::path& file, int seconds) {
    const timespec times[2] = {{0, UTIME_OMIT}, {std::time(nullptr) - seconds, 0}};
    utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }

  std::string root_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// In a child process: its exit status, or minus the signal.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(CacheStore, FindsWhatWasPut) {
  Store first = store();
  EXPECT_FALSE(first.find("key"));
  EXPECT_EQ(first.counts().failures, 0U);  // the folder does not exist yet
  first.put("key", {"code", "log"});
  Store second = store();
  EXPECT_EQ(second.find("key"), (Fields{"code", "log"}));
  EXPECT_FALSE(second.find("other"));
  second.put("key", {"new"});
  EXPECT_EQ(first.find("key"), Fields{"new"});
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(first.counts().hits, 1U);
  EXPECT_EQ(first.counts().misses, 1U);
  EXPECT_EQ(first.counts().stored, 1U);
  EXPECT_EQ(first.problem(), "");
}

TEST_F(CacheStore, IsOnlyForThisUser) {
  const mode_t mask = umask(0);
  store().put("key", {"code"});
  umask(mask);
  for (const std::string& path : {root_ + "/a", folder()}) {
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << path;
  }
  EXPECT_EQ(fs::status(only_file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CacheStore, FolderOfOthersIsNotUsed) {
  Store store = this->store();
  store.put("key", {"code"});
  const auto unused = [&](const char* how) {
    const std::uint64_t before = store.counts().failures;
    EXPECT_FALSE(store.find("key")) << how;
    store.put("key", {"code"});
    EXPECT_EQ(store.counts().failures, before + 2) << how;
    EXPECT_THAT(store.problem(), HasSubstr("belongs to another user, or others may write")) << how;
  };
  for (const mode_t mode : {0770, 0702, 0777, 01777}) {
    chmod(folder().c_str(), mode);
    unused(std::to_string(mode).c_str());
  }
  chmod(folder().c_str(), 0755);
  EXPECT_TRUE(store.find("key"));
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a folder away";
  ASSERT_EQ(chown(folder().c_str(), 12345, 0), 0);
  unused("owner");
  ASSERT_EQ(chown(folder().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(only_file().c_str(), 12345, 0), 0);
  EXPECT_FALSE(store.find("key"));
}

TEST_F(CacheStore, DamagedEntriesAreMadeAgain) {
  Store store = this->store();
  store.put("key", {"code"});
  const std::string good = text_of(only_file());
  const fs::path path = only_file();
  std::string changed = good;
  changed.back() = 'x';
  unsigned damaged = 0;
  for (const std::string& bad : {std::string(), std::string("x"), good.substr(0, 20),
                                 good.substr(0, good.size() - 1), changed, good + "x"}) {
    write(path, bad);
    EXPECT_FALSE(store.find("key"));
    EXPECT_EQ(store.counts().damaged, ++damaged);
    EXPECT_FALSE(fs::exists(path));
    store.put("key", {"code"});
    EXPECT_TRUE(store.find("key"));
  }
  truncate(path.c_str(), off_t{1} << 40);  // larger than the cache may be
  EXPECT_FALSE(store.find("key"));
}

TEST_F(CacheStore, LinksPipesAndFoldersAreNoEntries) {
  Store store = this->store();
  store.put("key", {"code"});
  const fs::path path = only_file();
  const fs::path mine = root_ + "/mine";
  fs::rename(path, mine);
  fs::create_symlink(mine, path);
  EXPECT_FALSE(store.find("key"));
  store.put("key", {"code"});
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  EXPECT_TRUE(fs::exists(mine));
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(store.find("key"));
  fs::create_directory(path);
  EXPECT_FALSE(store.find("key"));
  store.put("key", {"code"});
  EXPECT_THAT(store.problem(), HasSubstr("cannot be written"));
  EXPECT_EQ(files().size(), 1U);  // no temporary file is left
  fs::remove(path);
  store.put("key", {"code"});
  EXPECT_TRUE(store.find("key"));
}

TEST_F(CacheStore, FolderThatIsALinkOrAFileIsNotUsed) {
  fs::create_directories(root_ + "/real");
  fs::create_directory(root_ + "/a");
  fs::create_directory_symlink(root_ + "/real", folder());
  Store store = this->store();
  store.put("key", {"code"});
  EXPECT_THAT(store.problem(), HasSubstr("cannot be opened or created"));
  EXPECT_TRUE(fs::is_empty(root_ + "/real"));
  fs::remove_all(root_ + "/a");
  write(root_ + "/a", "");
  store.put("key", {"code"});
  EXPECT_FALSE(store.find("key"));
  EXPECT_THAT(store.problem(), HasSubstr("Not a directory"));
  EXPECT_EQ(store.counts().failures, 3U);
}

TEST_F(CacheStore, RemovedFolderIsMadeAgain) {
  Store store = this->store();
  store.put("key", {"code"});
  fs::remove_all(root_ + "/a");
  EXPECT_FALSE(store.find("key"));
  store.put("key", {"code"});
  EXPECT_TRUE(store.find("key"));
}

TEST_F(CacheStore, LeastRecentlyUsedEntriesAreRemoved) {
  const Fields value = {std::string(2000, 'x')};
  Store store = this->store(6000);
  store.put("a", value);
  age(only_file(), 100);
  const fs::path a = only_file();
  store.put("b", value);
  for (const fs::path& file : files()) {
    if (file != a) age(file, 90);
  }
  EXPECT_TRUE(store.find("a"));  // older than "b", and used now
  store.put("c", value);
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
  EXPECT_TRUE(store.find("c"));
  EXPECT_EQ(store.counts().evicted, 1U);
}

TEST_F(CacheStore, StaysWithinItsSize) {
  Store store = this->store(20000);
  for (int i = 0; i < 200; ++i) store.put(std::to_string(i), {std::string(500, 'x')});
  std::uintmax_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, 20000U);
  EXPECT_GE(total, 15000U);
  EXPECT_TRUE(store.find("199"));
  EXPECT_FALSE(store.find("0"));
  store.put("large", {std::string(19000, 'x')});
  EXPECT_THAT(store.problem(), HasSubstr("too large"));
  EXPECT_FALSE(store.find("large"));
  EXPECT_TRUE(store.find("199"));
}

TEST_F(CacheStore, AbandonedTemporaryFilesAreRemoved) {
  store().put("key", {"code"});
  write(folder() + "/.writing-1-2.3-4", std::string(100, 'x'));
  write(folder() + "/.writing-5-6.7-8", std::string(100, 'x'));
  write(folder() + "/notes.txt", "of the user");
  age(folder() + "/.writing-1-2.3-4", 4000);
  age(folder() + "/notes.txt", 4000);
  store().put("key", {"code"});
  EXPECT_FALSE(fs::exists(folder() + "/.writing-1-2.3-4"));
  EXPECT_TRUE(fs::exists(folder() + "/.writing-5-6.7-8"));
  Store store = this->store();
  store.clear();
  EXPECT_TRUE(fs::exists(folder() + "/.writing-5-6.7-8"));  // another process writes it
  EXPECT_TRUE(fs::exists(folder() + "/notes.txt"));
  EXPECT_FALSE(store.find("key"));
}

TEST_F(CacheStore, LimitOfFileSizesIsNoError) {
  EXPECT_EQ(in_child([this] {
              const rlimit limit = {1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              Store store = this->store();
              store.put("key", {std::string(5000, 'x')});
              store.put("small", {"code"});
              return store.counts().stored == 1 && store.find("small") ? 0 : 1;
            }),
            0);
}

TEST_F(CacheStore, FullDiskIsNoError) {
  const int status = in_child([this] {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (mount("none", root_.c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) return 77;
    Store store = this->store();
    store.put("small", {"code"});
    store.put("key", {std::string(100000, 'x')});
    if (store.counts().stored != 1 || store.counts().failures != 1) return 1;
    if (store.problem().find("No space left") == std::string::npos) return 2;
    if (files().size() != 1 || !store.find("small")) return 3;
    // Without room for the folder, too.
    fs::remove_all(root_ + "/a");
    if (mount("none", root_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k") != 0) return 77;
    store.put("small", {"code"});
    return store.problem().find("Read-only") != std::string::npos ? 0 : 4;
  });
  if (status == 77) GTEST_SKIP() << "only root may mount a file system here";
  EXPECT_EQ(status, 0);
}

// Each value names its key; a value of another key, or half of one, would be found out.
std::string value_for(int key) {
  return std::string(static_cast<std::size_t>(key) * 97 % 3000 + 1,
                     static_cast<char>('a' + key % 26));
}

bool use(Store* store, unsigned seed, int times) {
  for (int i = 0; i < times; ++i) {
    const int key = rand_r(&seed) % 40;
    const std::string name = "key " + std::to_string(key);
    const std::optional<Fields> found = store->find(name);
    if (found && *found != Fields{value_for(key)}) return false;
    if (!found) store->put(name, {value_for(key)});
  }
  return store->counts().damaged == 0;
}

TEST_F(CacheStore, SeveralProcessesAndThreads) {
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 4; ++child) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Store store = this->store(20000);
    bool good = true;
    std::thread other([&] { good = use(&store, 100 + child, 500); });
    const bool mine = use(&store, child, 500);
    other.join();
    _exit(good && mine ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::uintmax_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, 20000U + 4 * (20000U / 16 + 3100U));
}

TEST_F(CacheStore, KilledProcessesLeaveWholeEntries) {
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Store store = this->store(20000);
      use(&store, static_cast<unsigned>(i), 1 << 30);
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 137 * i));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "a wrong value, or damage";
  }
  Store store = this->store(20000);
  EXPECT_TRUE(use(&store, 1000, 200));
}

TEST_F(CacheStore, ResultOfChangedInputsIsNotStored) {
  Store store = this->store();
  int asked = 0;
  const auto changing = [&] { return Key{std::to_string(++asked)}; };
  EXPECT_EQ(through(&store, changing, [] { return Fields{"code"}; }), Fields{"code"});
  EXPECT_EQ(store.counts().stored, 0U);
  EXPECT_THAT(store.problem(), HasSubstr("changed meanwhile"));
  const auto fixed = [] { return Key{"key"}; };
  EXPECT_THROW(through(&store, fixed, []() -> Fields { throw std::runtime_error("wrong"); }),
               std::runtime_error);
  EXPECT_EQ(store.counts().stored, 0U);
  EXPECT_EQ(through(&store, fixed, [] { return Fields{"code"}; }), Fields{"code"});
  EXPECT_EQ(through(&store, fixed, [] { return Fields{"not made"}; }), Fields{"code"});
}

TEST_F(CacheStore, ForkedChildGoesOn) {
  Store store = this->store();
  store.put("key", {"code"});
  EXPECT_EQ(in_child([&] {
              store.put("of the child", {"code"});
              return store.find("key") ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(store.find("of the child"));
}

}  // namespace
