#pragma once
// Compares compiled programs in the language of users with plain ones.

#include "user_program.hpp"

namespace user_program {

/// Checks `count` programs from seed `first` on, compiled and run on `device`, against plain ones
/// on the host, in several calls with changing sizes. SINTER_RANDOM_PROGRAMS says how many instead,
/// SINTER_RANDOM_SEED which comes first. No program may take more than a minute, and all of them no
/// more than 4 GiB.
void check_all(const char* title, Backend backend, Device device, int count, int first);

}  // namespace user_program
