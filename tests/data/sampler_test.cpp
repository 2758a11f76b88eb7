#include "../trace/testing.hpp"

#include <sinter/data/sampler.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using namespace testing;
using data::Sampler;
using Indices = std::vector<std::size_t>;

namespace {

Indices up_to(std::size_t n) {
  Indices result(n);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

Indices sorted(Indices indices) {
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace

TEST_CASE("Sampler: in order, or in an order that seed and epoch determine") {
  CHECK(Sampler(5).indices() == up_to(5));
  const Sampler sampler(100, {.shuffle = true, .seed = 3});
  CHECK(sampler.size() == 100);
  CHECK(sampler.indices(0) != up_to(100));
  CHECK(sorted(sampler.indices(0)) == up_to(100));
  CHECK(sampler.indices(0) == Sampler(100, {.shuffle = true, .seed = 3}).indices(0));
  CHECK(sampler.indices(0) != sampler.indices(1));
  CHECK(sampler.indices(0) != Sampler(100, {.shuffle = true, .seed = 4}).indices(0));
  CHECK(Sampler(0, {.shuffle = true}).indices().empty());
}

TEST_CASE("Sampler: an order is the same on each machine") {
  CHECK(Sampler(8, {.shuffle = true, .seed = 1}).indices(2) == Indices{6, 7, 0, 4, 1, 3, 2, 5});
}

TEST_CASE("Sampler: each place is equally likely") {
  std::vector<int> first(5);
  const Sampler sampler(5, {.shuffle = true});
  for (std::uint64_t epoch = 0; epoch < 5000; ++epoch) ++first[sampler.indices(epoch)[0]];
  for (const int count : first) CHECK(std::abs(count - 1000) < 150);  // 5 standard deviations
}

TEST_CASE("Sampler: ranks are disjoint and complete, and differ by at most one") {
  for (const int ranks : {1, 2, 3, 7}) {
    Indices together;
    std::set<std::size_t> sizes;
    for (int rank = 0; rank < ranks; ++rank) {
      const Sampler sampler(20, {.shuffle = true, .seed = 9, .rank = rank, .ranks = ranks});
      const Indices own = sampler.indices(4);
      CHECK(own.size() == sampler.size());
      sizes.insert(own.size());
      together.insert(together.end(), own.begin(), own.end());
    }
    CHECK(sorted(together) == up_to(20));
    CHECK(*sizes.rbegin() - *sizes.begin() <= 1);
  }
}

TEST_CASE("Sampler: drop_last gives all ranks as many") {
  Indices together;
  for (int rank = 0; rank < 3; ++rank) {
    const Sampler sampler(20, {.rank = rank, .ranks = 3, .drop_last = true});
    CHECK(sampler.size() == 6);
    for (const std::size_t index : sampler.indices()) together.push_back(index);
  }
  CHECK(sorted(together) == up_to(18));
}

TEST_CASE("seed_of: numbers of examples and epochs differ") {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    for (std::size_t index = 0; index < 100; ++index) seeds.insert(data::seed_of(1, epoch, index));
  }
  CHECK(seeds.size() == 1000);
  CHECK(data::seed_of(1, 2, 3) == data::seed_of(1, 2, 3));
}

TEST_CASE("Sampler: a rank that does not exist is a mistake") {
  const auto make = [](int rank, int ranks, Where where) {
    Sampler(5, {.rank = rank, .ranks = ranks}, where);
  };
  MISTAKE(ValueError, make(2, 2, Where::current()), "data::Sampler: ", "rank  2", "ranks 2");
  MISTAKE(ValueError, make(0, 0, Where::current()), "0 <= rank < ranks");
}
