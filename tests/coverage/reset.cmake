# SPDX-License-Identifier: Apache-2.0
file(GLOB_RECURSE counts "${FOLDER}/*.gcda")
if(counts)
  file(REMOVE ${counts})
endif()
