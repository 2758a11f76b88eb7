#include <doctest/doctest.h>

#include <sinter/base/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("verify: what is shared by a hash has the content that was asked for") {
  const Hash one = hash_of("one"), other = hash_of("other");
  CHECK_NOTHROW(require_shared(one, one, "shared"));
  CHECK_NOTHROW(require_shared(Hash(), other, "kept without SINTER_VERIFY"));
  CHECK_THROWS_AS(require_shared(one, other, "shared by ", 2), InternalError);
}
