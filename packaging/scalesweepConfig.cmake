# find_package(scalesweep) gives scalesweep::scalesweep, the library with its C interface.
include("${CMAKE_CURRENT_LIST_DIR}/scalesweepTargets.cmake")
