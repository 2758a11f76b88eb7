# Every definition of sinter in `object` may stand in other translation units of a program as well:
# `nm` calls it weak or unique (W, V, u), or it is none that others see (small letters).

execute_process(COMMAND ${nm} --defined-only ${object}
                OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if (NOT status EQUAL 0)
  message(FATAL_ERROR "${nm} does not read ${object}")
endif ()
if (NOT symbols MATCHES " W _ZN6sinter[^\n]*8schedule4planE")
  message(FATAL_ERROR "${object} does not have the definitions of sinter")
endif ()
string(REGEX MATCHALL "\n[0-9a-f]+ [A-UX-Z] [^\n]*N6sinter[^\n]*" single "${symbols}")
list(FILTER single EXCLUDE REGEX "N8unit_one")
if (single)
  message(FATAL_ERROR "not inline, so it may be defined only once:\n${single}")
endif ()
