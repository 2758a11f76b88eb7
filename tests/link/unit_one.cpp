// Has the definitions of all of sinter.

#include "unit_one.hpp"

#include <sinter/sinter.hpp>

namespace unit_one {

sinter::Hash hash_of(const char* text) { return sinter::hash_of(text); }

void fail(sinter::Where where) {
  throw sinter::ShapeError({.op = "one", .what = "failed on purpose", .where = where});
}

}  // namespace unit_one
