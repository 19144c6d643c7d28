# SPDX-License-Identifier: Apache-2.0

# Debian packages by cpack: libanycuda (for running programs), libanycuda-dev (for building them), anycuda (the
# command). For a distribution's folders configure with -DCMAKE_INSTALL_PREFIX=/usr.
set(ANYCUDA_MAINTAINER "anycuda <anycuda@example.org>" CACHE STRING "Whom the Debian packages name as maintainer")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME anycuda)
set(CPACK_PACKAGE_CONTACT "${ANYCUDA_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_COMPONENTS_ALL runtime dev compat linker graph command)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_RUNTIME_GROUP libanycuda)
set(CPACK_COMPONENT_DEV_GROUP libanycuda-dev)
set(CPACK_COMPONENT_COMPAT_GROUP libanycuda-dev)
set(CPACK_COMPONENT_LINKER_GROUP libanycuda-dev)
set(CPACK_COMPONENT_GRAPH_GROUP libanycuda-dev)
set(CPACK_COMPONENT_COMMAND_GROUP anycuda)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_STRIP_FILES ON)
set(ANYCUDA_THIS_RELEASE "(= ${PROJECT_VERSION})")
set(about "Programs linked with these stub libraries in place of NVIDIA's run on\n\
every CUDA from 11 to 13, whichever they were built for, and start\nwithout CUDA, too.")
set(CPACK_DEBIAN_LIBANYCUDA_DESCRIPTION "one CUDA binary for CUDA 11, 12 and 13 (stub libraries)\n${about}")
set(CPACK_DEBIAN_LIBANYCUDA-DEV_DESCRIPTION "one CUDA binary for CUDA 11, 12 and 13 (development files)\n${about}\n\
This package has what programs are linked with: by CMake, pkg-config or hand.")
set(CPACK_DEBIAN_ANYCUDA_DESCRIPTION "one CUDA binary for CUDA 11, 12 and 13 (command)\n${about}\n\
This package has the command that says what runs where, and why not.")

set(CPACK_DEBIAN_LIBANYCUDA_PACKAGE_NAME libanycuda)
set(CPACK_DEBIAN_LIBANYCUDA_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBANYCUDA_PACKAGE_SHLIBDEPS ON)
set(CPACK_ANYCUDA_SYMBOLS "${PROJECT_BINARY_DIR}/debian/symbols")
set(CPACK_DEBIAN_LIBANYCUDA_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/debian/triggers;${CPACK_ANYCUDA_SYMBOLS}")
set(CPACK_DEBIAN_LIBANYCUDA-DEV_PACKAGE_NAME libanycuda-dev)
set(CPACK_DEBIAN_LIBANYCUDA-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBANYCUDA-DEV_PACKAGE_DEPENDS "libanycuda ${ANYCUDA_THIS_RELEASE}")
set(CPACK_DEBIAN_ANYCUDA_PACKAGE_NAME anycuda)
set(CPACK_DEBIAN_ANYCUDA_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_ANYCUDA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ANYCUDA_PACKAGE_DEPENDS "libanycuda ${ANYCUDA_THIS_RELEASE}, python3 (>= 3.9)")

# Files that only Debian packages need.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian/finish.cmake")
set(CPACK_ANYCUDA_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_ANYCUDA_PYTHON "${Python3_EXECUTABLE}")
include(CPack)
cpack_add_component_group(libanycuda)
cpack_add_component_group(libanycuda-dev)
cpack_add_component_group(anycuda)
