# scalesweep_add_layer(NAME SOURCES a.cpp ... DEPENDS layer ... [LIBRARIES target ...])
# One folder is one link target: the list of DEPENDS is the layer table of src/README.md, and
# tests/lint checks that includes follow it.
function(scalesweep_add_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(scalesweep_${name} STATIC ${LAYER_SOURCES})
  add_library(scalesweep::${name} ALIAS scalesweep_${name})
  target_include_directories(scalesweep_${name} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(scalesweep_${name} PUBLIC scalesweep_options)
  foreach(layer IN LISTS LAYER_DEPENDS)
    target_link_libraries(scalesweep_${name} PUBLIC scalesweep_${layer})
  endforeach()
  target_link_libraries(scalesweep_${name} PUBLIC ${LAYER_LIBRARIES})
  set_target_properties(scalesweep_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                                      VISIBILITY_INLINES_HIDDEN ON)
endfunction()
