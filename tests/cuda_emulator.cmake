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

# sinter_emulator(<file>...): the emulated CUDA machine, a library of its own, so that the tests of
# every folder can run on it. Kernels run in it, which takes time: it is optimised.
function (sinter_emulator)
  list(TRANSFORM ARGN PREPEND cuda_emulator/ OUTPUT_VARIABLE sources)
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

# sinter_on_emulator(<folder> [<name>...]): the program of a folder has the emulator, and these tests
# run kernels on it. They change stacks, which the thread sanitizer would have to be told.
function (sinter_on_emulator folder)
  target_link_libraries(test_${folder} PRIVATE sinter_emulator)
  if (ARGN AND SINTER_SANITIZE MATCHES "thread")
    list(TRANSFORM ARGN PREPEND ${folder}.)
    set_tests_properties(${ARGN} PROPERTIES DISABLED TRUE)
  endif ()
endfunction ()

# What `./tests/run --gpu` builds: the programs that have tests with the label gpu.
add_custom_target(gpu_tests)

# sinter_gpu_test(<name> <label> <folder> <file> <variable>... [ARGUMENTS <argument>...]): the tests
# of a file once more, with these variables of the environment.
function (sinter_gpu_test name label folder file)
  cmake_parse_arguments(PARSE_ARGV 4 more "" "" ARGUMENTS)
  add_test(NAME ${name} COMMAND test_${folder} --source-file=*/${folder}/${file}_test.cpp
                                ${more_ARGUMENTS})
  sinter_run_as_test(${name} ${label})
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${more_UNPARSED_ARGUMENTS})
  add_dependencies(gpu_tests test_${folder})
endfunction ()

# sinter_on_gpu(<folder> <name>...): tests that are written for GPUs. Those of this machine run them
# under the label gpu, but for cases of the suite "host", for which a GPU changes nothing.
function (sinter_on_gpu folder)
  foreach (file IN LISTS ARGN)
    sinter_gpu_test(gpu.${folder}.${file} gpu ${folder} ${file} SINTER_TEST_GPU=1
                    ARGUMENTS --test-suite-exclude=host*)
  endforeach ()
endfunction ()

# sinter_moved_to_gpu(<folder> <name>...): tests that are written for the host, whose tensors are on
# a GPU here: an emulated one, and, under the label gpu, that of this machine. Cases that the host is
# the point of are of the suite "host".
function (sinter_moved_to_gpu folder)
  target_sources(test_${folder} PRIVATE on_gpu.cpp)
  set(moved SINTER_TEST_DEVICE=cuda)
  foreach (file IN LISTS ARGN)
    sinter_gpu_test(moved.${folder}.${file} moved ${folder} ${file} ${moved}
                    ARGUMENTS --test-suite-exclude=host*)
    sinter_gpu_test(gpu.moved.${folder}.${file} gpu ${folder} ${file} ${moved} SINTER_TEST_GPU=1
                    ARGUMENTS --test-suite-exclude=host*)
    if (SINTER_SANITIZE MATCHES "thread")
      set_tests_properties(moved.${folder}.${file} PROPERTIES DISABLED TRUE)
    endif ()
  endforeach ()
endfunction ()
