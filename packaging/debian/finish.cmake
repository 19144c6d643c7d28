# SPDX-License-Identifier: Apache-2.0

# Runs before cpack makes the packages: adds copyright, changelog and lintian overrides (with reasons) to each.
# Compresses manual pages, and moves zsh's completion to the folder of Debian's zsh. Removes the text of the licence,
# which several packages would have in one place. Writes the control file `symbols`.
foreach(package IN ITEMS libanycuda libanycuda-dev anycuda)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${package}/usr/share")
  set(documents "${root}/doc/${package}")
  file(CONFIGURE OUTPUT "${documents}/copyright" CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: anycuda

Files: *
Copyright: 2026 the authors of anycuda
License: Apache-2.0
 On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE "${documents}/changelog" "anycuda (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * Release.\n\n\
 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 1970 00:00:00 +0000\n")
  execute_process(COMMAND gzip -9nf "${documents}/changelog" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${root}/licenses")
  file(GLOB pages "${root}/man/man1/*.1")
  if(pages)
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  if(EXISTS "${root}/zsh/site-functions")
    file(RENAME "${root}/zsh/site-functions" "${root}/zsh/vendor-completions")
  endif()
  set(overrides "${CPACK_ANYCUDA_SOURCE_DIR}/packaging/debian/${package}.lintian-overrides")
  if(EXISTS "${overrides}")
    file(COPY_FILE "${overrides}" "${CPACK_TEMPORARY_DIRECTORY}/overrides")
    file(MAKE_DIRECTORY "${root}/lintian/overrides")
    file(RENAME "${CPACK_TEMPORARY_DIRECTORY}/overrides" "${root}/lintian/overrides/${package}")
  endif()
endforeach()
file(GLOB_RECURSE stubs "${CPACK_TEMPORARY_DIRECTORY}/libanycuda/usr/lib*_stub.so"
     "${CPACK_TEMPORARY_DIRECTORY}/libanycuda/usr/libanycuda_open_at_load.so")
execute_process(COMMAND "${CPACK_ANYCUDA_PYTHON}" -B "${CPACK_ANYCUDA_SOURCE_DIR}/packaging/debian/symbols.py"
                "${CPACK_ANYCUDA_SYMBOLS}" "${CPACK_PACKAGE_VERSION}" ${stubs} COMMAND_ERROR_IS_FATAL ANY)
