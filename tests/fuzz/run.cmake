# Builds the fuzzer `name` with `compiler`, a clang, and has it try `runs` inputs that it makes of
# the files of the folder `corpus`. What it finds is written to `directory`: the input that breaks,
# for instance. Most of the time is that of the compilation: nothing is optimised.

set(flags -std=c++20 -O0 -gline-tables-only
          -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
          -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I ${include} -pthread)
set(fuzzer ${directory}/${name}_fuzz)
file(MAKE_DIRECTORY ${directory}/${name}_corpus)

file(WRITE ${directory}/empty_fuzz.cpp
     "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
if (compiler)
  execute_process(COMMAND ${compiler} ${flags} ${directory}/empty_fuzz.cpp -o ${directory}/empty_fuzz
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
endif ()
if (NOT compiler OR NOT status EQUAL 0)
  message("skipped: no clang with libFuzzer (clang 16 and libclang-rt-16-dev)")
  return()
endif ()

execute_process(COMMAND ${compiler} ${flags} ${CMAKE_CURRENT_LIST_DIR}/${name}_fuzz.cpp -o ${fuzzer}
                        -ldl
                RESULT_VARIABLE status ERROR_VARIABLE output)
if (NOT status EQUAL 0)
  message(FATAL_ERROR "${name}_fuzz.cpp does not compile:\n${output}")
endif ()
execute_process(COMMAND ${fuzzer} -runs=${runs} -max_len=4096 -timeout=10
                        -artifact_prefix=${directory}/ ${directory}/${name}_corpus ${corpus}
                RESULT_VARIABLE status ERROR_VARIABLE output)
if (NOT status EQUAL 0)
  message(FATAL_ERROR "${fuzzer} found:\n${output}")
endif ()
string(REGEX MATCH "Done [0-9]+ runs[^\n]*" done "${output}")
message("${done}")
