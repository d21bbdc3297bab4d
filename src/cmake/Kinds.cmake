# A kind of work lies in the folders of several layers, and names its sources of all of them in one
# file, src/kinds/NAME.cmake:
#   scalesweep_kind_sources(study a.cpp ... [APART b.cpp ...])
# of a layer or of a test program, from its folder. scalesweep_add_layer and scalesweep_add_test
# take them.
function(scalesweep_kind_sources target)
  cmake_parse_arguments(KIND "" "" "APART" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY "scalesweep_sources_of_${target}"
    ${KIND_UNPARSED_ARGUMENTS} ${KIND_APART})
  set_property(GLOBAL APPEND PROPERTY "scalesweep_apart_of_${target}" ${KIND_APART})
endfunction()

# scalesweep_compile_together(TARGET NAME a.cpp ...): with SCALESWEEP_UNITY several sources of a
# target at a time, but for those given and those that kinds have APART under NAME.
function(scalesweep_compile_together target name)
  get_property(apart_of_kinds GLOBAL PROPERTY "scalesweep_apart_of_${name}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SCALESWEEP_UNITY})
  set_source_files_properties(${ARGN} ${apart_of_kinds}
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

file(GLOB kinds CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kinds/*.cmake")
foreach(kind IN LISTS kinds)
  include("${kind}")
endforeach()
