// test: moved
#include "testing.hpp"

#include <sinter/base/philox.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

#include <algorithm>
#include <map>

using namespace testing;

namespace {

constexpr std::int64_t draw_count = 200'000;

double mean_of(const Numbers& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total / static_cast<double>(x.size());
}

double moment_of(const Numbers& x, int power) {
  Numbers powers;
  for (const double value : x) powers.push_back(std::pow(value, power));
  return mean_of(powers);
}

// The largest distance between the distribution of `x` and `expected`: Kolmogorov and Smirnov.
template <class Distribution>
double distance(Numbers x, Distribution expected) {
  std::sort(x.begin(), x.end());
  double result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double position = expected(x[i]), n = static_cast<double>(x.size());
    result = std::max({result, std::fabs(position - static_cast<double>(i) / n),
                       std::fabs(position - static_cast<double>(i + 1) / n)});
  }
  return result;
}

// With a probability of one in a million, the distance is larger by chance.
const double largest_distance = 2.69 / std::sqrt(static_cast<double>(draw_count));

}  // namespace

TEST_CASE("rand: is uniform in [0, 1)") {
  random::manual_seed(1);
  for (const DType dtype : {f32, f64}) {
    const Numbers x = numbers(rand({draw_count}, dtype));
    CHECK(*std::min_element(x.begin(), x.end()) >= 0);
    CHECK(*std::max_element(x.begin(), x.end()) < 1);
    CHECK(std::fabs(mean_of(x) - 0.5) < 5 * std::sqrt(1.0 / 12 / draw_count));
    CHECK(distance(x, [](double v) { return v; }) < largest_distance);
  }
}

TEST_CASE("rand: f64 has more than the digits of f32") {
  const Numbers x = numbers(rand({100}, f64));
  CHECK(std::any_of(x.begin(), x.end(),
                    [](double v) { return static_cast<double>(static_cast<float>(v)) != v; }));
}

TEST_CASE("randn: is normal") {
  random::manual_seed(2);
  for (const DType dtype : {f32, f64}) {
    const Numbers x = numbers(randn({draw_count}, dtype));
    const double error = 1 / std::sqrt(static_cast<double>(draw_count));
    CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
    CHECK(std::fabs(mean_of(x)) < 5 * error);
    CHECK(std::fabs(moment_of(x, 2) - 1) < 5 * std::sqrt(2.0) * error);
    CHECK(std::fabs(moment_of(x, 3)) < 5 * std::sqrt(15.0) * error);
    CHECK(std::fabs(moment_of(x, 4) - 3) < 5 * std::sqrt(96.0) * error);
    CHECK(distance(x, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }) <
          largest_distance);
  }
}

TEST_CASE("randint: is uniform over its range, ends as Python's ranges do") {
  random::manual_seed(3);
  const Tensor x = randint(-3, 4, {70'000});
  std::map<double, int> found;
  for (const double value : numbers(x)) ++found[value];

  CHECK(x.dtype() == i64);
  CHECK(found.size() == 7);
  CHECK(found.begin()->first == -3);
  CHECK(found.rbegin()->first == 3);
  double chi_squared = 0;
  for (const auto& [value, n] : found) chi_squared += (n - 10'000) * (n - 10'000) / 10'000.0;
  CHECK(chi_squared < 40);  // of 6 degrees of freedom; one in two million is larger
  CHECK(near(randint(5, 6, {3}), {5, 5, 5}));
}

TEST_CASE("bernoulli: is 1 with the probability that is given, per element") {
  random::manual_seed(4);
  CHECK(std::fabs(mean_of(numbers(bernoulli(full({draw_count}, 0.3)))) - 0.3) < 0.006);
  CHECK(near(bernoulli(vector({0, 1})), {0, 1}));
  CHECK(bernoulli(full({2}, 0.5, f16)).dtype() == f16);
}

TEST_CASE("dropout: drops the part that it says, and keeps the mean") {
  random::manual_seed(5);
  const Numbers x = numbers(dropout(ones({draw_count}), 0.3));
  const auto dropped = std::count(x.begin(), x.end(), 0.0);

  CHECK(std::fabs(static_cast<double>(dropped) / draw_count - 0.3) < 0.006);
  CHECK(std::fabs(mean_of(x) - 1) < 0.01);
  CHECK(std::all_of(x.begin(), x.end(),
                    [](double v) { return v == 0 || std::fabs(v - 1 / 0.7) < 1e-6; }));
  CHECK(near(dropout(vector({1, 2}), 0), {1, 2}));
  CHECK(near(dropout(vector({1, 2}), 1), {0, 0}));
  CHECK(dropout(ones({2}, f16), 0.5).dtype() == f16);
}

TEST_CASE("random: the same seed gives the same numbers, each call gives others") {
  random::manual_seed(7);
  const Numbers first = numbers(randn({16})), second = numbers(randn({16}));
  random::manual_seed(7);

  CHECK(numbers(randn({16})) == first);
  CHECK(numbers(randn({16})) == second);
  CHECK(first != second);
  random::manual_seed(8);
  CHECK(numbers(randn({16})) != first);
}

TEST_CASE("random: each call is a draw of its own") {
  const Tensor difference = sub(randn({64}), randn({64}));
  CHECK(std::fabs(mean_of(numbers(square(difference)))) > 0.1);
}

TEST_CASE("random: a tensor keeps its numbers") {
  const Tensor x = rand({8});
  CHECK(numbers(x) == numbers(x));
  CHECK(near(sub(x, x), Numbers(8, 0)));
}

TEST_CASE("rand: is the upper 24 bits of Philox of seed, offset, number and position") {
  random::manual_seed(11);
  random::next_state();
  const Numbers x = numbers(rand({6}));

  CHECK(random::state().seed == 11);
  CHECK(random::state().offset == 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i] == random_words(11, 1, 0, i / 4)[i % 4] / 256 * 0x1p-24);
  }
}

TEST_CASE("random: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({4});

  MISTAKE(DTypeError, rand({2}, i32), "rand: the dtype is not floating", "i32", "randint");
  MISTAKE(DTypeError, randn({2}, boolean), "randn: ", "bool");
  MISTAKE(ValueError, randint(3, 3, {2}), "randint: there is no integer to choose", "high  3");
  MISTAKE(ValueError, dropout(x, 1.5), "dropout: p is not a probability", "1.5");
  MISTAKE(ValueError, dropout(x, -0.1), "-0.1");
  MISTAKE(ShapeError, randn({2, -3}), "randn: an extent is negative", "[2, -3]");
}

TEST_CASE("bernoulli: of a shape repeats the probability, which must be one") {
  random::manual_seed(3);
  const Tensor ones = bernoulli(1.0, {3, 2}), some = bernoulli(full({2}, 0.25f), {10'000, 2});
  CHECK(ones.to_vector<float>() == std::vector<float>(6, 1.0f));
  CHECK(mean(some).item<float>() == doctest::Approx(0.25).epsilon(0.05));
  CHECK_THROWS_AS(bernoulli(1.5, {2}), ValueError);
}

TEST_CASE("dropout: integers are an error, unless nothing is dropped, as in torch") {
  CHECK_THROWS_WITH_AS(dropout(ones({3}, i32), 0.5), doctest::Contains("x     i32[3]"), DTypeError);
  CHECK(dropout(ones({3}, i32), 0).dtype() == i32);
}
