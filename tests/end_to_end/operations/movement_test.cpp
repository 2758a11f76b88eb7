// test: moved
// Movement functions: compiled and eager agree, for static and varying sizes; gradients agree with
// finite differences.

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Case {
  const char* name;
  Shape shape;
  std::function<Tensor(const Tensor&)> function;
};

Tensor example(const Shape& shape) {
  return sin(reshape(arange(numel(shape)), shape).to(f64) * 1.7) + 1;
}

// x times itself moved: the gradient depends on where each element went.
const std::vector<Case> cases{
    {"concatenate",
     {3, 4},
     [](const Tensor& x) {
       return concatenate({x, x * x, exp(x)}, 1);
     }},
    {"in a reader",
     {3, 4},
     [](const Tensor& x) {
       return square(concatenate({x, -x}, 0));
     }},
    {"reduced",
     {3, 4},
     [](const Tensor& x) {
       return sum(concatenate({x, x * x}, 1), 0);
     }},
    {"rows",
     {3, 4},
     [](const Tensor& x) {
       return softmax(concatenate({x, x * x}, 1), -1);
     }},
    {"many parts",
     {2, 3},
     [](const Tensor& x) {
       std::vector<Tensor> parts;
       for (int i = 1; i < 21; ++i) parts.push_back(x * x * i);
       return concatenate(parts, 1);
     }},
    {"of reductions",
     {3, 4},
     [](const Tensor& x) {
       return concatenate({sum(x, 0, true), max(x, 0, true), x * x});
     }},
    {"into a product",
     {3, 4},
     [](const Tensor& x) {
       return matmul(x, transpose(concatenate({x, x * x}, 0), 0, 1));
     }},
    {"stack",
     {3, 4},
     [](const Tensor& x) {
       return stack({x, x * x}, -1);
     }},
    {"narrow", {5, 4}, [](const Tensor& x) { return square(narrow(x, 0, 1, 3)); }},
    {"repeat",
     {3, 2},
     [](const Tensor& x) {
       return square(repeat(x, {2, 1, 3}));
     }},
    {"tile", {3, 2}, [](const Tensor& x) { return square(tile(x, {2})); }},
    {"repeat_interleave", {3, 2}, [](const Tensor& x) { return square(repeat_interleave(x, 3)); }},
    {"meshgrid",
     {4},
     [](const Tensor& x) {
       return meshgrid({x, x * x})[0] * x;
     }},
    {"roll",
     {3, 4},
     [](const Tensor& x) {
       return roll(x, {1, -1}, {0, 1}) * x;
     }},
    {"roll all", {3, 4}, [](const Tensor& x) { return roll(x, 5) * x; }},
    {"moveaxis", {2, 3, 4}, [](const Tensor& x) { return square(moveaxis(x, 0, -1)); }},
    {"rot90", {3, 4}, [](const Tensor& x) { return square(rot90(x)); }},
    {"unfold", {2, 7}, [](const Tensor& x) { return prod(unfold(x, 1, 3, 1), -1); }},
    {"unfold apart", {2, 7}, [](const Tensor& x) { return square(unfold(exp(x), 1, 2, 3)); }},
    {"windows times weights",
     {2, 7},
     [](const Tensor& x) {
       return matmul(unfold(x, 1, 4, 1), ones({4, 3}, f64)) * 0.5;
     }},
    {"tril", {3, 4}, [](const Tensor& x) { return square(tril(x, 1)); }},
    {"triu", {2, 4, 3}, [](const Tensor& x) { return square(triu(x, -1)); }},
    {"diagonal", {4, 5}, [](const Tensor& x) { return square(diagonal(x, 1)); }},
    {"diag", {4}, [](const Tensor& x) { return square(diag(x, -1)); }},
    {"trace", {4, 5}, [](const Tensor& x) { return trace(x * x); }},
    {"reflect",
     {4, 5},
     [](const Tensor& x) {
       return square(pad(x, {{2, 1}, {0, 3}}, PadMode::reflect));
     }},
    {"replicate",
     {4},
     [](const Tensor& x) {
       return square(pad(x, {{2, 1}}, PadMode::replicate));
     }},
    {"circular",
     {4},
     [](const Tensor& x) {
       return square(pad(x, {{4, 1}}, PadMode::circular));
     }},
};

Numbers numbers_of(const Tensor& x) { return x.to(f64).to_vector<double>(); }

// The derivative of the weighted sum of the result of `one`.
Numbers differences(const Case& one, const Tensor& x, const std::function<Tensor(Tensor)>& loss) {
  const ScopedDevice host(cpu());  // finite differences are fast here
  const Numbers at = numbers_of(x);
  Numbers result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto value = [&](double step) {
      Numbers moved = at;
      moved[i] += step;
      return loss(one.function(from_vector(moved, x.shape()))).item<double>();
    };
    result.push_back((value(1e-5) - value(-1e-5)) / 2e-5);
  }
  return result;
}

Tensor weighted(const Tensor& y) {
  return sum(y * cos(reshape(arange(y.numel()), y.shape()).to(f64)));
}

}  // namespace

TEST_CASE("movement: compiled and eager agree, for all sizes") {
  for (const Case& one : cases) {
    INFO(one.name);
    const auto compiled = compile([f = one.function](const Tensor& x) { return f(x); });
    const auto dynamic = compile([f = one.function](const Tensor& x) { return f(x); });
    Tensor x = example(one.shape);
    const Tensor expected = on_host(one.function, x);
    CHECK(near(compiled(x), numbers_of(expected), 1e-12));
    for (int dim = 0; dim < x.ndim(); ++dim) mark_dynamic(x, dim);
    const Tensor found = dynamic(x);
    CHECK(same(found.type(), expected.type()));
    CHECK(near(found, numbers_of(expected), 1e-12));
  }
}

TEST_CASE("movement: gradients agree with finite differences, eager and compiled") {
  for (const Case& one : cases) {
    INFO(one.name);
    const Tensor x = example(one.shape);
    const auto loss = [f = one.function](const Tensor& at) { return weighted(f(at)); };
    const Numbers expected = differences(one, x, weighted);
    CHECK(near(grad(loss)(x), expected, 1e-7));
    CHECK(near(compile(grad(loss))(x), expected, 1e-7));
  }
}

TEST_CASE("movement: empty tensors, eager and compiled") {
  const auto moves = compile([](const Tensor& x) {
    return concatenate({roll(x, 1, 0), tile(x, {2, 1}), flip(x, 0), tril(x)}, 0);
  });
  CHECK(to_string(moves(zeros({0, 3}))) == "f32[0, 3]");
  CHECK(to_string(moves(zeros({3, 0}))) == "f32[15, 0]");
  const auto sums = compile([](const Tensor& x) { return cumsum(exp(reshape(x, {0, 3})), 0); });
  CHECK(to_string(sums(zeros({2, 0, 3}))) == "f32[0, 3]");
}

TEST_CASE("movement: row functions around a reshape of a size that may be 0") {
  const auto framed = compile([](const Tensor& x) {
    return pad(reshape(x.to(f64), {-1, 3}), {{2, 1}, {0, 0}});
  });
  for (const std::int64_t size : {4, 0, 1}) {
    Tensor x = ones({2, size, 3});
    mark_dynamic(x, 1);
    const Tensor rows = framed(x);
    CHECK(same(rows.shape(), {2 * size + 3, 3}));
    CHECK(sum(rows).item<double>() == static_cast<double>(6 * size));
  }
  CHECK(framed.stats().variants == 1);
}
