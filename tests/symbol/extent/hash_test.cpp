#include <doctest/doctest.h>
#include <sinter/symbol/extent/hash.hpp>

#include <initializer_list>

using namespace sinter;
using namespace sinter::detail;

namespace {

Hash hash_all(std::initializer_list<Extent> extents) {
  Hasher hasher;
  Numbering numbering;
  for (const Extent extent : extents) hash(hasher, extent, numbering);
  return hasher.result();
}

Extent symbol(std::uint32_t id) { return Extent::symbol(id, {.min = 1}); }

// A shape and an index into it, as two recordings would number them.
Hash program(std::uint32_t a, std::uint32_t b, std::uint32_t i, std::uint32_t j) {
  const Extent n = symbol(a);
  const Extent m = symbol(b);
  const Extent r0 = Extent::range(i, n);
  const Extent r1 = Extent::range(j, m);
  return hash_all({n, m, r0, r1, r0 * m + r1, min(n, m), (n + 2 * m) / 8, (r0 + r1) % m * r0});
}

}  // namespace

TEST_CASE("hash: does not depend on the ids of symbols and ranges") {
  CHECK(program(0, 1, 0, 1) == program(5, 9, 3, 4));
  CHECK(program(0, 1, 0, 1) == program(9, 5, 4, 3));
}

TEST_CASE("hash: tells different expressions apart") {
  const Extent n = symbol(0);
  const Extent m = symbol(1);
  CHECK(hash_all({n, m}) != hash_all({n, n}));
  CHECK(hash_all({n, m, n - m}) != hash_all({n, m, m - n}));
  CHECK(hash_all({n / 4}) != hash_all({n % 4}));
  CHECK(hash_all({n + 1}) != hash_all({n + 2}));
  CHECK(hash_all({3}) != hash_all({4}));
  CHECK(hash_all({n}) != hash_all({Extent::symbol(0, {.min = 2})}));
  CHECK(hash_all({Extent::range(0, 4)}) != hash_all({Extent::range(0, 5)}));
}

TEST_CASE("numbering: counts symbols and ranges apart, by first appearance") {
  Numbering numbering;
  CHECK(numbering(symbol(7)) == 0);
  CHECK(numbering(Extent::range(3, 4)) == 0);
  CHECK(numbering(symbol(2)) == 1);
  CHECK(numbering(symbol(7)) == 0);
  CHECK(numbering.symbols().size() == 2);
  CHECK(same(numbering.ranges()[0], Extent::range(3, 4)));
}
