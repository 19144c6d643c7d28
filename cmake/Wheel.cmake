# SPDX-License-Identifier: Apache-2.0

# Component wheel: the command's installed files, at their places in the wheel. The prefix is the Python package,
# site-packages/anycuda; pyproject.toml installs its Python files.
set(made "${PROJECT_BINARY_DIR}/wheel")
set(static)
set(archives)
if(ANYCUDA_STATIC)
  set(static static=lib/anycuda/static)
  get_property(linkable GLOBAL PROPERTY ANYCUDA_LINKABLE)
  foreach(row IN LISTS linkable) # cudart:libcudart.so:11:12:13
    string(REPLACE ":" ";" majors "${row}")
    list(POP_FRONT majors library file)
    list(TRANSFORM majors PREPEND static_${library}_)
    list(APPEND archives ${majors})
  endforeach()
  get_property(plain GLOBAL PROPERTY ANYCUDA_PLAIN)
  list(TRANSFORM plain REPLACE "^(.*):.*:(.*)$" "static_\\1_\\2") # cuda:libcuda.so:1
  list(APPEND archives ${plain})
endif()
anycuda_installation_file("${made}/installation.json" stubs=lib dropins=lib/anycuda/dropin link=lib/anycuda/link
  ${static} tools=lib/anycuda cmake=lib/cmake/anycuda pkgconfig=lib/pkgconfig include=include)
install(FILES "${made}/installation.json" "${PROJECT_BINARY_DIR}/share/anycuda/matrix.json" "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION . COMPONENT wheel)
add_custom_target(anycuda_wheel DEPENDS anycuda_stubs anycuda_dropins anycuda_link_libraries
  ${archives} doctor matrix)
install(TARGETS anycuda_doctor anycuda_doctor_native anycuda_find anycuda_device_code_program LIBRARY DESTINATION lib/anycuda COMPONENT wheel
        RUNTIME DESTINATION lib/anycuda COMPONENT wheel)
if(SKBUILD_DATA_DIR) # pip installs it below sys.prefix
  install(DIRECTORY "${PROJECT_BINARY_DIR}/share/pages/" DESTINATION "${SKBUILD_DATA_DIR}/share" COMPONENT wheel
          PATTERN made EXCLUDE)
endif()
