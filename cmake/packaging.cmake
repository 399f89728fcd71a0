# cmake --install, the library for find_package(kedge), CPack (.deb and .tar.gz).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One shared library of every module below the surfaces; its users need only include/kedge.
option(KEDGE_LIBRARY "Build libkedge.so for find_package(kedge)" OFF)
if(KEDGE_LIBRARY)
  add_library(kedge_library SHARED ${CMAKE_SOURCE_DIR}/cmake/library.cpp)
  set_target_properties(kedge_library PROPERTIES OUTPUT_NAME kedge EXPORT_NAME kedge
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(kedge_library INTERFACE cxx_std_20)
  # kedge/codes.h reads the registry's own tables, which lie below src/ in the tree.
  target_include_directories(kedge_library INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kedge>)
  target_link_libraries(kedge_library PRIVATE $<BUILD_INTERFACE:kedge_flags>)
  foreach(module ${KEDGE_MODULES})
    if(module MATCHES "^(cli|server|report)$" OR NOT EXISTS ${CMAKE_SOURCE_DIR}/src/${module}/CMakeLists.txt)
      continue()
    endif()
    kedge_target_name(${module} target)
    list(APPEND kedge_library_modules ${target})
  endforeach()
  # Whole, also where one module names another: nothing in the library itself asks for their symbols.
  list(JOIN kedge_library_modules "," whole)
  set_target_properties(kedge_library PROPERTIES LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}")
  target_link_libraries(kedge_library PRIVATE "$<BUILD_INTERFACE:${kedge_library_modules}>")
  install(TARGETS kedge_library EXPORT kedgeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT kedgeTargets NAMESPACE kedge:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kedge)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/kedge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/base/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kedge/base
    FILES_MATCHING PATTERN "*.def")
  file(WRITE ${CMAKE_BINARY_DIR}/kedgeConfig.cmake
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/kedgeTargets.cmake\")\n")
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/kedgeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/kedgeConfig.cmake ${CMAKE_BINARY_DIR}/kedgeConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kedge)
endif()

# The program finds libduckdb.so in ../lib/kedge.
if(KEDGE_WITH_DUCKDB)
  install(FILES ${KEDGE_DUCKDB_LIBRARY} DESTINATION lib/kedge)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN "node_modules" EXCLUDE PATTERN ".kedge" EXCLUDE PATTERN "data" EXCLUDE)

# Man pages and completions come from the program's own command table.
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/generated/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/generated
    COMMAND kedge reference --man ${CMAKE_BINARY_DIR}/generated/man
    COMMAND kedge completion bash > ${CMAKE_BINARY_DIR}/generated/kedge.bash
    COMMAND kedge completion zsh > ${CMAKE_BINARY_DIR}/generated/_kedge
    COMMAND kedge completion fish > ${CMAKE_BINARY_DIR}/generated/kedge.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/generated/stamp
    DEPENDS kedge)
  add_custom_target(kedge_generated DEPENDS ${CMAKE_BINARY_DIR}/generated/stamp)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set_target_properties(kedge_generated PROPERTIES EXCLUDE_FROM_ALL OFF)
    add_custom_target(kedge_packaged ALL DEPENDS kedge_generated)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${CMAKE_BINARY_DIR}/generated/kedge.bash
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kedge)
    install(FILES ${CMAKE_BINARY_DIR}/generated/_kedge
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
    install(FILES ${CMAKE_BINARY_DIR}/generated/kedge.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

set(CPACK_PACKAGE_NAME kedge)
set(CPACK_PACKAGE_VENDOR "kedge")
set(CPACK_PACKAGE_CONTACT "the kedge maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds where declared data and real data have drifted apart")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libpq5, libmariadb3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libodbc2, postgresql")
set(CPACK_DEBIAN_PACKAGE_SECTION database)
include(CPack)
