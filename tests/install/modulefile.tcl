# Reads a modulefile as Environment Modules would and prints what it does to paths.
#   modulefile.tcl MODULEFILE
set ModulesCurrentModulefile [file normalize [lindex $argv 0]]
proc module-whatis {text} {}
proc conflict {name} {}
proc prepend-path {name value} { puts "$name $value" }
source $ModulesCurrentModulefile
