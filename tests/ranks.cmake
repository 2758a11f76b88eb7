# Tests of several ranks, by mpirun. Every case of tests/dist runs alone in CTest, as one rank, and all
# of them as 2, or, as deep tests, as 3 and 4.
if (TARGET sinter_dist)
  sinter_test(dist)
  target_link_libraries(test_dist PRIVATE sinter::dist)
  target_link_libraries(test_bench PRIVATE sinter::dist)  # bench/dist
  # The emulated NCCL, whose types are those of sinter::dist.
  file(GLOB nccl CONFIGURE_DEPENDS cuda_emulator/nccl*.cpp)
  list(FILTER nccl EXCLUDE REGEX "_test\\.cpp$")
  target_sources(test_dist PRIVATE ${nccl})
  set_source_files_properties(${nccl} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach (ranks IN ITEMS 2 3 4)
    add_test(NAME dist.ranks_${ranks}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dist/mpirun ${ranks} $<TARGET_FILE:test_dist>)
    sinter_run_as_test(dist.ranks_${ranks} dist)
    set_property(TEST dist.ranks_${ranks} PROPERTY COST 20)
    set_property(TEST dist.ranks_${ranks} PROPERTY RUN_SERIAL ON)
  endforeach ()
  set_property(TEST dist.ranks_3 dist.ranks_4 APPEND PROPERTY LABELS deep)
  # What needs four ranks.
  add_test(NAME dist.mesh_of_4
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dist/mpirun 4 $<TARGET_FILE:test_dist>
                   --source-file=*parallel/mesh_test.cpp,*tensor_parallel_test.cpp)
  sinter_run_as_test(dist.mesh_of_4 dist)
  set_tests_properties(dist.mesh_of_4 PROPERTIES RUN_SERIAL ON COST 20)
  # A rank is killed, throws, or does something else than the others.
  add_executable(test_dist_failures dist/failures/main.cpp)
  target_link_libraries(test_dist_failures PRIVATE sinter::dist sinter_warnings sinter_emulator)
  target_sources(test_dist_failures PRIVATE ${nccl})
  target_include_directories(test_dist_failures PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(test_dist_failures PRIVATE -O0)
  foreach (runs IN ITEMS 8 200)
    add_test(NAME dist.failures_${runs}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dist/failures/run
                     $<TARGET_FILE:test_dist_failures> ${runs})
    sinter_run_as_test(dist.failures_${runs} dist)
    set_tests_properties(dist.failures_${runs} PROPERTIES RUN_SERIAL ON TIMEOUT 1800 COST 20)
  endforeach ()
  set_property(TEST dist.failures_200 APPEND PROPERTY LABELS deep)
  # The same with tensors on a GPU, an emulated one for each rank: what is tagged "moved", without
  # the cases that have a GPU of their own, which the runs above have.
  foreach (ranks IN ITEMS 2 3 4)
    add_test(NAME dist.gpu_ranks_${ranks}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dist/mpirun ${ranks} $<TARGET_FILE:test_dist>
                     --test-suite-exclude=host*)
    sinter_run_as_test(dist.gpu_ranks_${ranks} "dist;deep")
    set_property(TEST dist.gpu_ranks_${ranks} APPEND PROPERTY ENVIRONMENT SINTER_TEST_DEVICE=cuda)
    set_tests_properties(dist.gpu_ranks_${ranks} PROPERTIES RUN_SERIAL ON TIMEOUT 1800 COST 60)
  endforeach ()
  add_test(NAME dist.gpu_failures
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dist/failures/run
                   $<TARGET_FILE:test_dist_failures> 7 gpu)
  sinter_run_as_test(dist.gpu_failures "dist;deep")
  set_tests_properties(dist.gpu_failures PROPERTIES RUN_SERIAL ON TIMEOUT 1800 COST 60)
  foreach (test IN ITEMS gpu_ranks_2 gpu_ranks_3 gpu_ranks_4 gpu_failures)
    sinter_not_with_threads(dist.${test})  # the emulator changes stacks
  endforeach ()
else ()
  add_test(NAME dist.ranks COMMAND ${CMAKE_COMMAND} -E echo "skipped: no MPI")
  set_tests_properties(dist.ranks PROPERTIES LABELS dist SKIP_REGULAR_EXPRESSION "skipped: ")
endif ()
