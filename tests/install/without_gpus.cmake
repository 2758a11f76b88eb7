# What the option SINTER_CUDA=OFF makes of the build: the definition for everyone who uses a target,
# here and installed, and a library without sources for GPUs. Nothing is compiled.

file(REMOVE_RECURSE ${directory})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory} -G ${generator}
                        -D CMAKE_CXX_COMPILER=${compiler} -D SINTER_CUDA=OFF
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE exported ${directory}/CMakeFiles/Export/*/sinter-targets.cmake)
file(STRINGS ${exported} definitions REGEX "INTERFACE_COMPILE_DEFINITIONS.*SINTER_CUDA=0")
if (NOT definitions)
  message(SEND_ERROR "an installed package does not define SINTER_CUDA=0")
endif ()
file(GLOB sources ${directory}/compiled/*.cpp)
foreach (one IN LISTS sources)
  file(STRINGS ${one} lines REGEX "<sinter/.*/(cuda|nvrtc)/")
  if (lines)
    message(SEND_ERROR "${one} includes ${lines}")
  endif ()
endforeach ()
list(LENGTH sources count)
if (count LESS 10)
  message(SEND_ERROR "${directory}/compiled has ${count} sources")
endif ()
