#pragma once
// What the first unit gives to the second, in types of sinter.

#include <sinter/base/error.hpp>
#include <sinter/base/hash.hpp>

namespace unit_one {

/// The hash of a text, computed in this unit.
sinter::detail::Hash hash_of(const char* text);

/// Throws a ShapeError that names `where`.
void fail(sinter::Where where);

}  // namespace unit_one

/// The sum of the squares below `count`, by compiled functions.
extern "C" float plugin_sum_of_squares(int count);
