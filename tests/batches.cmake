# Most of the time of a test file's compilation is that of the headers, and of what several files
# instantiate: a translation unit has several of them. Each is in a namespace of its own, so that
# their names do not meet. -DSINTER_TEST_BATCH=1 compiles each alone, for work on a single one.
set(SINTER_TEST_BATCH 10 CACHE STRING "Test files in a translation unit")

# sinter_batches(<target>): what the files include is included before them, outside the namespaces.
# Files with the property SKIP_UNITY_BUILD_INCLUSION stay alone.
function (sinter_batches target)
  set(text)
  get_target_property(sources ${target} SOURCES)
  foreach (source IN LISTS sources)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if (NOT source MATCHES "_test\\.cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    elseif (NOT alone)
      get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${source} DIRECTORY)
      file(STRINGS ${source} lines REGEX "^#include ")
      foreach (line IN LISTS lines)
        string(REGEX REPLACE ".*[<\"](.*)[>\"].*" "\\1" header ${line})
        if (EXISTS ${folder}/${header})
          set(line "#include \"${folder}/${header}\"")
        endif ()
        list(APPEND text ${line})
      endforeach ()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endif ()
  endforeach ()
  list(REMOVE_DUPLICATES text)
  list(JOIN text "\n" text)
  set(headers ${CMAKE_CURRENT_BINARY_DIR}/${target}.hpp)
  file(CONFIGURE OUTPUT ${headers} CONTENT "#pragma once\n${text}\n" @ONLY)
  set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON
      UNITY_BUILD_BATCH_SIZE ${SINTER_TEST_BATCH}
      UNITY_BUILD_UNIQUE_ID SINTER_TEST_FILE
      UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${headers}\"\nnamespace SINTER_TEST_FILE {"
      UNITY_BUILD_CODE_AFTER_INCLUDE "}")
endfunction ()
