// SPDX-License-Identifier: Apache-2.0

// cufile.h uses nothing of <arpa/inet.h> but what <sys/socket.h> has.
#pragma once
#include <sys/socket.h>
