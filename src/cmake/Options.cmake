# Flags shared by every target, carried by one interface library.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# What is built is linked as it is installed: CMake's own run path of a build tree ends in an empty
# entry, which the loader takes for the current folder, before the system's. One is left only for
# folders of packages that the loader does not look into by itself (Spack's, /opt), all absolute
# (Dependencies.cmake). tests/install/binaries_test.py looks at every program and library.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

add_library(scalesweep_options INTERFACE)
target_compile_features(scalesweep_options INTERFACE cxx_std_20)
target_compile_options(scalesweep_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wdouble-promotion -Wformat=2
  $<$<BOOL:${SCALESWEEP_WERROR}>:-Werror>)
# GCC 12 raises these about its own library once it optimises (GCC bugs 105651 and 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(scalesweep_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(SCALESWEEP_UNITY)
  # Of sources that do not know each other; builds without have these warnings.
  target_compile_options(scalesweep_options INTERFACE
    -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
# The same inputs must give the same bits on every build: no contraction, no fast-math.
target_compile_options(scalesweep_options INTERFACE -ffp-contract=off)
target_compile_definitions(scalesweep_options INTERFACE
  $<$<BOOL:${SCALESWEEP_CONTRACTS}>:SCALESWEEP_CONTRACTS=1>)
# All that calls is resolved at the start, and cannot be written to after it.
target_link_options(scalesweep_options INTERFACE LINKER:-z,relro LINKER:-z,now)
# Of all layers (AddLayer.cmake) and the program: guards behind arrays on the stack, and calls of
# the C library that know how large what they write to is. Both want optimisation, and sanitizers
# see more than either.
add_library(scalesweep_hardened INTERFACE)
if(NOT SCALESWEEP_SANITIZE AND NOT SCALESWEEP_FUZZ)
  target_compile_options(scalesweep_hardened INTERFACE -fstack-protector-strong
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
if(SCALESWEEP_SANITIZE)
  # GCC warns of what cannot be in code that it instrumented and optimised; the release build, where
  # these are errors, sees the same code without.
  target_compile_options(scalesweep_options INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-null-dereference)
  target_compile_options(scalesweep_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(scalesweep_options INTERFACE -fsanitize=address,undefined)
endif()
if(SCALESWEEP_FUZZ)
  # Conversions of numbers too large for their type are undefined, and part of no group of clang's.
  set(fuzz_sanitizers -fsanitize=address,undefined,float-cast-overflow
                      -fno-sanitize-recover=undefined,float-cast-overflow)
  target_compile_options(scalesweep_options INTERFACE
    ${fuzz_sanitizers} -fsanitize=fuzzer-no-link -fno-omit-frame-pointer)
  target_link_options(scalesweep_options INTERFACE ${fuzz_sanitizers})
endif()
