# sinter_emulated_words(<directory>): what stands before each kernel's text, precompiled by g++ with
# the options of kernels: <directory>/fast for those that may contract products and sums,
# <directory>/off for the others. Each access to memory is to be instrumented: nothing may be moved
# or merged before, so there is no optimization. CUDA's compiler assumes that signed numbers do not
# overflow: here one that does ends the program.
function (sinter_emulated_words directory)
  set(kernel ${PROJECT_SOURCE_DIR}/tests/cuda_emulator/kernel)
  file(GLOB words CONFIGURE_DEPENDS ${kernel}/*.hpp)
  foreach (contraction fast off)
    set(header ${directory}/${contraction}/cuda.hpp)
    set(options ${directory}/${contraction}/options)
    file(CONFIGURE OUTPUT ${header} CONTENT "#include \"${kernel}/cuda.hpp\"\n")
    file(CONFIGURE OUTPUT ${options}
         CONTENT "-std=c++17 -O0 -fsanitize=thread -w -g1 -fPIC \
-fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error -fno-exceptions -fno-rtti \
-fno-omit-frame-pointer -fno-threadsafe-statics -ffp-contract=${contraction}\n")
    add_custom_command(OUTPUT ${header}.gch
                       COMMAND g++ @${options} -x c++-header ${header} -o ${header}.gch
                       DEPENDS ${header} ${options} ${words} VERBATIM)
    target_sources(sinter_emulator PRIVATE ${header}.gch)
  endforeach ()
endfunction ()

# sinter_emulator(): the emulated CUDA machine, a library of its own, so that the tests of every
# folder can run on it. Kernels run in it, which takes time: it is optimised.
function (sinter_emulator)
  file(GLOB sources CONFIGURE_DEPENDS cuda_emulator/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/nccl[^/]*\\.cpp$")  # see dist for NCCL
  add_library(sinter_emulator STATIC ${sources})
  target_link_libraries(sinter_emulator PUBLIC doctest::doctest sinter::compiled sinter_warnings)
  target_compile_options(sinter_emulator PRIVATE -O2)
  # Kernels are shared objects; at each access to memory they call the emulator.
  target_link_options(sinter_emulator INTERFACE "LINKER:--export-dynamic-symbol=__tsan_*")
  set(words ${CMAKE_CURRENT_BINARY_DIR}/emulated_words)
  sinter_emulated_words(${words})
  execute_process(COMMAND g++ -print-libgcc-file-name OUTPUT_VARIABLE libgcc
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  target_compile_definitions(sinter_emulator PRIVATE SINTER_EMULATOR_WORDS="${words}"
                                                     SINTER_EMULATOR_LIBGCC="${libgcc}")
  target_precompile_headers(sinter_emulator PRIVATE ${SINTER_TEST_HEADERS})
  set(clang)
  if (SINTER_CLANG)
    execute_process(COMMAND ${SINTER_CLANG} -dumpversion OUTPUT_VARIABLE version)
    if (version VERSION_GREATER_EQUAL 16)  # older ones instrument no copies of structures
      set(clang ${SINTER_CLANG})
    endif ()
  endif ()
  target_compile_definitions(sinter_emulator PRIVATE SINTER_EMULATOR_CLANG="${clang}")
endfunction ()

# sinter_not_with_threads(<test>): it changes stacks, which the thread sanitizer would have to be told.
function (sinter_not_with_threads test)
  if (SINTER_SANITIZE MATCHES "thread")
    set_tests_properties(${test} PROPERTIES DISABLED TRUE)
  endif ()
endfunction ()

# What `./tests/run --gpu` builds: the programs that have tests with the label gpu.
add_custom_target(gpu_tests)

# sinter_gpu_test(<name> <label> <program> <file> <variable>...): the tests of a file once more, with
# these variables of the environment, but for cases of the suite "host", for which a GPU changes
# nothing.
function (sinter_gpu_test name label program file)
  add_test(NAME ${name} COMMAND ${program} --source-file=*/${file}_test.cpp
                                --test-suite-exclude=host*)
  sinter_run_as_test(${name} ${label})
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${ARGN})
  add_dependencies(gpu_tests ${program})
endfunction ()
