# SPDX-License-Identifier: Apache-2.0

# The C++ tests, built for aarch64, on this machine: qemu starts each, with the variables named here and no others. The
# process helper (tests/support/process.cc) starts with it the programs that a test runs.
find_program(ANYCUDA_QEMU NAMES qemu-aarch64 qemu-aarch64-static DOC "User emulation of aarch64")
set(ANYCUDA_SYSROOT /usr/aarch64-linux-gnu CACHE PATH "Where the C library for aarch64 is")
if(NOT ANYCUDA_QEMU)
  message(FATAL_ERROR "The tests on aarch64 need qemu-aarch64: install it (Debian package qemu-user)")
endif()
# The CPU with branch target identification and pointer authentication, of a kind that costs the emulator less.
set(ANYCUDA_EMULATOR "${ANYCUDA_QEMU}" -cpu max,pauth-impdef=on -L "${ANYCUDA_SYSROOT}")
set(ANYCUDA_WORLD_LAUNCHER /usr/bin/env -i "HOME=${ANYCUDA_WORLD}/home" "PATH=${ANYCUDA_WORLD_PATH}" LANG=C.UTF-8
    "ANYCUDA_CACHE=${ANYCUDA_CACHE_FOLDER}" ${ANYCUDA_EMULATOR})

# As in World.cmake, without variables of a test.
function(anycuda_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;CONFIGURATION" "COMMAND;ENVIRONMENT;LABELS")
  list(POP_FRONT ARG_COMMAND program)
  add_test(NAME "${ARG_NAME}" COMMAND ${ANYCUDA_WORLD_LAUNCHER} "$<TARGET_FILE:${program}>"
           "--gtest_filter=${ANYCUDA_TEST_FILTER}" ${ARG_COMMAND})
  set_tests_properties("${ARG_NAME}" PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

# Debian has no built GoogleTest for aarch64 here.
set(INSTALL_GTEST OFF CACHE BOOL "")
add_subdirectory("${ANYCUDA_ARTIFACT_googletest}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)

# What does not run here (README.md says why), as GoogleTest's filter.
set(ANYCUDA_NOT_EMULATED
    # The machines of these tests are x86-64: its folders, its toolkits, its mark in ld.so's cache.
    DriverOn.LeftOverFileBesideItIsNotTaken
    DriverOn.EveryLookUpQueriesAgain
    DriverOn.OneThatAnswersWithAnErrorIsReported
    DriverOn.OtherFoldersAreSearchedAfterTheDistributions
    DriverOn.MissingAndFailingAreDifferentStates
    DriverOn.WithoutAVersion_IsAFailure
    DriverOn.CachesComesBeforeAllOthersForAllNumbers
    DriverOn.InvalidFirst_NextIsTaken
    DriverOn.TheStubForLinkingIsPassedOver
    LdCache.APathThatNoFileCanHaveIsPassedOver
    LdCache.CountsAndOffsetsThatLieAreNotFollowed
    LdCache.TheNewFormatIsFoundBehindTheOldOne
    LdCache.TheNewFormatIsRead
    LdCache.TheRootStandsBeforeEveryPath
    Gather.TheSystemHasItsFoldersAndEveryInstalledToolkit
    Gather.ToolkitVariablesNameToolkits
    # The limits of memory hold for the emulator, and its own locks may be held where a program forks.
    Environment.IsReadInPlaceWithoutMemoryForACopy
    Registration.InLockedMemory_LocksOnlyUsedPages
    Shortage.OfMemoryIsNamedAndTheNextCallSearchesAgain
    Failing.TakeNoLockThatAForkedChildWaitsFor)
list(JOIN ANYCUDA_NOT_EMULATED ":" ANYCUDA_TEST_FILTER)
set(ANYCUDA_TEST_FILTER "-${ANYCUDA_TEST_FILTER}")
