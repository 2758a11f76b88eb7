# Calls `compiler` for the tests of compilers.cmake. What is expected depends on `mode`:
#   pass   `source` compiles without a warning
#   fail   `source` does not compile, with one error, which matches the expression in its first line
#   alone  each header in the folder `source` compiles with nothing before it

if (NOT compiler)
  message("skipped: no compiler of this kind is installed (g++ 12 or newer, clang 16 or newer)")
  return()
endif ()

function (compile file)
  execute_process(COMMAND ${compiler} -std=c++20 -fsyntax-only -fdiagnostics-color=never
                          -DSINTER_COMPILED -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                          -I ${include} ${ARGN} ${file}
                  RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_VARIABLE output)
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction ()

if (mode STREQUAL "pass")
  compile(${source})
  if (NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} does not compile it:\n${output}")
  endif ()
elseif (mode STREQUAL "alone")
  file(GLOB headers ${source}/*.hpp)
  foreach (header IN LISTS headers)
    compile(/dev/null -include ${header} -x c++)
    if (NOT status EQUAL 0)
      message(SEND_ERROR "${header} does not compile alone:\n${output}")
    endif ()
  endforeach ()
else ()
  file(STRINGS ${source} first_line LIMIT_COUNT 1)
  string(REPLACE "// expect: " "" expected "${first_line}")
  compile(${source})
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
