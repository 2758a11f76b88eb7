// test: moved
// Random numbers under statistical tests. Seeds are fixed; with another one, each test would fail
// about once in ten thousand times.

#include "statistics.hpp"
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

#include <algorithm>
#include <map>

using namespace statistics;
using namespace testing;

namespace {

const std::int64_t draw_count = sinter_test::by_device(100'000, 20'000);

// Of each of the tensors.
template <class... Tensors>
std::vector<Numbers> all_numbers(const std::tuple<Tensors...>& tensors) {
  return std::apply([](const auto&... one) { return std::vector{numbers(one)...}; }, tensors);
}

}  // namespace

TEST_CASE("rand: neighbours are independent, within a Philox block and from one to the next") {
  random::manual_seed(21);
  for (const DType dtype : {f32, f64}) {
    const Numbers x = numbers(rand({draw_count}, dtype));
    CHECK(is_distributed(x, uniform_distribution));
    for (const std::size_t lag : {1u, 2u, 3u, 4u, 5u, 16u, 64u}) {
      CAPTURE(lag);
      CHECK(std::fabs(correlation(x, x, lag)) < largest_correlation);
      CHECK(fits_evenly(pairs(x, x, lag)));
    }
  }
}

TEST_CASE("rand: draws are independent of each other, and so are calls") {
  random::manual_seed(22);
  const auto two = compile([] { return std::pair{rand({draw_count}), rand({draw_count})}; });
  const auto [first, second] = two();
  const auto [third, fourth] = two();
  const Numbers lists[]{numbers(first), numbers(second), numbers(third), numbers(fourth)};
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}, {1, 3}}) {
    for (const std::size_t lag : {0u, 1u, 4u}) {
      CHECK(std::fabs(correlation(lists[i], lists[j], lag)) < largest_correlation);
      CHECK(fits_evenly(pairs(lists[i], lists[j], lag)));
    }
  }
}

TEST_CASE("rand: each of the bits is 1 half of the times") {
  random::manual_seed(23);
  const std::vector<std::int64_t> x =
      randint(0, std::int64_t{1} << 62, {draw_count}).to_vector<std::int64_t>();
  for (int bit = 0; bit < 62; ++bit) {
    double ones = 0;
    for (const std::int64_t one : x) ones += static_cast<double>(one >> bit & 1);
    CAPTURE(bit);
    CHECK(std::fabs(ones - static_cast<double>(draw_count) / 2) <
          3.9 * std::sqrt(static_cast<double>(draw_count) / 4));
  }
}

TEST_CASE("rand: f16 and bf16 are below 1, and all that they hold is as frequent") {
  random::manual_seed(24);
  for (const auto& [dtype, steps] : {std::pair{f16, 2048.0}, {bf16, 256.0}}) {
    const Tensor x = rand({draw_count}, dtype);
    Numbers scaled;
    for (const double one : numbers(x)) scaled.push_back(one * steps);
    CHECK(x.dtype() == dtype);
    CHECK(*std::max_element(scaled.begin(), scaled.end()) < steps);
    CHECK(fits_evenly(frequencies(scaled, static_cast<std::size_t>(steps))));
  }
}

TEST_CASE("randn: is normal in every dtype, and neighbours are independent") {
  random::manual_seed(25);
  for (const DType dtype : {f32, f64, bf16}) {
    const Tensor x = randn({draw_count}, dtype);
    Numbers uniform;
    for (const double one : numbers(x)) uniform.push_back(normal_distribution(one));
    CHECK(x.dtype() == dtype);
    if (dtype != bf16) CHECK(is_distributed(numbers(x), normal_distribution));
    for (const std::size_t lag : {1u, 2u, 4u}) {
      CHECK(std::fabs(correlation(uniform, uniform, lag)) < largest_correlation);
      if (dtype != bf16) CHECK(fits_evenly(pairs(uniform, uniform, lag)));
    }
  }
}

TEST_CASE("normal: has the mean and the deviation that are given, each element its own") {
  random::manual_seed(26);
  const Numbers x = numbers(normal(3, 0.5, {draw_count}, f64));
  CHECK(is_distributed(x, [](double v) { return normal_distribution((v - 3) / 0.5); }));
  const Tensor rows = normal(tensor({0, 100}, {2, 1}), vector({1, 2, 0}));
  CHECK(rows.shape() == Shape{2, 3});
  CHECK(std::fabs(numbers(rows)[4] - 100) < 12);
  CHECK(numbers(rows)[5] == 100);
  MISTAKE(ShapeError, normal(vector({0, 1}), vector({1, 2, 3})), "normal: ");
}

TEST_CASE("rand_like: takes over the shape and the dtype") {
  CHECK(rand_like(ones({2, 3}, f64)).shape() == Shape{2, 3});
  CHECK(rand_like(ones({2, 3}, f64)).dtype() == f64);
  CHECK(randn_like(ones({4}, f16)).dtype() == f16);
  MISTAKE(DTypeError, rand_like(integers({1})), "rand_like: the dtype is not floating");
  MISTAKE(DTypeError, randn_like(integers({1})), "randn_like: the dtype is not floating");
}

