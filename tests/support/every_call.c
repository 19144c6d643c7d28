// SPDX-License-Identifier: Apache-2.0

// Calls functions of one library by name and prints what each call gave (python/call_client.py).
//
//   every_call apart|together [<library>]
//
// apart: each call in a process of its own. <library>: that file's functions; else those of NAMES,
// a header with one NAME(<function>) for each, which the program is linked with.
//
// Requests are lines of the standard input,
//   <function> <kind of the result> <pointers> [<object>...]
// and so are the answers, with a tab and the result. All arguments are zero. <pointers> is a
// hexadecimal number: where bit n is set, the argument in the n-th place for integers points at
// zeroed memory instead, and the result has what the call wrote there. An object,
//   <place>=<creator>:<pointers>:<out>
// is what the creator, called first, wrote at the memory of its place <out>.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  kPlaces = 40,
  kApart = 1 << 16,
  kShown = 4096,
  kWords = 6,
  kSeconds = 60,
  kText = 4000,
  kObjects = 8,
  kName = 200,
  kLine = 4000
};

typedef struct {
  int place;
  void* creator;
  uint64_t pointers;
  int out;
} Object;

typedef struct {
  void* function;
  char kind;
  uint64_t pointers;
  int objects;
  Object object[kObjects];
} Request;

typedef struct {
  float re, im;
} FloatComplex;

typedef struct {
  double re, im;
} DoubleComplex;

#ifdef NAMES
#define NAME(function) extern char function[];
#include NAMES
#undef NAME
#define NAME(function) {#function, function},
static const struct {
  const char* name;
  void* function;
} kNames[] = {
#include NAMES
};
#undef NAME
#endif

static long argument[kPlaces];
static char memory[kPlaces][kApart] __attribute__((aligned(4096)));

static void* find(void* library, const char* name) {
  if (library) return dlsym(library, name);
#ifdef NAMES
  for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (strcmp(kNames[i].name, name) == 0) return kNames[i].function;
  }
#endif
  return NULL;
}

// Addresses differ from process to process.
static const char* word_text(uint64_t word, char* text) {
  if (word >> 32 && word >> 47 == 0) return "address";
  sprintf(text, "%llx", (unsigned long long)word);
  return text;
}

// What the call wrote: "3+16=2a" is 42 at byte 16 of the memory of place 3; of more words only a
// sum.
static char* append_written(char* out, uint64_t pointers) {
  unsigned words = 0;
  uint64_t sum = 0;
  for (int place = 0; place < kPlaces; ++place) {
    if (!(pointers >> place & 1)) continue;
    for (int at = 0; at < kShown; at += 8) {
      uint64_t word;
      char text[20];
      memcpy(&word, memory[place] + at, sizeof word);
      if (word == 0) continue;
      const char* shown = word_text(word, text);
      if (++words <= kWords) {
        out += sprintf(out, " %d+%d=%s", place, at, shown);
      } else {
        for (; *shown; ++shown) sum = sum * 31 + (unsigned char)*shown;
      }
    }
  }
  if (words > kWords)
    out += sprintf(out, " and %u words of sum %llx", words - kWords, (unsigned long long)sum);
  return out;
}

// One argument for each register and place on the stack: no function takes more.
#define A(n) argument[n]
#define ARGUMENTS                                                                                \
  0, 0, 0, 0, 0, 0, 0, 0, A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10),     \
      A(11), A(12), A(13), A(14), A(15), A(16), A(17), A(18), A(19), A(20), A(21), A(22), A(23), \
      A(24), A(25), A(26), A(27), A(28), A(29), A(30), A(31), A(32), A(33), A(34), A(35), A(36), \
      A(37), A(38), A(39)
#define CALL(type)                                                                              \
  ((type(*)(double, double, double, double, double, double, double, double, long, long, long,   \
            long, long, long, long, long, long, long, long, long, long, long, long, long, long, \
            long, long, long, long, long, long, long, long, long, long, long, long, long, long, \
            long, long, long, long, long, long, long, long, long))function)(ARGUMENTS)

