// SPDX-License-Identifier: Apache-2.0

// A thread is cancelled before its first call, which opens files, takes memory and may write a
// message: that call comes to its end, the next cancellation point ends the thread, and its
// destructors run.
#include <dirent.h>
#include <pthread.h>

#include <cstdio>

#include "runtime.h"

namespace {

struct Story {
  int status = -1;
  int count = 0;
  bool returned = false;
  bool unwound = false;
};

void* make_first_call(void* argument) {
  auto* story = static_cast<Story*>(argument);
  struct Destructor {
    Story* story;
    ~Destructor() { story->unwound = true; }
  };
  const Destructor destructor{story};
  pthread_cancel(pthread_self());
  story->status = cudaGetDeviceCount(&story->count);
  story->returned = true;
  pthread_testcancel();
  return nullptr;
}

int open_files() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder != nullptr && readdir(folder) != nullptr) ++count;
  if (folder != nullptr) closedir(folder);
  return count;
}

}  // namespace

int main() {
  Story story;
  const int before = open_files();
  pthread_t thread;
  void* result = nullptr;
  pthread_create(&thread, nullptr, make_first_call, &story);
  pthread_join(thread, &result);
  std::printf("returned %d, status %d:%d, cancelled %d, unwound %d, files left open %d\n",
              story.returned, story.status, story.count, result == PTHREAD_CANCELED, story.unwound,
              open_files() - before);
  return 0;
}
