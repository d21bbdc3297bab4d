# scalesweep_add_test(NAME SOURCES a.cpp ... LIBRARIES layer ... [LABELS l ...] [TIMEOUT s]
#   [PARTS n] [SANITIZED_DRAWS n] [APART a.cpp ...])
# One GoogleTest program, found by CTest as one test, or as NAME, NAME_2, ... where it is long and
# may run beside itself in so many PARTS; labels are the folder names of tests/, and those that
# tests/README.md has beside them. With SCALESWEEP_UNITY several sources are compiled at a time, as
# those of layers (AddLayer.cmake): most of what a test costs the compiler is headers. Those APART
# have names of their own that others of the program have too.
include(GoogleTest)

set(lsan_suppressions "${PROJECT_SOURCE_DIR}/tests/support/lsan.supp")
# The leak checker guesses the extent of thread-local memory of loaded libraries from the words in
# front of it, wherever it begins 16 bytes into a page; with today's glibc other things stand there,
# and the checker crashes ("Tracer caught signal 11"). Open MPI loads dozens of libraries, so now
# and then one is met. Without the guess, what only such memory points to would count as leaked.
set(asan_options "intercept_tls_get_addr=0")
set(lsan_options "suppressions=${lsan_suppressions}:print_suppressions=0")
set(SCALESWEEP_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_mpi_yield_when_idle=1
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=sm,pt2pt
  OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo
  # An OpenCL driver that hwloc loads into mpirun would keep SIGUSR1 from the ranks (findings/).
  HWLOC_COMPONENTS=-opencl
  # Of hundreds of tests those are said that fail: a log that is cut in the middle shows them.
  GTEST_BRIEF=1
  "LSAN_OPTIONS=${lsan_options}"
  "ASAN_OPTIONS=${asan_options}"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "SCALESWEEP_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "SCALESWEEP_BINARY_DIR=${PROJECT_BINARY_DIR}")
# Of processes that start Open MPI: what it keeps is told by names that only the slow way up the
# stack finds, which takes nine times as long with every allocation.
set(SCALESWEEP_MPI_TEST_ENVIRONMENT ${SCALESWEEP_TEST_ENVIRONMENT}
  "LSAN_OPTIONS=${lsan_options}:fast_unwind_on_malloc=0")

# scalesweep_test_program(NAME LABEL...): a program that tests with these labels need, so that
# ./test.sh builds what it runs; scalesweep itself is always built.
function(scalesweep_test_program name)
  list(JOIN ARGN " " labels)
  set_property(GLOBAL APPEND PROPERTY SCALESWEEP_TEST_PROGRAMS "${name} ${labels}\n")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endfunction()

function(scalesweep_add_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;PARTS;SANITIZED_DRAWS"
                        "SOURCES;LIBRARIES;LABELS;APART" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(SCALESWEEP_SANITIZE)
    math(EXPR TEST_TIMEOUT "5 * ${TEST_TIMEOUT}")  # sanitizers slow a test down by up to that
  endif()
  get_property(of_kinds GLOBAL PROPERTY "scalesweep_sources_of_${name}")
  add_executable(${name} ${TEST_SOURCES} ${of_kinds})
  scalesweep_compile_together(${name} ${name} ${TEST_APART})
  foreach(layer IN LISTS TEST_LIBRARIES)
    scalesweep_target_of(${layer} target)
    if(TARGET ${target})
      target_link_libraries(${name} PRIVATE ${target})
    else()
      target_link_libraries(${name} PRIVATE ${layer})
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE scalesweep_options GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # What is tested is optimised as the build says; the tests themselves prove nothing faster.
  target_compile_options(${name} PRIVATE -O0)
  scalesweep_test_program(${name} ${TEST_LABELS})
  if(NOT TEST_PARTS)
    set(TEST_PARTS 1)
  endif()
  if(NOT TEST_SANITIZED_DRAWS)
    set(TEST_SANITIZED_DRAWS 25)
  endif()
  foreach(part RANGE 1 ${TEST_PARTS})
    set(test ${name})
    if(part GREATER 1)
      string(APPEND test "_${part}")
    endif()
    math(EXPR index "${part} - 1")
    add_test(NAME ${test} COMMAND ${name})
    set_tests_properties(${test} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT})
    set_property(TEST ${test} PROPERTY ENVIRONMENT "${SCALESWEEP_TEST_ENVIRONMENT}"
      GTEST_TOTAL_SHARDS=${TEST_PARTS} GTEST_SHARD_INDEX=${index})
    if(SCALESWEEP_SANITIZE AND "property" IN_LIST TEST_LABELS)
      # Memory errors show within few cases; all of them are drawn in a build without sanitizers.
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
        RC_PARAMS=max_success=${TEST_SANITIZED_DRAWS})
    endif()
  endforeach()
endfunction()
