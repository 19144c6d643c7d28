file(GLOB_RECURSE counts "${FOLDER}/*.gcda")
if(counts)
  file(REMOVE ${counts})
endif()
