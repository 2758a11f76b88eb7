#pragma once
// Backends of one's own: functions that get the graphs of compiled functions.

#include <sinter/jit/interface/custom_backend.hpp>
