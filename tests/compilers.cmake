# What is checked by calling a compiler: programs that must not compile, and that everything else
# does so without warnings. Both compilers are asked, whichever of them builds the tests.

find_program(SINTER_GCC NAMES g++-12 g++ DOC "The g++ of compile_fail and warnings tests")
find_program(SINTER_CLANG NAMES clang++-16 clang++-17 clang++-18 clang++-19 clang++-20 clang++
             DOC "The clang++ of compile_fail and warnings tests")

# sinter_compiler_test(<name> <label> <mode> <compiler> <source> [<before>...]): one run of
# compiler.cmake, with the options in the variable `flags`. What several of them parse is precompiled
# once for each compiler, by a fixture.
function (sinter_compiler_test name label mode compiler source)
  string(MD5 key "${compiler}")
  set(directory ${PROJECT_BINARY_DIR}/tests/precompiled/${key})
  file(MAKE_DIRECTORY ${directory})
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} -D mode=${mode} -D compiler=${compiler} -D "source=${source}"
                   -D include=${PROJECT_SOURCE_DIR}/include -D directory=${directory} -D "flags=${flags}"
                   -D "before=${ARGN}" -P ${PROJECT_SOURCE_DIR}/tests/compiler.cmake)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 600
                       SKIP_REGULAR_EXPRESSION "skipped: ")
  if (mode STREQUAL "precompile")
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP precompiled)
  elseif (ARGN)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED precompiled)
  endif ()
endfunction ()

# Precompiled for programs of users, which may include all of sinter or a part.
sinter_compiler_test(precompile.sinter.gcc setup precompile "${SINTER_GCC}" sinter/sinter.hpp)
sinter_compiler_test(precompile.sinter.clang setup precompile "${SINTER_CLANG}" sinter/sinter.hpp)

# Precompiled for the headers that include them, the largest first.
set(hubs)
foreach (name IN ITEMS trace/ops/typed/tensor trace/module/walk trace/core/tensor schedule/ir/kernel
                       graph/graph)
  list(APPEND hubs sinter/${name}.hpp)
  string(REPLACE "/" "." test precompile.${name})
  sinter_compiler_test(${test} setup precompile ${CMAKE_CXX_COMPILER} sinter/${name}.hpp)
endforeach ()

# sinter_compile_fail(<name>...): <name>.cpp must not compile, and the one error must match the
# expression in its first line, "// expect: <expression>". A test asks this of some twenty programs.
function (sinter_compile_fail)
  set(number 0)
  while (ARGN)
    math(EXPR number "${number} + 1")
    list(SUBLIST ARGN 0 20 group)
    list(REMOVE_ITEM ARGN ${group})
    list(TRANSFORM group REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/compile_fail/\\1.cpp")
    sinter_compiler_test(compile_fail.gcc.${number} compile_fail fail "${SINTER_GCC}" "${group}"
                         sinter/sinter.hpp)
    sinter_compiler_test(compile_fail.clang.${number} compile_fail fail "${SINTER_CLANG}" "${group}"
                         sinter/sinter.hpp)
  endwhile ()
endfunction ()

# sinter_compile_pass(<name>...): <name>.cpp compiles without a warning. With a line "// test: deep",
# only `./tests/run --deep` asks.
function (sinter_compile_pass)
  foreach (name IN LISTS ARGN)
    set(source ${PROJECT_SOURCE_DIR}/tests/compile_pass/${name}.cpp)
    set(label compile_fail)
    file(STRINGS ${source} is_deep LIMIT_COUNT 1 REGEX "^// test: deep")
    if (is_deep)
      list(APPEND label deep)
    endif ()
    sinter_compiler_test(compile_pass.${name}.gcc "${label}" pass "${SINTER_GCC}" ${source})
    sinter_compiler_test(compile_pass.${name}.clang "${label}" pass "${SINTER_CLANG}" ${source})
  endforeach ()
endfunction ()

# sinter_warnings_test(<name> <source> [<before>]): <source>, which is part of the build, compiles
# with every warning an error, behind the header <before>. Where the build says so already, only the
# other compiler is asked.
function (sinter_warnings_test name source)
  if (NOT (SINTER_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
    sinter_compiler_test(warnings.${name}.gcc warnings pass "${SINTER_GCC}" ${source} ${ARGN})
  endif ()
  if (NOT (SINTER_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
    sinter_compiler_test(warnings.${name}.clang warnings pass "${SINTER_CLANG}" ${source} ${ARGN})
  endif ()
endfunction ()

# Every benchmark compiles: they are programs of users that the build of the tests leaves out.
function (sinter_bench_tests)
  set(flags -I ${PROJECT_SOURCE_DIR}/bench)
  foreach (place IN ITEMS BENCH DATA INCLUDE)
    list(APPEND flags "-DSINTER_${place}_DIR=\"\"")
  endforeach ()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*/main.cpp)
  foreach (source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    sinter_compiler_test(bench.program.${name} "bench;deep" pass "${SINTER_GCC}" ${source}
                         sinter/sinter.hpp)
  endforeach ()
endfunction ()

# sinter_implementation_tests(<headers>...): a program's own source of sinter compiles, which defines
# SINTER_IMPLEMENTATION and includes only these public headers, "a,b", in this order. That of
# sinter.hpp and models.hpp is warnings.implementation.
function (sinter_implementation_tests)
  foreach (headers IN LISTS ARGN)
    string(REPLACE "," ";" list ${headers})
    list(TRANSFORM list REPLACE "(.+)" "sinter/\\1.hpp")
    string(REPLACE "," "_" name ${headers})
    sinter_compiler_test(headers.implementation.${name} "headers;deep" implementation
                         ${CMAKE_CXX_COMPILER} "${list}")
  endforeach ()
endfunction ()

# sinter_headers_tests(<folder>...): every header below the folder compiles with nothing before it.
function (sinter_headers_tests)
  foreach (folder IN LISTS ARGN)
    sinter_compiler_test(headers.${folder} "headers;deep" alone ${CMAKE_CXX_COMPILER}
                         ${PROJECT_SOURCE_DIR}/include/sinter/${folder} ${hubs})
  endforeach ()
endfunction ()

# sinter_whole_header_tests(<header>...): the header compiles with nothing before it where it brings
# the definitions. Each costs as much as all of sinter: a few that begin elsewhere stand for all.
function (sinter_whole_header_tests)
  foreach (header IN LISTS ARGN)
    string(REPLACE "/" "." name ${header})
    sinter_compiler_test(headers.whole.${name} "headers;deep" whole ${CMAKE_CXX_COMPILER}
                         sinter/${header}.hpp)
  endforeach ()
endfunction ()
