// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor matrix = tensor({1, 5, 3, 4, 2, 6}, {2, 3});
const Shared shared{matrix};

}  // namespace

TEST_CASE("sum: over all axes, one, several, from the end, kept") {
  CHECK(near(sum(matrix), {21}));
  CHECK(sum(matrix).ndim() == 0);
  CHECK(near(sum(matrix, 0), {5, 7, 9}));
  CHECK(near(sum(matrix, -1), {9, 12}));
  CHECK(near(sum(matrix, {0, 1}), {21}));
  CHECK(to_string(sum(matrix, {-1}, true)) == "f32[2, 1]");
  CHECK(to_string(sum(matrix, all_axes, true)) == "f32[1, 1]");
  CHECK(to_string(sum(ones({2, 3, 4, 5}), {0, -1})) == "f32[3, 4]");
}

TEST_CASE("sum, prod: booleans and integers add up in i64") {
  CHECK(sum(full({300}, 1, i8)).dtype() == i64);
  CHECK(near(sum(full({300}, 1, i8)), {300}));
  CHECK(near(sum(gt(matrix, 3)), {3}));
  CHECK(near(prod(integers({2, 3, 4})), {24}));
  CHECK(sum(ones({2}, f16)).dtype() == f16);
}

TEST_CASE("sum, prod, mean: of nothing are 0, 1 and NaN") {
  CHECK(near(sum(ones({0, 3}), 0), {0, 0, 0}));
  CHECK(near(prod(ones({0})), {1}));
  CHECK(near(mean(ones({0})), {not_a_number}));
}

TEST_CASE("mean: is floating, in f32 for integers") {
  CHECK(near(mean(matrix), {3.5}));
  CHECK(near(mean(matrix, 0), {2.5, 3.5, 4.5}));
  CHECK(mean(integers({1, 2})).dtype() == f32);
  CHECK(near(mean(integers({1, 2})), {1.5}));
}

TEST_CASE("max, min, argmax, argmin: NaN wins, the first position counts") {
  const Tensor x = vector({2, not_a_number, 7, not_a_number});

  CHECK(near(max(matrix, 1), {5, 6}));
  CHECK(near(min(matrix, 0), {1, 2, 3}));
  CHECK(near(max(x), {not_a_number}));
  CHECK(near(min(x), {not_a_number}));
  CHECK(near(argmax(x), {1}));
  CHECK(near(argmin(x), {1}));
  CHECK(near(argmax(vector({3, 7, 7})), {1}));
  CHECK(near(argmax(matrix, -1), {1, 2}));
  CHECK(near(argmin(matrix, 0), {0, 1, 0}));
  CHECK(near(argmax(matrix), {5}));
  CHECK(argmax(matrix).dtype() == i64);
  CHECK(to_string(argmax(matrix, 1, true)) == "i64[2, 1]");
  CHECK(to_string(argmax(matrix, all_axes, true)) == "i64[1, 1]");
  CHECK(near(argmin(gt(matrix, 2), 1), {0, 1}));
}

TEST_CASE("argmin: the smallest integer is the smallest") {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  CHECK(near(argmin(integers({5, low, 3})), {1}));
  CHECK(near(argmin(from_vector(std::vector<std::uint8_t>{3, 0, 9}, {3})), {1}));
}

TEST_CASE("any, all: look at whether elements are 0") {
  const Tensor x = tensor({0, 0, 1, 2}, {2, 2});

  CHECK(near(any(x, 1), {0, 1}));
  CHECK(near(all(x, 1), {0, 1}));
  CHECK(near(all(x), {0}));
  CHECK(any(x).dtype() == boolean);
  CHECK(near(any(ones({0})), {0}));
  CHECK(near(all(ones({0})), {1}));
  CHECK(near(any(vector({0.25f})), {1}));
}

TEST_CASE("var: divides by n - correction") {
  const Tensor x = tensor({1, 2, 4, 10, 10, 10}, {2, 3});

  CHECK(near(var(x, 1), {7.0 / 3, 0}));
  CHECK(near(var(x, 1, false, 0), {14.0 / 9, 0}));
  CHECK(to_string(var(x, 1, true)) == "f32[2, 1]");
  CHECK(near(var(vector({3})), {not_a_number}));
  CHECK(near(var(integers({1, 3})), {2}));
}

