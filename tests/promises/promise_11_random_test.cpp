// test: moved
// Promise 11: each random call is a draw of its own, the same in every backend.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

std::vector<Tensor> draws() {
  return {rand({7}),
          rand({7}),
          rand({4, 5}, f64),
          randint(-3, 9, {20}),
          bernoulli(full({30}, 0.3f)),
          dropout(ones({30}), 0.4),
          randn({50})};
}

// The distance of `a` from `b` in units of the last place of a float.
double ulps(float a, float b) {
  const float unit = std::nextafter(std::fabs(b), HUGE_VALF) - std::fabs(b);
  return std::fabs(static_cast<double>(a) - b) / unit;
}

}  // namespace

TEST_CASE("promise 2.11: each random call is a draw of its own: randn - randn is not 0") {
  const auto difference = [](const Tensor& x) { return x + (randn({4}) - randn({4})); };
  const Tensor x = zeros({4});
  for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
    const auto f = compile(difference, {.backend = backend});
    CHECK_FALSE(static_cast<bool>(any(f(x) == 0.0f)));
  }
  CHECK_FALSE(static_cast<bool>(any(difference(x) == 0.0f)));
}

TEST_CASE("promise 2.11: draws are numbered as written") {
  random::manual_seed(5);
  const Tensor first = rand({8}), second = rand({8});
  elements_of(second);  // which order they are evaluated in does not matter
  elements_of(first);
  random::manual_seed(5);
  const Tensor again = ready(rand({8})), after = ready(rand({8}));
  CHECK(same_bits(first, again));
  CHECK(same_bits(second, after));
  CHECK_FALSE(same_bits(first, second));
}

TEST_CASE("promise 2.11: a draw is one value, however often it is read") {
  const auto f = compile([](const Tensor& x) {
    const Tensor noise = rand({16});
    return std::vector<Tensor>{x + noise, x + noise, noise - noise};
  });
  const std::vector<Tensor> found = f(zeros({16}));
  CHECK(same_bits(found[0], found[1]));
  CHECK(is(found[2], 0));
  const Tensor eager = rand({16});
  CHECK(same_bits(eager + 0.0f, eager * 1.0f));
}

TEST_CASE("promise 2.11: the offset is state that each call advances") {
  const auto f = compile([](const Tensor& x) { return x + rand({32}); });
  const Tensor x = zeros({32});
  random::manual_seed(6);
  std::vector<Tensor> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(f(x));
  for (std::size_t i = 1; i < 4; ++i) CHECK_FALSE(same_bits(calls[i], calls[i - 1]));
  random::manual_seed(6);
  for (std::size_t i = 0; i < 4; ++i) CHECK(same_bits(f(x), calls[i]));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.11: a saved random state reproduces the numbers") {
  const auto f = compile([](const Tensor& x) { return x * rand({32}); });
  const Tensor x = ones({32});
  random::manual_seed(7);
  f(x);
  const random::State kept = random::state();
  const Tensor second = f(x), third = f(x);
  random::set_state(kept);
  CHECK(same_bits(f(x), second));
  CHECK(same_bits(f(x), third));
}

TEST_CASE("promise 2.11: bits and uniforms are identical in every backend, normals within 1 ulp") {
  const auto program = [](const Tensor&) { return draws(); };
  std::vector<std::vector<Tensor>> found;
  for (const Backend backend : {Backend::eager, Backend::fused, Backend::aot_eager}) {
    const auto f = compile(program, {.backend = backend});
    random::manual_seed(8);
    found.push_back(f(zeros({1})));
  }
  for (std::size_t backend = 1; backend < 3; ++backend) {
    for (std::size_t draw = 0; draw < 6; ++draw) {
      INFO("backend " << backend << ", draw " << draw);
      CHECK(same_bits(found[backend][draw], found[0][draw]));
    }
    const auto normals = found[backend][6].to_vector<float>();
    const auto expected = found[0][6].to_vector<float>();
    for (std::size_t i = 0; i < normals.size(); ++i) CHECK(ulps(normals[i], expected[i]) <= 1);
  }
}

TEST_CASE("promise 2.11: values depend on the element's index, not on threads or vectors") {
  const auto f = compile([](const Tensor& x) { return x + rand({70001}); });
  const Tensor x = zeros({70001});
  std::vector<Tensor> found;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    random::manual_seed(9);
    found.push_back(f(x));
  }
  set_num_threads(0);
  CHECK(same_bits(found[0], found[1]));
  random::manual_seed(9);
  const auto part = compile([](const Tensor& v) { return v + rand({11}); });
  CHECK(same_bits(part(zeros({11})), found[0][Slice{0, 11}]));
}

TEST_CASE("promise 2.11: uniforms are in [0, 1), integers in their range, rates are right") {
  random::manual_seed(10);
  const Tensor uniform = rand({20000}), integer = randint(-3, 9, {20000});
  const Tensor kept = dropout(ones({20000}), 0.25), normal = randn({20000});
  CHECK(min(uniform).item<float>() >= 0);
  CHECK(max(uniform).item<float>() < 1);
  CHECK(mean(uniform).item<float>() == doctest::Approx(0.5).epsilon(0.02));
  CHECK(min(integer).item<int>() == -3);
  CHECK(max(integer).item<int>() == 8);
  CHECK(mean(kept).item<float>() == doctest::Approx(1).epsilon(0.02));
  CHECK(mean((kept == 0.0f).to(f32)).item<float>() == doctest::Approx(0.25).epsilon(0.05));
  CHECK(std::fabs(mean(normal).item<float>()) < 0.03);
  CHECK(var(normal).item<float>() == doctest::Approx(1).epsilon(0.04));
}

TEST_CASE("promise 2.11: dropout masks of the gradient are those of the value") {
  random::manual_seed(13);
  const auto f = compile([](const Tensor& x) {
    const auto [value, gradient] =
        value_and_grad([](const Tensor& v) { return sum(dropout(v, 0.5)); })(x);
    return std::vector<Tensor>{value, sum(gradient)};
  });
  const std::vector<Tensor> found = f(ones({100}));
  CHECK(near_tensor(found[0], found[1]));
}

TEST_CASE("promise 2.11: a call that fails draws nothing") {
  const auto f = compile(
      [](const Tensor& x, const Tensor& index) { return index_select(x + rand({8}), 0, index); });
  const Tensor x = zeros({8}), good = integers({1, 2}), bad = integers({1, 8});
  random::manual_seed(12);
  const Tensor first = f(x, good), second = f(x, good);
  random::manual_seed(12);
  CHECK(same_bits(f(x, good), first));
  CHECK_THROWS_AS(f(x, bad), IndexError);
  CHECK(same_bits(f(x, good), second));
}
