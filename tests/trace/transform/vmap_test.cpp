// test: moved
#include "testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/typed/reduce.hpp>
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

#include <set>

using namespace testing;

namespace {

Tensor square_sum(const Tensor& x) { return sum(x * x); }

struct Scaled {
  Tensor weight = vector({2, 3});
  Scalar factor = 10.0f;
  std::vector<Tensor> more{vector({1, 1})};
  SINTER_MODULE(Scaled, weight, factor, more)
  Tensor forward(const Tensor& x) const { return x * weight * factor + more[0]; }
};

bool same_shape(const Tensor& x, const Shape& shape) { return same(x.shape(), shape); }

}  // namespace

TEST_CASE("vmap: a function of a sample is a function of a batch") {
  const Tensor x = counting({2, 3});
  CHECK(near(vmap(square_sum)(x), {5, 50}));
  const auto add_one = [](const Tensor& v) {
    CHECK(same_shape(v, {3}));
    return v + 1;
  };
  CHECK(near(vmap(add_one)(x), {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("vmap: of a function of the library, by its name") {
  const Tensor x = counting({2, 3});
  CHECK(near(vmap(sum)(x), {3, 12}));
  CHECK(near(vmap(max)(x), {2, 5}));
  CHECK(near(vmap(mean, 1)(x), {1.5, 2.5, 3.5}));
  CHECK(near(vmap([](const Tensor& v) { return sum(v, 1); })(counting({2, 2, 2})), {1, 5, 9, 13}));
}

TEST_CASE("vmap: samples lie along the axes that are named, from the end if negative") {
  const Tensor x = counting({2, 3}), y = vector({10, 20});
  const auto f = [](const Tensor& a, const Tensor& b) { return a * 100 + b; };
  CHECK(near(vmap(f, {1, unbatched})(x, y), {10, 320, 110, 420, 210, 520}));
  CHECK(near(vmap(f, {-1, unbatched}, -1)(x, y), {10, 110, 210, 320, 420, 520}));
  CHECK(near(vmap(f, {unbatched, 0})(x, y),
             {10, 110, 210, 310, 410, 510, 20, 120, 220, 320, 420, 520}));
  CHECK(near(vmap(f, {0, std::nullopt}, 1)(x, vector({0, 1, 2})), {0, 300, 101, 401, 202, 502}));
  CHECK(same_shape(vmap(f, {1, 0}, 2)(zeros({4, 5, 6}), zeros({5})), {4, 6, 5}));
}

TEST_CASE("vmap: several results have an axis each") {
  const Tensor x = counting({2, 3});
  const auto f = [](const Tensor& v) { return std::tuple{v * 2, sum(v), ones({2})}; };
  const auto [a, b, c] = vmap(f, 0, {1, 0, unbatched})(x);
  CHECK(same_shape(a, {3, 2}));
  CHECK(near(b, {3, 12}));
  CHECK(near(c, {1, 1}));
  const auto [d, e, g] = vmap(f)(x);
  CHECK(same_shape(d, {2, 3}));
  CHECK(same_shape(e, {2}));
  CHECK(near(g, {1, 1, 1, 1}));
}

TEST_CASE("vmap: of vmap, as often as one likes") {
  const Tensor x = counting({2, 3}), y = counting({4});
  const auto add = [](const Tensor& a, const Tensor& b) {
    CHECK(a.ndim() == 0);
    return a * 10 + b;
  };
  const auto outer = vmap(vmap(vmap(add, {unbatched, 0}), {0, unbatched}), {0, unbatched});
  const Tensor found = outer(x, y);
  CHECK(same_shape(found, {2, 3, 4}));
  CHECK(near(found[1][2], {50, 51, 52, 53}));
  CHECK(near(vmap(vmap(square_sum, 0), 1)(counting({2, 2, 2})), {1, 41, 13, 85}));
}

TEST_CASE("vmap: captured tensors, numbers and Scalars are the same for all samples") {
  const Tensor w = vector({1, 10, 100});
  const Scalar offset = 0.5f;
  const auto f = [&](const Tensor& x, float factor, const Scalar& shift) {
    return sum(x * w) * factor + shift + offset;
  };
  CHECK(near(vmap(f)(counting({2, 3}), 2.0f, Scalar(1.0f)), {421.5, 1087.5}));
}

TEST_CASE("vmap: gradients of samples, and gradients through batches") {
  const Tensor x = counting({2, 3}), w = vector({1, 2, 3});
  const auto loss = [](const Tensor& v, const Tensor& u) { return square_sum(v * u); };
  CHECK(near(vmap(grad(loss), {unbatched, 0})(w, x), {0, 4, 24, 18, 64, 150}));
  const auto total = [&](const Tensor& v) { return sum(vmap(loss, {unbatched, 0})(v, x)); };
  CHECK(near(grad(total)(w), {18, 68, 174}));
  const auto second = grad([&](const Tensor& v) { return sum(grad(total)(v)); });
  CHECK(near(second(w), {18, 34, 58}));
  const auto inner = [&](const Tensor& v) { return sum(grad(square_sum)(v) * v); };
  CHECK(near(vmap(grad(inner))(x), {0, 4, 8, 12, 16, 20}));
}

TEST_CASE("vmap: structs, modules and containers") {
  const Tensor x = counting({3, 2});
  const auto call = [](const Scaled& m, const Tensor& v) { return m(v); };
  CHECK(near(vmap(call, {unbatched, 0})(Scaled(), x), {1, 31, 41, 91, 81, 151}));
  CHECK(near(vmap(Scaled())(x), {1, 31, 41, 91, 81, 151}));
  std::vector<Scaled> models(2);
  models[1].weight = vector({0, 1});
  models[1].more[0] = vector({5, 6});
  const Scaled stacked = nn::stack_modules(models);
  CHECK(same_shape(stacked.weight, {2, 2}));
  CHECK(near(vmap(call, {0, unbatched})(stacked, vector({1, 2})), {21, 61, 5, 26}));
  const auto both = [](const std::vector<Tensor>& list) { return std::vector{list[0] + list[1]}; };
  CHECK(near(vmap(both)(std::vector{x, x})[0], {0, 2, 4, 6, 8, 10}));
}

TEST_CASE("vmap: an ensemble is one matrix product") {
  std::vector<nn::Linear> layers;
  for (int i = 0; i < 3; ++i) layers.emplace_back(4, 5);
  const Tensor x = randn({7, 4});
  const auto call = [](const nn::Linear& layer, const Tensor& v) { return layer(v); };
  const Tensor found = vmap(call, {0, unbatched})(nn::stack_modules(layers), x);
  CHECK(same_shape(found, {3, 7, 5}));
  for (int i = 0; i < 3; ++i) {
    CHECK(near(found[i], numbers(layers[static_cast<std::size_t>(i)](x)), 1e-5));
  }
}

TEST_CASE("vmap: gradients of a module for each sample have its structure") {
  const nn::Linear model(2, 1);
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2});
  const auto loss = [](const nn::Linear& m, const Tensor& v) { return sum(m(v)); };
  const nn::Linear gradients = vmap(grad(loss), {unbatched, 0})(model, x);
  CHECK(same_shape(gradients.weight, {2, 1, 2}));
  CHECK(near(gradients.weight, {1, 2, 3, 4}));
  CHECK(near(*gradients.bias, {1, 1}));
  CHECK(gradients.bias->device() == x.device());
  CHECK(vmap(grad([](const Tensor& v) { return sum(v); }))(x).device() == x.device());
  const auto closure = [](nn::Linear m, const Tensor& v) {
    return value_and_grad(m, [&] { return sum(m(v)); }).gradients;
  };
  CHECK(near(vmap(closure, {unbatched, 0})(model, x)["weight"], {1, 2, 3, 4}));
}

TEST_CASE("vmap: branches and loops") {
  const Tensor x = tensor({1, 2, -3, 4}, {2, 2});
  const auto branch = [](const Tensor& v) {
    return cond(
        sum(v) > 2, [](const Tensor& t) { return t * 10; }, [](const Tensor& t) { return t - 1; },
        v);
  };
  CHECK(near(vmap(branch)(x), {10, 20, -4, 3}));
  const auto halve = [](const Tensor& v) {
    return while_loop([](const Tensor& t) { return sum(t) > 1; },
                      [](const Tensor& t) { return t * 0.5f; }, v);
  };
  CHECK(near(vmap(halve)(tensor({4, 4, 1, 0}, {2, 2})), {0.5, 0.5, 1, 0}));
  const auto running = [](const Tensor& v) {
    return scan([](const Tensor& c, const Tensor& t) { return std::pair{c + t, c + t}; }, 0.0f, v);
  };
  const auto [last, all_sums] = vmap(running)(x);
  CHECK(near(last, {3, 1}));
  CHECK(near(all_sums, {1, 3, -3, 1}));
  const auto loss = [&](const Tensor& v) { return sum(running(v).second) + sum(branch(v)); };
  CHECK(near(vmap(grad(loss))(x), {12, 11, 3, 2}));
}

TEST_CASE("vmap: random numbers are others in each sample") {
  random::manual_seed(1);
  const auto noise = [](const Tensor& v) { return v + rand({4}); };
  const Numbers found = numbers(vmap(noise)(zeros({8})));
  CHECK(std::set<double>(found.begin(), found.end()).size() == 32);
  CHECK(numbers(vmap(noise)(zeros({8}))) != found);
  random::manual_seed(1);
  CHECK(numbers(vmap(noise)(zeros({8}))) == found);
}

TEST_CASE("vmap: batches of no samples and of one") {
  CHECK(same_shape(vmap(square_sum)(zeros({0, 3})), {0}));
  CHECK(near(vmap(square_sum)(counting({1, 3})), {5}));
}

TEST_CASE("vmap: mistakes name the arguments and the line") {
  const Tensor x = zeros({2, 3}), y = zeros({4});
  const auto f = [](const Tensor& a, const Tensor& b) { return sum(a) + sum(b); };
  expect_mistake<ShapeError>([&] { vmap(f)(x, y); },
                             {"vmap: batches have different sizes", "argument 0: f32[2, 3]",
                              "argument 1: f32[4]", "unbatched"},
                             Where::current().line() - 3, __FILE__);
  expect_mistake<ValueError>(
      [&] {
        vmap(f, {0, 1, 0})(x, y);
      },
      {"in_axes", "arguments"}, Where::current().line() - 2, __FILE__);
  expect_mistake<ValueError>([&] { vmap(f, unbatched)(x, y); }, {"no argument is batched"},
                             Where::current().line() - 1, __FILE__);
  expect_mistake<IndexError>([&] { vmap(square_sum, 2)(x); }, {"vmap"}, Where::current().line(),
                             __FILE__);
  expect_mistake<IndexError>([&] { vmap(square_sum, 0, 1)(x); }, {"out_axes has axis 1"},
                             Where::current().line() - 1, __FILE__);
  expect_mistake<ValueError>([&] { vmap(square_sum, 0, unbatched)(x); },
                             {"a result that is to be unbatched"}, Where::current().line() - 1,
                             __FILE__);
}

TEST_CASE("vmap: a read of elements throws, with the way out") {
  try {
    vmap([](const Tensor& v) {
      if (sum(v) > 0) return v;
      return -v;
    })(zeros({2, 3}));
    FAIL_CHECK("nothing was thrown");
  } catch (const GraphBreakError& error) {
    CHECK(std::string(error.what()).find("a batch is recorded") != std::string::npos);
    CHECK(std::string(error.what()).find("use where") != std::string::npos);
  }
}

TEST_CASE("vmap: a tensor is batched but not what it is captured as") {
  const Tensor x = vector({1, 2, 3});
  CHECK(near(vmap([&](const Tensor& v) { return v * sum(x); })(x), {6, 12, 18}));
  const auto each = [&](const Tensor& v) {
    return vmap([&](const Tensor& u) { return u * v; })(x);
  };
  CHECK(near(vmap(each)(x), {1, 2, 3, 2, 4, 6, 3, 6, 9}));
}
