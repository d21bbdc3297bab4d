# bin/scalesweep, the library and what they read: both find share/scalesweep from where they lie
# (core/host/installation), so that the tree may be moved. What a Debian package is: Package.cmake.
set(SCALESWEEP_INSTALL_PYTHONDIR "lib/python3/dist-packages" CACHE STRING
    "Where the Python package goes, below the prefix; Debian's Python looks there below /usr")
set(packaging "${PROJECT_SOURCE_DIR}/packaging")
set(cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/scalesweep")
set(data_folder "${CMAKE_INSTALL_DATADIR}/scalesweep")

install(TARGETS scalesweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY nodes sweeps slurm DESTINATION ${data_folder}
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY analysis/figures/ DESTINATION ${data_folder}/analysis FILES_MATCHING
        PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE FORMAT.md ${SCALESWEEP_LICENCE_FILES}
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The library, for programs in C by pkg-config or CMake, and for Python.
install(TARGETS libscalesweep EXPORT scalesweepTargets LIBRARY
        DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/library/include/scalesweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT scalesweepTargets NAMESPACE scalesweep:: DESTINATION ${cmake_folder})
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/scalesweepConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES ${packaging}/scalesweepConfig.cmake
        "${PROJECT_BINARY_DIR}/scalesweepConfigVersion.cmake" DESTINATION ${cmake_folder})
set(pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH prefix_from_pc "/prefix/${pc_folder}" "/prefix")
configure_file(${packaging}/scalesweep.pc.in "${PROJECT_BINARY_DIR}/scalesweep.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/scalesweep.pc" DESTINATION ${pc_folder})
install(DIRECTORY "${SCALESWEEP_PYTHON_PACKAGE}" DESTINATION ${SCALESWEEP_INSTALL_PYTHONDIR}
        FILES_MATCHING PATTERN "*.py" PATTERN lib EXCLUDE)
install(DIRECTORY python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES python/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/python)

configure_file(${packaging}/modulefile.in "${PROJECT_BINARY_DIR}/modulefile" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/modulefile" RENAME "${PROJECT_VERSION}"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/scalesweep)

# Manual pages and completions, as the installed program itself writes them.
install(CODE "
  set(program \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/scalesweep\")
  set(data \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  execute_process(COMMAND \${program} help --man \"\${data}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(place bash:bash-completion/completions/scalesweep zsh:zsh/site-functions/_scalesweep
          fish:fish/vendor_completions.d/scalesweep.fish)
    string(REPLACE : \";\" place \${place})
    list(GET place 0 shell)
    list(GET place 1 file)
    execute_process(COMMAND \${program} completion \${shell} OUTPUT_VARIABLE script
                    COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\${data}/\${file}\" \"\${script}\")
  endforeach()")
