# bin/scalesweep and what it reads: the program finds share/scalesweep beside its bin folder.
install(TARGETS scalesweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY nodes sweeps slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/scalesweep
        PATTERN "nodes/calibration/*.py" EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES analysis/figures/figures.py DESTINATION ${CMAKE_INSTALL_DATADIR}/scalesweep)
install(FILES README.md LICENSE FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
