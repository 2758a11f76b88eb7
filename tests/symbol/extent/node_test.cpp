#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/node.hpp>

#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("node: terms, factors and constants read any extent") {
  const Extent n = Extent::symbol(0);
  const Extent r = Extent::range(0, 4);
  CHECK(terms_of(5).empty());
  CHECK(constant_of(5) == 5);
  const Extent sum = 3 * n * r + 2;
  REQUIRE(terms_of(sum).size() == 1);
  CHECK(terms_of(sum)[0].coefficient == 3);
  CHECK(constant_of(sum) == 2);
  REQUIRE(factors_of(terms_of(sum)[0].monomial).size() == 2);
  CHECK(same(factors_of(n)[0], n));
  CHECK(same(terms_of(n)[0].monomial, n));
}

TEST_CASE("node: threads that make the same expression get the same node") {
  constexpr int threads = 4;
  constexpr int expressions = 200;
  Vector<std::vector<std::uint64_t>> made(threads);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&made, thread] {
      for (int i = 0; i < expressions; ++i) {
        const Extent n = Extent::symbol(static_cast<std::uint32_t>(1000 + i), {.min = 1});
        const Extent r = Extent::range(static_cast<std::uint32_t>(i), n * 8);
        made[static_cast<std::size_t>(thread)].push_back(((r + 3) / 4 % n + min(n, r)).bits());
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const auto& list : made) CHECK(list == made[0]);
}

TEST_CASE("order: numbers, symbols, ranges, divisions, sums; by id") {
  const Extent n = Extent::symbol(0);
  const Extent m = Extent::symbol(1);
  const Extent r = Extent::range(0, 16);
  const Extent in_order[]{1,     2,     n,     n * m,     n * r, m,    r,
                          r / 4, r / 5, r % 4, min(n, m), n + 1, n + 2};
  for (const Extent& a : in_order) {
    for (const Extent& b : in_order) {
      const int order = compare(a, b);
      CHECK((order < 0) == (&a < &b));
      CHECK((order == 0) == (&a == &b));
    }
  }
}

TEST_CASE("order: does not depend on which expression was made first") {
  const Extent late = Extent::symbol(901);
  const Extent early = Extent::symbol(900);
  CHECK(to_string(late + early) == "s900 + s901");
  CHECK(to_string(late * early) == "s900*s901");
}
