// SPDX-License-Identifier: Apache-2.0

/* Executes a program under a seccomp filter:
     filtered NUMBERS PROGRAM ARGUMENT...
   NUMBERS are those of the permitted system calls, with commas between. The filter kills the
   process at every other call. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST_INSTRUCTIONS 1024

int main(int argc, char** argv) {
  struct sock_filter code[MOST_INSTRUCTIONS + 2];
  unsigned short count = 0;
  char* rest = argc > 2 ? argv[1] : "";
  code[count++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  while (*rest != '\0' && count < MOST_INSTRUCTIONS) {
    const unsigned number = (unsigned)strtoul(rest, &rest, 10);
    if (*rest == ',') ++rest;
    code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog filter = {count, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("no seccomp filter can be installed here");
    return 125;
  }
  execv(argv[2], argv + 2);
  return 127;
}
