# The report is a page whose charts come from the npm registry. All of that is optional: where node
# or npm is missing, or the registry cannot be reached, the build goes on without it and says so.
set(SCALESWEEP_REPORT AUTO CACHE STRING
    "The HTML report: AUTO (where npm can get its parts), ON (fail without), OFF")
set_property(CACHE SCALESWEEP_REPORT PROPERTY STRINGS AUTO ON OFF)
find_program(SCALESWEEP_NODE NAMES node nodejs)
find_program(SCALESWEEP_NPM NAMES npm)

# Sets the variable `problem` to why node and npm cannot be used, empty if they can.
function(scalesweep_check_node problem)
  set(${problem} "" PARENT_SCOPE)
  if(NOT SCALESWEEP_NODE OR NOT SCALESWEEP_NPM)
    set(${problem} "node and npm are not on the PATH (Debian, Ubuntu: apt-get install npm)"
        PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND "${SCALESWEEP_NODE}" --version OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(NOT status EQUAL 0 OR version VERSION_LESS 18)
    set(${problem} "node is ${version}, and 18 or newer is needed" PARENT_SCOPE)
  endif()
endfunction()

# Installs what SOURCE/package-lock.json names into FOLDER/node_modules, once: later calls find it
# there and need no network. Sets the variable `problem` to what went wrong, empty if all is there.
function(scalesweep_npm_ci source folder problem)
  scalesweep_check_node(found)
  set(${problem} "${found}" PARENT_SCOPE)
  if(found)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}/package-lock.json")
  file(SHA256 "${source}/package-lock.json" wanted)
  set(stamp "${folder}/installed")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" installed)
    if(installed STREQUAL wanted)
      return()
    endif()
  endif()
  message(STATUS "Getting the npm packages of ${source}/package-lock.json")
  file(MAKE_DIRECTORY "${folder}")
  file(COPY "${source}/package.json" "${source}/package-lock.json" DESTINATION "${folder}")
  execute_process(
    COMMAND "${SCALESWEEP_NPM}" ci --ignore-scripts --no-audit --no-fund --prefer-offline
            --fetch-retries=1 --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=5000
            --fetch-timeout=20000
    WORKING_DIRECTORY "${folder}" TIMEOUT 180
    OUTPUT_FILE "${folder}/npm.log" ERROR_FILE "${folder}/npm.log" RESULT_VARIABLE status)
  if(status EQUAL 0)
    file(WRITE "${stamp}" "${wanted}")
  else()
    set(${problem} "npm could not get its packages (${status}; what it said is in \
${folder}/npm.log)" PARENT_SCOPE)
  endif()
endfunction()
