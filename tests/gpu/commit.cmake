# SPDX-License-Identifier: Apache-2.0

# cmake -DSOURCE=... -DOUT=... -P commit.cmake: which commit the bundle is of, for the log of run.py.
execute_process(COMMAND git -C "${SOURCE}" describe --always --abbrev=7 --dirty
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown, since git says nothing of the sources")
endif()
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${commit}\n")