TEST_CASE("logsumexp: does not overflow, and knows infinity") {
  CHECK(near(logsumexp(vector({1000, 1000})), {1000 + std::log(2.0)}));
  CHECK(near(logsumexp(vector({-infinity, -infinity})), {-infinity}));
  CHECK(near(logsumexp(vector({infinity, 1})), {infinity}));
  CHECK(near(logsumexp(tensor({0, 0, 1, 1}, {2, 2}), 0),
             {std::log(1 + std::exp(1.0)), std::log(1 + std::exp(1.0))}));
  CHECK(to_string(logsumexp(matrix, 1, true)) == "f32[2, 1]");
  CHECK(to_string(logsumexp(ones({1, 1, 3}), 0)) == "f32[1, 3]");
}

TEST_CASE("logsumexp: of nothing is -infinity; its gradient is softmax") {
  CHECK(near(logsumexp(ones({0})), {-infinity}));
  CHECK(near(logsumexp(ones({2, 0}), 1), {-infinity, -infinity}));
  CHECK(near(logsumexp(integers({0, 0})), {std::log(2.0)}));
  CHECK(near(grad([](const Tensor& x) { return logsumexp(x); })(vector({1, 2, 3})),
             {0.090031, 0.244728, 0.665241}));
}

TEST_CASE("std: is the root of var, with gradient 0 where it is 0") {
  const auto spread = [](const Tensor& x) { return sinter::std(x); };
  const Tensor x = vector({1, 2, 4, 10});

  CHECK(near(sinter::std(x), {4.031129}));
  CHECK(near(sinter::std(tensor({1, 3, 5, 5}, {2, 2}), 1, true, 0), {1, 0}));
  CHECK(near(sinter::std(vector({3})), {not_a_number}));
  CHECK(near(var(x, 0, false, 5), {infinity}));
  CHECK(near(grad(spread)(x), {-0.268742, -0.186052, -0.020672, 0.475466}));
  CHECK(near(grad(spread)(vector({2, 2})), {0, 0}));
  CHECK(near(compile(grad(spread))(vector({2, 2})), {0, 0}));
}

TEST_CASE("norm: of every order, with the gradients of torch") {
  const Tensor x = tensor({3, -4, 0, 1, 2, -2}, {2, 3});
  const auto norms = [&](double p) { return norm(x, p, 1); };
  const auto slopes = [&](double p) {
    return grad([p](const Tensor& at) { return sum(norm(at, p, 1)); })(x);
  };
  CHECK(near(norm(x), {std::sqrt(34.0)}));
  CHECK(near(norms(2), {5, 3}));
  CHECK(near(norms(1), {7, 5}));
  CHECK(near(norms(0), {2, 3}));
  CHECK(near(norms(3), {4.497941, 2.571282}));
  CHECK(near(norms(0.5), {13.928204, 14.656856}));
  CHECK(near(norms(infinity), {4, 2}));
  CHECK(near(norms(-infinity), {0, 1}));
  CHECK(near(norms(-1), {0, 0.5}));
  CHECK(near(slopes(2), {0.6, -0.8, 0, 1.0 / 3, 2.0 / 3, -2.0 / 3}));
  CHECK(near(slopes(0.5), {2.154701, -1.866025, 0, 3.828427, 2.707107, -2.707107}));
  CHECK(near(slopes(3), {0.444851, -0.790847, 0, 0.151252, 0.605007, -0.605007}));
  CHECK(near(slopes(infinity), {0, -1, 0, 0, 0.5, -0.5}));
  CHECK(near(slopes(-1), {0, 0, 0, 0.25, 0.0625, -0.0625}));
  CHECK(near(slopes(0), {0, 0, 0, 0, 0, 0}));
  CHECK(to_string(norm(x, 2, {0, 1}, true)) == "f32[1, 1]");
  CHECK(near(norm(integers({3, 4})), {5}));
  CHECK(near(norm(ones({0})), {0}));
}

TEST_CASE("norm: has gradient 0 at 0") {
  for (const double p : {2.0, 1.0, 3.0, 0.5, double(infinity)}) {
    const auto length = [p](const Tensor& x) { return norm(x, p); };
    CHECK(near(grad(length)(zeros({2})), {0, 0}));
    CHECK(near(compile(grad(length))(zeros({2})), {0, 0}));
  }
}

