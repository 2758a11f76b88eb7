# Calls `compiler` for the tests of compilers.cmake. What is expected depends on `mode`:
#   precompile  the header `source` is precompiled, for the modes below
#   pass        `source` compiles without a warning
#   fail        each of the programs `source` does not compile, with one error, which matches the
#               expression in its first line (compile_fail/together.cmake)
#   alone       each header below the folder `source` compiles with nothing before it
#   whole       the header `source` does so with the definitions, whose order is another
#   implementation  the headers `source` compile, one after the other, with SINTER_IMPLEMENTATION
# A line "// options: ..." of a `source` adds options; so does `flags`, for all.
# `before` lists precompiled headers; what is checked may be compiled behind the first that fits.

cmake_minimum_required(VERSION 3.25)

if (NOT compiler)
  message("skipped: no compiler of this kind is installed (g++ 12 or newer, clang 16 or newer)")
  return()
endif ()

function (compile)
  set(form -DSINTER_COMPILED)
  if (mode STREQUAL "whole")
    set(form)
  elseif (mode STREQUAL "implementation")
    list(APPEND form -DSINTER_IMPLEMENTATION)
  endif ()
  execute_process(COMMAND ${compiler} -std=c++20 -fdiagnostics-color=never
                          ${form} -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                          -I ${include} ${ARGN}
                  RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_VARIABLE output)
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction ()

# The file that stands for `header` where it is precompiled.
function (precompiled header result)
  string(REPLACE "/" "_" name ${header})
  set(${result} ${directory}/${name} PARENT_SCOPE)
endfunction ()

# The headers of sinter that `header` includes, and that those include.
function (all_included header result)
  set(all)
  set(open ${header})
  while (open)
    list(POP_BACK open name)
    get_property(names GLOBAL PROPERTY included_by_${name})
    if (NOT names)
      file(STRINGS ${include}/${name} names REGEX "^#include <sinter/.*\\.hpp>")
      list(TRANSFORM names REPLACE "#include <(.*)>.*" "\\1")
      set_property(GLOBAL PROPERTY included_by_${name} "${names}")
    endif ()
    list(REMOVE_ITEM names ${all})
    list(APPEND all ${names})
    list(APPEND open ${names})
  endwhile ()
  set(${result} "${all}" PARENT_SCOPE)
endfunction ()

# Whether `header` brings `other`, and is not brought by it: behind `other` alone, nothing stands
# before it that it does not bring.
function (brings header other result)
  all_included(${header} all)
  all_included(${other} brought)
  if (other IN_LIST all AND NOT header IN_LIST brought)
    set(${result} TRUE PARENT_SCOPE)
  else ()
    set(${result} FALSE PARENT_SCOPE)
  endif ()
endfunction ()

# Compiles headers of which each brings those before it, behind a precompiled one that the first
# brings: each has to compile alone, if that one does, which is checked as well.
function (compile_alone first)
  set(options)
  foreach (candidate IN LISTS before)
    brings(${first} ${candidate} fits)
    if (fits)
      precompiled(${candidate} file)
      set(options -include ${file})
      break()
    endif ()
  endforeach ()
  foreach (header IN LISTS first ARGN)
    list(APPEND options -include ${include}/${header})
  endforeach ()
  compile(-fsyntax-only ${options} -x c++ /dev/null)
  if (NOT status EQUAL 0)
    list(JOIN ARGN ", " then)
    message(SEND_ERROR "does not compile alone: ${first} ${then}\n${output}")
  endif ()
endfunction ()

# Compiles each of `headers` alone: those that bring each other, one behind the other, at once.
function (compile_each_alone headers)
  set(sized)
  foreach (header IN LISTS headers)
    all_included(${header} all)
    list(LENGTH all count)
    math(EXPR count "${count} + 1000")
    list(APPEND sized "${count} ${header}")
  endforeach ()
  list(SORT sized)
  list(TRANSFORM sized REPLACE ".* " "")
  set(lasts)
  foreach (header IN LISTS sized)
    set(chain ${header})
    list(REVERSE lasts)
    foreach (last IN LISTS lasts)
      brings(${header} ${last} fits)
      if (fits)
        set(chain ${chain_${last}} ${header})
        list(REMOVE_ITEM lasts ${last})
        break()
      endif ()
    endforeach ()
    list(REVERSE lasts)
    list(APPEND lasts ${header})
    set(chain_${header} ${chain})
  endforeach ()
  foreach (last IN LISTS lasts)
    compile_alone(${chain_${last}})
  endforeach ()
endfunction ()

# Compiles `source` behind the precompiled header, if there is one, with options.
function (compile_source source)
  file(STRINGS ${source} options LIMIT_COUNT 1 REGEX "^// options: ")
  string(REPLACE "// options: " "" options "${options}")
  separate_arguments(options)
  if (before AND NOT options)  # with which it was not precompiled
    precompiled(${before} file)
    list(APPEND options -include ${file})
  endif ()
  compile(-fsyntax-only ${options} ${flags} ${ARGN} ${source})
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction ()

if (mode STREQUAL "precompile")
  precompiled(${source} file)
  file(WRITE ${file} "#include <${source}>\n")
  compile(-x c++-header ${file} -o ${file}.gch)
  if (NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} does not compile ${source}:\n${output}")
  endif ()
elseif (mode STREQUAL "pass")
  compile_source(${source})
  if (NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} does not compile it:\n${output}")
  endif ()
elseif (mode MATCHES "^(whole|implementation)$")
  compile_alone(${source})
elseif (mode STREQUAL "alone")
  file(GLOB_RECURSE headers RELATIVE ${include} ${source}/*.hpp)
  compile_each_alone("${headers}")
else ()
  include(${CMAKE_CURRENT_LIST_DIR}/compile_fail/together.cmake)
  check_together("${source}")
endif ()
