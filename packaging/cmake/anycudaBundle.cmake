# SPDX-License-Identifier: Apache-2.0

# anycuda_bundle(<target> [DESTINATION <folder>] [STUBS <folder>] [COMPONENT <component>]
#                [LICENSE <folder> | NO_LICENSE])
#
# Copies the stubs that a program, shared library or module (a Python extension) needs to its folder, and makes it
# search there: in the build folder after each link, and in the installation. Also installs anycuda's licence, which the
# licence asks of those who pass the stubs on.
#   DESTINATION  the destination in install(TARGETS); default: CMAKE_INSTALL_BINDIR for a program, else
#                CMAKE_INSTALL_LIBDIR
#   STUBS        the stubs' folder relative to the target, such as ../lib; default: the target's folder
#   COMPONENT    the component of the installation
#   LICENSE      the folder of the installed licence; default: CMAKE_INSTALL_DATAROOTDIR/licenses/anycuda, in a wheel that
#                scikit-build-core makes the wheel's .dist-info/licenses/anycuda
#   NO_LICENSE   no licence is installed: the project does so itself

function(anycuda_bundle target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_LICENSE" "DESTINATION;STUBS;COMPONENT;LICENSE" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES OR (arg_LICENSE AND arg_NO_LICENSE))
    message(FATAL_ERROR "anycuda_bundle(${ARGV}): expected [DESTINATION <folder>] [STUBS <folder>] [COMPONENT <name>] "
                        "[LICENSE <folder> | NO_LICENSE]")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "anycuda_bundle: target '${target}' does not exist: call it after add_executable or add_library")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "anycuda_bundle: '${target}' is not a program, shared library or module: bundle the target that "
                        "links it")
  endif()
  if(IS_ABSOLUTE "${arg_STUBS}")
    message(FATAL_ERROR "anycuda_bundle: STUBS ${arg_STUBS} is an absolute path: make it relative to the target's folder")
  endif()
  include(GNUInstallDirs)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/anycudaBundleCopy.cmake")
  if(NOT arg_DESTINATION)
    set(arg_DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    if(type STREQUAL "EXECUTABLE")
      set(arg_DESTINATION "${CMAKE_INSTALL_BINDIR}")
    endif()
  endif()
  set(beside)
  if(arg_STUBS)
    set(beside "/${arg_STUBS}")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "$ORIGIN${beside}")
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "$ORIGIN${beside}")
  # In the build folder and out of the source tree alike, the stubs lie together: beside one of them.
  if(TARGET cudart_stub)
    set(from "$<TARGET_FILE_DIR:cudart_stub>")
  else()
    set(from "${anycuda_LIBRARY_DIR}")
  endif()
  # The shared libraries that the target links (_anycuda_list_shared_libraries): a warning names those that need stubs.
  set_property(TARGET ${target} PROPERTY ANYCUDA_BUNDLED TRUE)
  set(others "$<GENEX_EVAL:$<TARGET_PROPERTY:${target},ANYCUDA_LINKED_LIBRARIES>>")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DFILE=$<TARGET_FILE:${target}>" "-DFROM=${from}"
            "-DTO=$<TARGET_FILE_DIR:${target}>${beside}" "-DTARGET=${target}" "-DOTHERS=${others}" -P "${script}"
    COMMENT "The stubs of ${target}" VERBATIM)
  set(license) # in the installed CMake package, in the source tree, in the wheel
  foreach(folder IN ITEMS "" "/../.." "/../../..")
    if(NOT arg_NO_LICENSE AND NOT license AND EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}${folder}/LICENSE")
      set(license "${CMAKE_CURRENT_FUNCTION_LIST_DIR}${folder}/LICENSE")
    endif()
  endforeach()
  if(NOT arg_LICENSE AND SKBUILD_METADATA_DIR)
    set(arg_LICENSE "${SKBUILD_METADATA_DIR}/licenses/anycuda")
  elseif(NOT arg_LICENSE)
    set(arg_LICENSE "${CMAKE_INSTALL_DATAROOTDIR}/licenses/anycuda")
  endif()
  set(component)
  if(arg_COMPONENT)
    set(component COMPONENT "${arg_COMPONENT}")
  endif()
  install(CODE "
    set(FILE \"$<TARGET_FILE:${target}>\")
    set(FROM \"${from}\")
    set(TO \"${arg_DESTINATION}${beside}\")
    set(LICENSE \"${license}\")
    set(LICENSE_TO \"${arg_LICENSE}\")
    foreach(folder IN ITEMS TO LICENSE_TO)
      if(NOT IS_ABSOLUTE \"\${\${folder}}\")
        string(PREPEND \${folder} \"\${CMAKE_INSTALL_PREFIX}/\")
      endif()
    endforeach()
    set(TARGET \"${target}\")
    set(OTHERS \"${others}\")
    set(INSTALLING TRUE)
    include(\"${script}\")" ${component})
endfunction()

# For anycuda_bundle's warning: ANYCUDA_LINKED_LIBRARIES, the project's shared libraries that a target links, directly or
# through others, as <target>=<file>.
function(_anycuda_list_shared_libraries target)
  set(queue ${target})
  set(seen)
  set(found)
  while(queue)
    list(POP_FRONT queue current)
    get_target_property(imported ${current} IMPORTED)
    if(current IN_LIST seen OR imported)
      continue()
    endif()
    list(APPEND seen ${current})
    get_target_property(type ${current} TYPE)
    if(type STREQUAL "SHARED_LIBRARY" AND NOT current STREQUAL target)
      list(APPEND found "${current}=$<TARGET_FILE:${current}>")
    endif()
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(items ${current} ${property})
      string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*" names "${items}")
      foreach(name IN LISTS names)
        if(TARGET "${name}" AND NOT name MATCHES "^anycuda::")
          get_target_property(aliased ${name} ALIASED_TARGET)
          if(aliased)
            set(name ${aliased})
          endif()
          list(APPEND queue ${name})
        endif()
      endforeach()
    endforeach()
  endwhile()
  set_property(TARGET ${target} PROPERTY ANYCUDA_LINKED_LIBRARIES "${found}")
endfunction()
