#pragma once
// Backends of one's own: functions that get the graphs of compiled functions.

#include <sinter/jit/lower/custom_program.hpp>