TEST_CASE("nansum, nanmean, count_nonzero: leave out what is no number, or 0") {
  const Tensor x = tensor({1, not_a_number, 3, 0, not_a_number, not_a_number}, {2, 3});

  CHECK(near(nansum(x), {4}));
  CHECK(near(nansum(x, 0), {1, 0, 3}));
  CHECK(near(nanmean(x, 1), {2, 0}));
  CHECK(near(nanmean(x, 0), {0.5, not_a_number, 3}));
  CHECK(near(count_nonzero(vector({0, 2, not_a_number})), {2}));
  CHECK(near(nansum(integers({1, 2})), {3}));
}

TEST_CASE("sum, prod, mean: take a dtype") {
  CHECK(sum(matrix, 0, false, f64).dtype() == f64);
  CHECK(near(sum(full({3}, 200, u8), 0, false, u8), {88}));
  CHECK(near(prod(vector({2.5f, 3.5f}), 0, true, i32), {6}));
  CHECK(near(mean(integers({1, 2}), 0, false, f64), {1.5}));
}

TEST_CASE("reduce: half precision is computed with in f32") {
  const Tensor many = full({100'000}, 1, f16), large = full({4}, 300, f16);

  CHECK(near(mean(many), {1}));
  CHECK(mean(many).dtype() == f16);
  CHECK(near(norm(large), {600}));
  CHECK(near(var(vector({1000, 1001, 1002}).to(f16)), {1}));
  CHECK(near(logsumexp(full({2}, 60'000, f16)), {60'000}));
}

TEST_CASE("reduce: what is compiled agrees, for the sizes of x and for any") {
  const auto check = [](auto function) {
    const Tensor x = tensor({1, 5, -3, 4, 2, 0}, {2, 3});
    Tensor marked = x;
    mark_dynamic(marked, 0);
    mark_dynamic(marked, 1);
    const Numbers expected = numbers(function(x));
    const bool is_sized = sinter_test::by_device(true, sinter_test::next_turn());
    if (is_sized) CHECK(near(compile(function)(x), expected));
    if (!is_sized || !sinter_test::on_gpu()) CHECK(near(compile(function)(marked), expected));
  };
  check([](const Tensor& x) { return sinter::std(x, 1); });
  check([](const Tensor& x) { return norm(x, 3, 0); });
  check([](const Tensor& x) { return norm(x, -infinity); });
  check([](const Tensor& x) { return logsumexp(x, 0, true); });
  check([](const Tensor& x) { return argmin(x, 1); });
  check([](const Tensor& x) { return nanmean(sqrt(x), 1); });
  check([](const Tensor& x) { return count_nonzero(x, 0); });
}

TEST_CASE("reduce: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, sum(matrix, 2), "sum: x has no such axis", "f32[2, 3]", "axis  2");
  MISTAKE(IndexError, mean(matrix, -3), "mean: ", "axis  -3", "-2 <= axis < 2");
  MISTAKE(ValueError, sum(matrix, {0, -2}), "sum: an axis is named twice", "named", "[0, -2]");
  MISTAKE(ValueError, max(ones({0, 3}), 0), "max: there is nothing to choose from", "f32[0, 3]");
  MISTAKE(ValueError, argmin(ones({0})), "argmin: ", "f32[0]");
  MISTAKE(ValueError, argmax(matrix, {0, 1}), "argmax: ", "f32[2, 3]", "[0, 1]");
  MISTAKE(IndexError, var(matrix, 5), "var: ", "f32[2, 3]");
  MISTAKE(IndexError, logsumexp(matrix, 5), "logsumexp: ", "f32[2, 3]");
  MISTAKE(IndexError, sinter::std(matrix, 5), "std: ", "f32[2, 3]");
  MISTAKE(IndexError, norm(matrix, 2, 5), "norm: ", "f32[2, 3]");
  MISTAKE(ValueError, norm(ones({0}), infinity), "norm: there is nothing to choose from");
  MISTAKE(IndexError, any(matrix, 5), "any: ", "f32[2, 3]");
  MISTAKE(IndexError, all(matrix, 5), "all: ", "f32[2, 3]");
  MISTAKE(IndexError, nanmean(matrix, 5), "nanmean: ", "f32[2, 3]");
}
