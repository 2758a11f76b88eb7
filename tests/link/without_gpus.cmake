# `source`, built by `compiler` header-only, with `definition` and every warning an error, runs, and has no function
# that is for GPUs.

set(object ${directory}/without_gpus${definition}.o)
set(program ${directory}/without_gpus${definition})
execute_process(COMMAND ${compiler} -std=c++20 ${definition} -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                        -I ${include} -c ${source} -o ${object}
                RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_VARIABLE output)
if (NOT status EQUAL 0)
  message(FATAL_ERROR "${compiler} does not compile it:\n${output}")
endif ()
execute_process(COMMAND ${compiler} ${object} -o ${program} -pthread -ldl COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${program} RESULT_VARIABLE status)
if (NOT status EQUAL 0)
  message(FATAL_ERROR "it fails: ${status}")
endif ()

# What remains: the value cuda(), whether a Device is one, and the function that counts none.
execute_process(COMMAND ${nm} -C ${object} OUTPUT_FILE ${object}.symbols COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${object}.symbols found REGEX "[cC][uU][dD][aA]|[nN]vrtc|NVRTC|[nN]v[jJ]it|[cC]ublas")
list(FILTER found EXCLUDE REGEX "::(cuda\\(int\\)|cuda_device_count\\(\\)|Device::is_cuda\\(\\) const)$")
if (found)
  list(JOIN found "\n" found)
  message(FATAL_ERROR "functions for GPUs:\n${found}")
endif ()
file(STRINGS ${object}.symbols found REGEX "schedule::plan")
if (NOT found)
  message(FATAL_ERROR "${object} does not have the definitions of sinter")
endif ()
