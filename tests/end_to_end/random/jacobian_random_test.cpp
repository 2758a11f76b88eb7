// All rows of a Jacobian use the random draws of the function, also where they are rematerialized:
// in the gradients of a checkpoint and of a scan.

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

constexpr int size = 3;

const auto total = [](const auto& f) { return [f](const Tensor& x) { return sum(f(x)); }; };

const auto cubes = [](const Tensor& x) { return x * x * x * randn({size}); };

const auto scanned = [](const Tensor& x) {
  const auto step = [](const Tensor& before, const Tensor& one) {
    const Tensor next = before * rand({}) + one * one * one * randn({});
    return std::tuple{next, next * rand({})};
  };
  return std::get<1>(scan(step, ones({}), x));
};

const auto turns = [](const Tensor& x) {
  const auto goes_on = [](const Tensor& i, const Tensor&) { return i < 3; };
  const auto step = [](const Tensor& i, const Tensor& sum) {
    return std::tuple{i + 1, sum + rand({size})};
  };
  const auto drawn = std::get<1>(while_loop(goes_on, step, zeros({}, i64), zeros({size})));
  return x * x * x * detach(drawn);
};

const auto custom = custom_gradient(
    [](const Tensor& x) { return x * rand({size}); },
    [](const Tensor& x, const Tensor&, const Tensor& g) { return g * x * x * rand({size}); });

template <class F>
std::vector<float> drawn(const F& f, const Tensor& x) {
  random::manual_seed(7);
  return f(x).template to_vector<float>();
}

bool near_lists(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != doctest::Approx(expected[i])) return false;
  }
  return true;
}

// The Jacobian, as one gradient per row.
template <class F>
std::vector<float> rows_of(const F& f, const Tensor& x) {
  std::vector<float> result;
  for (int row = 0; row < size; ++row) {
    const auto element = [&](const Tensor& v) { return f(v)[row]; };
    const std::vector<float> found = drawn(grad(element), x);
    result.insert(result.end(), found.begin(), found.end());
  }
  return result;
}

template <class F>
void check_drawn(const F& f, const Tensor& x, const std::vector<float>& expected) {
  CHECK(near_lists(drawn(f, x), expected));
  auto compiled = compile(f);
  CHECK(near_lists(drawn(compiled, x), expected));
  CHECK(near_lists(drawn(compiled, x), expected));
}

template <class F>
void check_jacobians(const F& f) {
  const Tensor x = arange(size).to(f32) - 0.75f;
  check_drawn(jacrev(f), x, rows_of(f, x));
  check_drawn(jacfwd(f), x, rows_of(f, x));
  const auto first = grad(total(f));
  check_drawn(hessian(total(f)), x, rows_of(first, x));
  check_drawn(jacrev(first), x, rows_of(first, x));
  auto compiled = compile(f);
  CHECK(near_lists(drawn(jacrev(compiled), x), rows_of(f, x)));
}

}  // namespace

TEST_CASE("jacobian random: the second derivatives of elementwise cubes are diagonal") {
  const auto f = checkpoint(total(cubes));
  const std::vector<float> gradient = drawn(grad(f), ones({size}));
  const std::vector<float> second = drawn(hessian(f), ones({size}));
  for (std::size_t i = 0; i < second.size(); ++i) {
    const bool is_diagonal = i % (size + 1) == 0;
    CHECK(second[i] == doctest::Approx(is_diagonal ? 2 * gradient[i / size] : 0));
  }
}

TEST_CASE("jacobian random: a checkpoint uses the draws of its function") {
  const Tensor x = arange(size).to(f32) - 0.75f;
  CHECK(near_lists(rows_of(checkpoint(cubes), x), rows_of(cubes, x)));
  CHECK(near_lists(rows_of(checkpoint(scanned), x), rows_of(scanned, x)));
  CHECK(near_lists(rows_of(checkpoint(turns), x), rows_of(turns, x)));
}

TEST_CASE("jacobian random: without rematerialisation") { check_jacobians(cubes); }
TEST_CASE("jacobian random: checkpoint") { check_jacobians(checkpoint(cubes)); }
TEST_CASE("jacobian random: checkpoint in a checkpoint") {
  check_jacobians(checkpoint([](const Tensor& x) { return checkpoint(cubes)(x) * rand({size}); }));
}
TEST_CASE("jacobian random: scan") { check_jacobians(scanned); }
TEST_CASE("jacobian random: scan in a checkpoint") { check_jacobians(checkpoint(scanned)); }
TEST_CASE("jacobian random: while_loop in a checkpoint") { check_jacobians(checkpoint(turns)); }
TEST_CASE("jacobian random: draws in a custom gradient") { check_jacobians(custom); }

namespace {

// `f` computes, elementwise, a random number times x to the power of `exponent`.
template <class F>
void check_samples(const F& f, float exponent) {
  const Tensor x = ones({2, size});
  const std::vector<float> values = drawn(vmap(f), x);
  const std::vector<float> jacobians = drawn(vmap(jacrev(f)), x);
  for (std::size_t i = 0; i < jacobians.size(); ++i) {
    const std::size_t sample = i / (size * size), row = i / size % size, column = i % size;
    const float expected = row == column ? exponent * values[sample * size + row] : 0;
    CHECK(jacobians[i] == doctest::Approx(expected));
  }
  CHECK(values[0] != values[size]);
}

template <class F>
void check_pullbacks(const F& f) {
  random::manual_seed(7);
  const auto found = vjp(f, ones({size}));
  const std::vector<float> draws = found.value.template to_vector<float>();
  const auto back = [&](const Tensor& seed) { return found.pullback(seed); };
  const auto in_branch = [&](const Tensor& seed) {
    const auto nothing = [] { return zeros({size}); };
    return cond(
        sum(seed) > 0, [&] { return back(seed); }, nothing);
  };
  const auto check = [&](const Tensor& gradients) {
    const std::vector<float> list = gradients.to_vector<float>();
    for (std::size_t i = 0; i < list.size(); ++i) {
      CHECK(list[i] == doctest::Approx(3 * draws[i % size]));
    }
  };
  check(back(ones({size})));
  check(vmap(back)(ones({4, size})));
  check(vmap(vmap(back))(ones({4, 2, size})));
  check(vmap(in_branch)(ones({4, size})));
}

}  // namespace

TEST_CASE("jacobian random: samples of an enclosing vmap draw separately") {
  check_samples(checkpoint(cubes), 3);
  check_samples(checkpoint([](const Tensor& x) { return square(checkpoint(cubes)(x)); }), 6);
}

TEST_CASE("jacobian random: the steps of a scan, for each sample of an enclosing vmap") {
  const Tensor x = stack({arange(size).to(f32) - 0.75f, ones({size})}, 0);
  const std::vector<float> found = drawn(vmap(jacrev(scanned)), x);
  for (int row = 0; row < size; ++row) {
    const auto element = [&](const Tensor& v) { return scanned(v)[row]; };
    const std::vector<float> expected = drawn(vmap(grad(element)), x);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t sample = i / size, column = i % size;
      const std::size_t at = (sample * size + static_cast<std::size_t>(row)) * size + column;
      CHECK(found[at] == doctest::Approx(expected[i]));
    }
  }
}

TEST_CASE("jacobian random: a pullback in one vmap, in two, and in a branch") {
  check_pullbacks(checkpoint(cubes));
  check_pullbacks(checkpoint(turns));
}
