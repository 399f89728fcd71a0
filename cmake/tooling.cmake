# Compiler flags, ccache and a fast linker where they are found.
add_library(kedge_flags INTERFACE)
target_compile_options(kedge_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch-enum -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives inside std::variant and std::string at -O2.
  target_compile_options(kedge_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
target_include_directories(kedge_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(kedge_flags INTERFACE KEDGE_VERSION="${PROJECT_VERSION}")

if(KEDGE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(KEDGE_FUZZ)
  # Coverage of the libraries is what guides a fuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(KEDGE_CCACHE ccache)
if(KEDGE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KEDGE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KEDGE_CCACHE})
endif()
find_program(KEDGE_MOLD mold)
find_program(KEDGE_LLD ld.lld)
if(KEDGE_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(KEDGE_LLD)
  add_link_options(-fuse-ld=lld)
endif()
