# sinter_emulator(<file>...): the emulated CUDA machine, a library of its own, so that the tests of
# every folder can run on it. Kernels run in it, which takes time: it is optimised.
function (sinter_emulator)
  list(TRANSFORM ARGN PREPEND cuda_emulator/ OUTPUT_VARIABLE sources)
  add_library(sinter_emulator STATIC ${sources})
  target_link_libraries(sinter_emulator PUBLIC doctest::doctest sinter::compiled sinter_warnings)
  target_compile_options(sinter_emulator PRIVATE -O2)
  target_compile_definitions(sinter_emulator PRIVATE SINTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction ()

# sinter_on_emulator(<folder> <name>...): the tests of a folder that run kernels. They change stacks,
# which the thread sanitizer would have to be told.
function (sinter_on_emulator folder)
  target_link_libraries(test_${folder} PRIVATE sinter_emulator)
  if (SINTER_SANITIZE MATCHES "thread")
    list(TRANSFORM ARGN PREPEND ${folder}.)
    set_tests_properties(${ARGN} PROPERTIES DISABLED TRUE)
  endif ()
endfunction ()
