# Tests that only `./tests/run --deep` runs: regular expressions of their names. They repeat others
# on the emulated GPU, draw more programs, compile more kernels, or compile all of sinter once more.
set(deep_tests
    "^moved\\."
    "^long\\."
    "^headers\\."
    "^install\\."
    "^fuzz\\."
    "^compile_pass\\.standard_"
    "^bench\\.gpu$"
    "^codegen\\.(candidates|product|random_graph|tf32|cuda|cuda_.*)$"
    "^end_to_end\\.(attention|grouped_heads|lengths|programs|rows_of_one|scores|gpu_.*)$"
    "^random\\.(gpu|program)$"
    "^reference\\.(convolution|product)$"
    "^runtime\\.cuda_.*$"
    "^schedule\\.(beside_rows|chunk|split_products)$")
get_property(all_tests DIRECTORY PROPERTY TESTS)
foreach (name IN LISTS all_tests)
  foreach (expression IN LISTS deep_tests)
    if (name MATCHES "${expression}")
      set_property(TEST ${name} APPEND PROPERTY LABELS deep)
      break()
    endif ()
  endforeach ()
endforeach ()
