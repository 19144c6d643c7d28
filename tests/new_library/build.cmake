# SPDX-License-Identifier: Apache-2.0

# The programs, the stub and its drop-in, from nothing.
file(REMOVE_RECURSE "${FOLDER}/build")
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -C "${FOLDER}/settings.cmake"
                        -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${FOLDER}/build"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/build" --parallel 2 --target all dropin_cudss_12
                COMMAND_ERROR_IS_FATAL ANY)
