# scalesweep_add_layer(NAME SOURCES a.cpp ... DEPENDS layer ... [LIBRARIES target ...]
#   [APART a.cpp ...])
# One folder is one link target: the list of DEPENDS is the layer table of src/README.md, and
# tests/lint checks that includes follow it. NAME is the folder of the layer as includes write it;
# the target of analysis/words is scalesweep_analysis_words.
# With SCALESWEEP_UNITY, as in the presets release and asan, sources are compiled several at a time:
# half the seconds of a first build. Those APART have names of their own that others of the layer
# have too. The preset dev compiles each alone and finds an include that is missing.
# Sources of kinds of work stand in src/kinds (Kinds.cmake).

function(scalesweep_target_of layer result)
  string(REPLACE "/" "_" target "scalesweep_${layer}")
  set(${result} ${target} PARENT_SCOPE)
endfunction()

function(scalesweep_add_layer layer)
  scalesweep_target_of(${layer} target)
  cmake_parse_arguments(LAYER "" "" "SOURCES;DEPENDS;LIBRARIES;APART" ${ARGN})
  get_property(of_kinds GLOBAL PROPERTY "scalesweep_sources_of_${layer}")
  add_library(${target} STATIC ${LAYER_SOURCES} ${of_kinds})
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(${target} PUBLIC scalesweep_options)
  target_link_libraries(${target} PRIVATE scalesweep_hardened)
  foreach(used IN LISTS LAYER_DEPENDS)
    scalesweep_target_of(${used} used_target)
    target_link_libraries(${target} PUBLIC ${used_target})
  endforeach()
  target_link_libraries(${target} PUBLIC ${LAYER_LIBRARIES})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  scalesweep_compile_together(${target} ${layer} ${LAYER_APART})
endfunction()
