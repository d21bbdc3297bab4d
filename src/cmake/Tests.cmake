# Tests and benchmarks need packages that the program does not. By default they are built where
# those are, and what is left out is told; ./test.sh asks for them.
set(SCALESWEEP_TESTS AUTO CACHE STRING
    "The tests: AUTO (where their packages are), ON (fail without), OFF")
set(SCALESWEEP_BENCHMARKS AUTO CACHE STRING
    "The benchmarks, beside the tests: AUTO (where their package is), ON (fail without), OFF")
set_property(CACHE SCALESWEEP_TESTS SCALESWEEP_BENCHMARKS PROPERTY STRINGS AUTO ON OFF)

# scalesweep_decide(RESULT NAME CHOICE PACKAGE...): whether NAME is built.
macro(scalesweep_decide result name choice)
  set(${result} OFF)
  if("${choice}" STREQUAL "AUTO")
    set(missing)
    foreach(package ${ARGN})
      find_package(${package} CONFIG QUIET)
      if(NOT ${package}_FOUND)
        list(APPEND missing ${package})
      endif()
    endforeach()
    if(missing)
      list(JOIN missing " and " missing)
      message(STATUS "${name}: left out, because ${missing} cannot be found (./test.sh gets it)")
    else()
      set(${result} ON)
    endif()
  elseif(${choice})
    foreach(package ${ARGN})
      find_package(${package} CONFIG REQUIRED)
    endforeach()
    set(${result} ON)
  endif()
endmacro()

scalesweep_decide(SCALESWEEP_BUILD_TESTS Tests "${SCALESWEEP_TESTS}" GTest rapidcheck)
if(SCALESWEEP_BUILD_TESTS)
  scalesweep_decide(SCALESWEEP_BUILD_BENCHMARKS Benchmarks "${SCALESWEEP_BENCHMARKS}" benchmark)
endif()
