# `cpack -G DEB` in the build folder: one Debian package of what is installed. The libraries that it
# depends on are those that the program is linked with, as dpkg-shlibdeps finds them; it recommends
# what packages.txt marks at=run.
file(STRINGS "${PROJECT_SOURCE_DIR}/packages.txt" lines REGEX "^[^#].* at=run")
set(recommended)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[^ ]+" name "${line}")
  list(APPEND recommended "${name}")
endforeach()
list(JOIN recommended ", " recommended)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scalesweep)
set(CPACK_PACKAGE_CONTACT "scalesweep developers <developers@scalesweep.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "estimates training and serving of large models")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Which combination of model, parallelism, logic node, memory and network
trains or serves a large language model best? An analytical model evaluates
millions of configurations, on one machine or with MPI on a cluster, and
writes one HDF5 file; analysis makes frontiers, bottlenecks, figures and a
report of it. With a C library and a Python package.")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-pandas")
# What is packed is what was built: not all that a build for tests has.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)
