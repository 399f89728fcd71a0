# Third-party libraries. Each is used by exactly one module (docs/dependencies.md says which and why).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(kedge_system_library name)
  cmake_parse_arguments(arg "" "PKG" "LIBS;HEADERS" ${ARGN})
  add_library(kedge_dep_${name} INTERFACE)
  if(arg_PKG)
    pkg_check_modules(dep_${name} REQUIRED IMPORTED_TARGET ${arg_PKG})
    target_link_libraries(kedge_dep_${name} INTERFACE PkgConfig::dep_${name})
  endif()
  foreach(lib ${arg_LIBS})
    find_library(kedge_lib_${lib} NAMES ${lib} REQUIRED)
    target_link_libraries(kedge_dep_${name} INTERFACE ${kedge_lib_${lib}})
  endforeach()
endfunction()

kedge_system_library(fmt PKG fmt)
kedge_system_library(yaml PKG yaml-0.1)
kedge_system_library(crypto PKG libcrypto)
kedge_system_library(xxhash PKG libxxhash)
kedge_system_library(pg_query LIBS libpg_query.a protobuf-c xxhash)
kedge_system_library(sqlite PKG sqlite3)
kedge_system_library(git2 PKG libgit2)
kedge_system_library(httplib PKG cpp-httplib)

# DuckDB: headers only at build time; the shared library is opened on first use.
if(DuckDB_ROOT)
  set(kedge_duckdb_root ${DuckDB_ROOT})
else()
  set(kedge_duckdb_root ${CMAKE_SOURCE_DIR}/.deps/duckdb)
  if(NOT EXISTS ${kedge_duckdb_root})
    # A linked git worktree uses what the main checkout has fetched.
    execute_process(COMMAND git rev-parse --path-format=absolute --git-common-dir
                    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE kedge_git_folder
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(kedge_duckdb_root ${kedge_git_folder}/../.deps/duckdb)
  endif()
endif()
if(NOT EXISTS "${KEDGE_DUCKDB_INCLUDE}" OR NOT EXISTS "${KEDGE_DUCKDB_LIBRARY}")
  unset(KEDGE_DUCKDB_INCLUDE CACHE)
  unset(KEDGE_DUCKDB_LIBRARY CACHE)
endif()
find_path(KEDGE_DUCKDB_INCLUDE duckdb.h PATHS ${kedge_duckdb_root} ${kedge_duckdb_root}/include
          NO_DEFAULT_PATH)
find_file(KEDGE_DUCKDB_LIBRARY libduckdb.so PATHS ${kedge_duckdb_root} ${kedge_duckdb_root}/lib
          NO_DEFAULT_PATH)
if(KEDGE_WITH_DUCKDB AND NOT (KEDGE_DUCKDB_INCLUDE AND KEDGE_DUCKDB_LIBRARY))
  message(FATAL_ERROR "DuckDB not found in ${kedge_duckdb_root}: run scripts/setup or give -DDuckDB_ROOT=")
endif()

# Client libraries that are opened on first use: only their headers are needed to build.
function(kedge_header_library name pkg)
  pkg_check_modules(dep_${name} REQUIRED ${pkg})
  add_library(kedge_dep_${name} INTERFACE)
  target_include_directories(kedge_dep_${name} SYSTEM INTERFACE ${dep_${name}_INCLUDE_DIRS})
endfunction()
kedge_header_library(pq_headers libpq)
kedge_header_library(mariadb_headers libmariadb)
kedge_header_library(odbc_headers odbc)
add_library(kedge_dep_duckdb_headers INTERFACE)
target_include_directories(kedge_dep_duckdb_headers SYSTEM INTERFACE ${KEDGE_DUCKDB_INCLUDE})
