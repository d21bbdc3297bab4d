# bin/scalesweep and what it reads: the program finds share/scalesweep beside its bin folder.
install(TARGETS scalesweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY nodes sweeps slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/scalesweep
        PATTERN __pycache__ EXCLUDE)
install(FILES analysis/figures/figures.py DESTINATION ${CMAKE_INSTALL_DATADIR}/scalesweep)
install(FILES README.md LICENSE FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

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
