// SPDX-License-Identifier: Apache-2.0

// The types of <sys/socket.h>, and of the headers that it includes, that cufile.h uses.
#pragma once
typedef long ssize_t;
typedef long off_t;
typedef long loff_t;
struct timespec {
  long tv_sec;
  long tv_nsec;
};
struct sockaddr {
  unsigned short sa_family;
  char sa_data[14];
};