static void point(uint64_t pointers) {
  for (int place = 0; place < kPlaces; ++place) {
    argument[place] = pointers >> place & 1 ? (long)memory[place] : 0;
  }
}

static void create(const Request* request) {
  long made[kObjects];
  for (int i = 0; i < request->objects; ++i) {
    const Object* object = &request->object[i];
    void* function = object->creator;
    point(object->pointers);
    CALL(int);
    memcpy(&made[i], memory[object->out], sizeof made[i]);
    memset(memory, 0, sizeof memory);
  }
  point(request->pointers);
  for (int i = 0; i < request->objects; ++i) argument[request->object[i].place] = made[i];
}

static void call(const Request* request, char* out) {
  void* function = request->function;
  create(request);
  switch (request->kind) {
    case 'i':
      out += sprintf(out, "%d", CALL(int));
      break;
    case 'l':
      out += sprintf(out, "%ld", CALL(long));
      break;
    case 'f':
      out += sprintf(out, "%a", CALL(float));
      break;
    case 'd':
      out += sprintf(out, "%a", CALL(double));
      break;
    case 'c': {
      const FloatComplex value = CALL(FloatComplex);
      out += sprintf(out, "%a %a", value.re, value.im);
      break;
    }
    case 'z': {
      const DoubleComplex value = CALL(DoubleComplex);
      out += sprintf(out, "%a %a", value.re, value.im);
      break;
    }
    case 's': {
      const char* text = CALL(const char*);
      out += snprintf(out, kText / 2, "%s", text ? text : "null");
      break;
    }
    case 'p':
      out += sprintf(out, "%s", CALL(void*) ? "pointer" : "null");
      break;
    default:
      CALL(void);
      out += sprintf(out, "returned");
  }
  append_written(out, request->pointers);
}

// `answer` is shared with the child, which sets its last byte when the call has returned.
static void call_apart(const Request* request, char* answer) {
  answer[kText - 1] = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
    char text[kText] = "";
    alarm(kSeconds);
    call(request, text);
    memcpy(answer, text, sizeof text);
    answer[kText - 1] = 1;
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGALRM) {
      sprintf(answer, "hangs");
    } else {
      sprintf(answer, "signal %d", WTERMSIG(status));
    }
  } else if (answer[kText - 1] == 0) {
    sprintf(answer, "exits with %d", WEXITSTATUS(status));
  }
}

// What follows the function's name in a line.
static int read_request(char* words, void* library, Request* request) {
  unsigned long long pointers;
  int used;
  if (sscanf(words, " %c %llx%n", &request->kind, &pointers, &used) != 2) return 0;
  request->pointers = pointers;
  request->objects = 0;
  for (char* word = strtok(words + used, " "); word; word = strtok(NULL, " ")) {
    Object* object = &request->object[request->objects];
    char creator[kName];
    if (request->objects++ == kObjects || sscanf(word, "%d=%199[^:]:%llx:%d", &object->place,
                                                 creator, &pointers, &object->out) != 4) {
      return 0;
    }
    object->pointers = pointers;
    object->creator = find(library, creator);
    if (!object->creator) return 0;
  }
  return 1;
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const int apart = strcmp(arguments[1], "apart") == 0;
  void* library = NULL;
  if (count > 2 && !(library = dlopen(arguments[2], RTLD_NOW))) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  char* answer = mmap(NULL, kText, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int loaded = 0;
  char line[kLine];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s\t", line);
    Request request;
    char* words = line + strcspn(line, " ");
    if (*words) *words++ = 0;
    if (!read_request(words, library, &request)) {
      fprintf(stderr, "not a request: %s %s\n", line, words);
      return 1;
    }
    request.function = find(library, line);
    if (!request.function) {
      sprintf(answer, "no such function");
    } else if (apart) {
      call_apart(&request, answer);
      // The first call that returns is made here too, so that the stub loads the library once and
      // not for each child.
      if (!loaded && answer[kText - 1]) {
        char text[kText];
        call(&request, text);
        memset(memory, 0, sizeof memory);
        loaded = 1;
      }
    } else {
      call(&request, answer);
    }
    printf("%s\n", answer);
  }
  return 0;
}