TEST_CASE("randint: is uniform over ranges of any size") {
  random::manual_seed(27);
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t third = Limits::max() / 3, two_to_40 = std::int64_t{1} << 40;
  const std::pair<std::int64_t, std::int64_t> ranges[]{{Limits::min(), Limits::max()},
                                                       {0, Limits::max()},
                                                       {-third, third * 2},
                                                       {5, two_to_40 * 3},
                                                       {-7, 9},
                                                       {0, 1'000'003}};
  for (const auto& [low, high] : ranges) {
    const auto x = randint(low, high, {draw_count}).to_vector<std::int64_t>();
    const double width = static_cast<double>(high) - static_cast<double>(low);
    Numbers bins(16, 0);
    bool inside = true;
    for (const std::int64_t one : x) {
      inside &= one >= low && one < high;
      const double part = (static_cast<double>(one) - static_cast<double>(low) + 0.5) / width;
      ++bins[static_cast<std::size_t>(std::min(15.0, part * 16))];
    }
    CAPTURE(high);
    CHECK(inside);
    if (high != 1'000'003) CHECK(fits_evenly(bins));
  }
  CHECK(fits_evenly(frequencies(numbers(randint(37, {draw_count})), 37)));
  CHECK(randint(-128, 128, {4}, i8).dtype() == i8);
  CHECK(randint(0, 2, {4}, boolean).dtype() == boolean);
  MISTAKE(DTypeError, randint(0, 300, {4}, u8), "randint: the dtype does not hold", "299");
  MISTAKE(ValueError, randint(0, {4}), "randint: there is no integer to choose");
}

TEST_CASE("randperm: has each number once, and each order as often") {
  random::manual_seed(28);
  std::map<Numbers, double> found;
  const auto permutation = compile([] { return randperm(4); });
  for (int i = 0; i < sinter_test::by_device(2400, 480); ++i) ++found[numbers(permutation())];
  Numbers counts;
  for (const auto& [order, times] : found) counts.push_back(times);
  CHECK(counts.size() == 24);
  CHECK(fits_evenly(counts));

  const Tensor x = randperm(1000);
  Numbers sorted = numbers(x);
  CHECK(x.dtype() == i64);
  CHECK(std::fabs(correlation(sorted, sorted, 1)) < largest_correlation);
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == numbers(arange(1000)));
  CHECK(randperm(0).shape() == Shape{0});
  MISTAKE(ShapeError, randperm(-1), "randperm: an extent is negative");
}

TEST_CASE("bernoulli: elements are independent, each with its own probability") {
  random::manual_seed(29);
  for (const double p : {0.001, 0.25, 0.5, 0.9}) {
    const Numbers x = numbers(bernoulli(full({draw_count}, p)));
    CHECK(fits(frequencies(x, 2), {1 - p, p}));
    CHECK(std::fabs(correlation(x, x, 1)) < largest_correlation);
  }
}

TEST_CASE("dropout: masks have the rate that is given, and differ from call to call") {
  random::manual_seed(30);
  const auto kept = compile([](const Tensor& x, double p) {
    return std::pair{ne(dropout(x, p), 0), ne(dropout(x, p), 0)};
  });
  for (const double p : {0.1, 0.5, 0.75}) {
    const auto [first, second] = kept(ones({draw_count}), p);
    CHECK(fits(frequencies(numbers(first), 2), {p, 1 - p}));
    CHECK(std::fabs(correlation(numbers(first), numbers(second), 0)) < largest_correlation);
    CHECK(std::fabs(correlation(numbers(first), numbers(first), 1)) < largest_correlation);
  }
}

TEST_CASE("multinomial: draws in proportion to the weights, with replacement or without") {
  random::manual_seed(31);
  const Tensor weights = vector({1, 0, 2, 5});
  const Tensor many = multinomial(weights, draw_count, true);
  CHECK(many.dtype() == i64);
  const Numbers drawn = frequencies(numbers(many), 4);
  CHECK(drawn[1] == 0);
  CHECK(fits({drawn[0], drawn[2], drawn[3]}, {0.125, 0.25, 0.625}));

  const Tensor rows = multinomial(expand(weights, {draw_count, 4}), 2);
  const Numbers two = numbers(rows);
  CHECK(rows.shape() == Shape{draw_count, 2});
  std::map<std::pair<double, double>, double> found;
  for (std::size_t i = 0; i < two.size(); i += 2) ++found[{two[i], two[i + 1]}];
  CHECK(found.size() == 6);
  Numbers counts, expected;
  const double parts[]{0.125, 0, 0.25, 0.625};
  for (const auto& [pair, times] : found) {
    const double a = parts[static_cast<int>(pair.first)], b = parts[static_cast<int>(pair.second)];
    counts.push_back(times);
    expected.push_back(a * b / (1 - a));
  }
  CHECK(fits(counts, expected));
  MISTAKE(ValueError, multinomial(weights, 5),
          "multinomial: there are too few elements to draw from", "5");
}

TEST_CASE("random: eagerly and compiled, the same seed gives the same bits, state moves alike") {
  const auto all = [] {
    return std::tuple{rand({37}),
                      rand({5, 9}, f64),
                      rand({41}, bf16),
                      randint(-9, std::int64_t{1} << 60, {33}),
                      randperm(100),
                      bernoulli(full({21}, 0.3)),
                      multinomial(full({3, 50}, 1.0), 4)};
  };
  for (const Backend backend : {Backend::eager, Backend::fused}) {
    const auto eager = compile(all, {.backend = Backend::aot_eager});
    const auto other = compile(all, {.backend = backend});
    for (int call = 0; call < 3; ++call) {
      random::manual_seed(100);
      for (int skipped = 0; skipped < call; ++skipped) eager();
      const random::State before = random::state();
      const auto expected = eager();
      const random::State after = random::state();
      random::set_state(before);
      const auto found = other();
      if (backend == Backend::fused) CHECK(random::state().offset == after.offset);
      CHECK(after.offset > before.offset);
      CHECK(all_numbers(expected) == all_numbers(found));
    }
  }
}
