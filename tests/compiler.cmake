# Calls `compiler` for the tests of compilers.cmake. What is expected depends on `mode`:
#   precompile  the header `source` is precompiled, for the modes below
#   pass        `source` compiles without a warning
#   fail        `source` does not compile, with one error, which matches the expression in its first
#               line
#   alone       each header in the folder `source` compiles with nothing before it
#   whole       the header `source` does so with the definitions, whose order is another
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

# Compiles `header` behind a precompiled one that it includes, and that does not include it: nothing
# stands before it that it does not bring, if that one compiles alone, which is checked as well.
function (compile_alone header)
  all_included(${header} all)
  set(options)
  foreach (candidate IN LISTS before)
    if (candidate IN_LIST all)
      all_included(${candidate} brought)
      if (NOT header IN_LIST brought)
        precompiled(${candidate} file)
        set(options -include ${file})
        break()
      endif ()
    endif ()
  endforeach ()
  compile(-fsyntax-only ${options} -include ${include}/${header} -x c++ /dev/null)
  if (NOT status EQUAL 0)
    message(SEND_ERROR "${header} does not compile alone:\n${output}")
  endif ()
endfunction ()

# Compiles `source` behind the precompiled header, if there is one.
function (compile_source)
  set(options)
  if (before)
    precompiled(${before} file)
    set(options -include ${file})
  endif ()
  compile(-fsyntax-only ${options} ${source})
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
  compile_source()
  if (NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} does not compile it:\n${output}")
  endif ()
elseif (mode STREQUAL "whole")
  compile_alone(${source})
elseif (mode STREQUAL "alone")
  file(GLOB headers RELATIVE ${include} ${source}/*.hpp)
  foreach (header IN LISTS headers)
    compile_alone(${header})
  endforeach ()
else ()
  file(STRINGS ${source} first_line LIMIT_COUNT 1)
  string(REPLACE "// expect: " "" expected "${first_line}")
  compile_source()
  string(REGEX MATCHALL "error: " errors "${output}")
  list(LENGTH errors count)
  if (status EQUAL 0)
    message(FATAL_ERROR "${compiler} compiles it")
  elseif (NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${compiler} does not say \"${expected}\":\n${output}")
  elseif (NOT count EQUAL 1)
    message(FATAL_ERROR "${compiler} says it in ${count} errors instead of one:\n${output}")
  endif ()
endif ()
