# Writes core/version.cpp at every build, and only touches it when something changed. The estimator
# hash covers the sources that decide what an estimate is, so that a changed model never continues
# an old study.
set(SCALESWEEP_VERSION_SOURCE "${PROJECT_BINARY_DIR}/generated/version.cpp")
set(version_arguments
  "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "-DOUTPUT=${SCALESWEEP_VERSION_SOURCE}"
  "-DPROJECT_VERSION=${PROJECT_VERSION}"
  "-DCMAKE_CXX_COMPILER_ID=${CMAKE_CXX_COMPILER_ID}"
  "-DCMAKE_CXX_COMPILER_VERSION=${CMAKE_CXX_COMPILER_VERSION}"
  "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
  -P "${PROJECT_SOURCE_DIR}/src/cmake/WriteVersion.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" ${version_arguments} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(scalesweep_version
  COMMAND "${CMAKE_COMMAND}" ${version_arguments}
  BYPRODUCTS "${SCALESWEEP_VERSION_SOURCE}"
  COMMENT "Checking version and estimator hash"
  VERBATIM)
