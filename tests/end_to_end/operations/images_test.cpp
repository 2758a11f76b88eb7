// test: moved
// Convolutions, pools, norms and interpolation: compiled, for sizes that are fixed or vary.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Net {
  nn::Conv2d first{3, 8, 3, {.padding = 1}};
  nn::BatchNorm2d norm{8};
  nn::Conv2d second{8, 8, 3, {.stride = 2, .padding = 1, .groups = 8, .bias = false}};
  nn::GroupNorm groups{4, 8};
  nn::MaxPool2d pool{2};
  nn::AdaptiveAvgPool2d last{1};
  nn::Linear head{8, 4};
  SINTER_MODULE(Net, first, norm, second, groups, pool, last, head)
  Tensor forward(const Tensor& x) {
    const Tensor small = pool(relu(norm(first(x))));
    return head(flatten(last(relu(groups(second(small)))), 1));
  }
};

const auto images = [](const Tensor& x, const Tensor& weight) {
  const Tensor features = conv2d(x, weight, {.stride = 2, .padding = 1, .groups = 2});
  const Tensor pooled = max_pool2d(features, 3, {.stride = 2, .padding = 1, .ceil_mode = true});
  const Tensor whole = interpolate(pooled, {.size = {x.size(2), x.size(3)}, .mode = "bilinear"});
  return whole + avg_pool2d(whole, 3, {.stride = 1, .padding = 1, .count_include_pad = false});
};

const auto gradient = [](const Tensor& x, const Tensor& weight) {
  const auto loss = [&](const Tensor& y) { return sum(square(images(x, y))); };
  const auto other = [&](const Tensor& y) { return sum(square(images(y, weight))); };
  return std::pair{grad(loss)(weight), grad(other)(x)};
};

Tensor marked_image(int batch, int height, int width) {
  Tensor x = randn({batch, 4, height, width}, f64);
  mark_dynamic(x, 0, {.min = 1, .max = 64});
  mark_dynamic(x, 2, {.min = 3, .max = 64});
  mark_dynamic(x, 3, {.min = 3, .max = 64});
  return x;
}

}  // namespace

TEST_CASE("images: one variant serves every batch, height and width") {
  const Tensor weight = randn({4, 2, 3, 3}, f64);
  const auto f = compile(images);
  const auto slopes = compile(gradient);
  for (const auto [batch, height, width] :
       {std::array{2, 8, 8}, std::array{1, 7, 10}, std::array{3, 13, 5}, std::array{2, 4, 17}}) {
    if (by_device(false, batch == 3 || width == 17)) continue;
    const Tensor x = marked_image(batch, height, width);
    CHECK(near(f(x, weight), numbers(on_host(images, x, weight)), 1e-10));
    const auto [of_weight, of_x] = slopes(x, weight);
    const auto [weight_expected, x_expected] = on_host(gradient, x, weight);
    CHECK(near(of_weight, numbers(weight_expected), 1e-9));
    CHECK(near(of_x, numbers(x_expected), 1e-9));
  }
  CHECK(f.stats().variants == 1);
  CHECK(slopes.stats().variants == 1);
}

TEST_CASE("images: a convolutional network trains, one graph per step, eager and compiled alike") {
  random::manual_seed(5);
  const Net start;
  const Tensor x = randn({6, 3, 8, 8}), target = randint(0, 4, {6});
  const int steps = by_device(8, 3);
  const auto train = [&](Backend backend) {
    Net net = start;
    optim::SGD sgd{.learning_rate = 0.2f};
    auto step = compile(
        [](Net& model, optim::SGD& optimizer, const Tensor& input, const Tensor& wanted) {
          auto [loss, gradients] =
              value_and_grad(model, [&] { return cross_entropy(model(input), wanted); });
          optimizer.step(model, gradients);
          return loss;
        },
        {.backend = backend});
    Numbers losses;
    for (int i = 0; i < steps; ++i) {
      losses.push_back(static_cast<double>(step(net, sgd, x, target).template item<float>()));
    }
    CHECK(net.norm.num_batches_tracked->value.item<std::int64_t>() == steps);
    if (backend == Backend::fused) CHECK(step.stats().breaks == 0);
    return losses;
  };
  const Numbers fused = train(Backend::fused), eager = train(Backend::eager);
  CHECK(fused.back() < by_device(0.8, 1.0) * fused.front());
  for (std::size_t i = 0; i < fused.size(); ++i) {
    CHECK(fused[i] == doctest::Approx(eager[i]).epsilon(1e-4));
  }
}

TEST_CASE(
    "images: attention masks and score functions agree with eager evaluation, for any lengths") {
  const auto attend = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    const auto score = [](Tensor s, Tensor, Tensor, Tensor i, Tensor j) {
      return s - abs(i - j).to(f64) * 0.1;
    };
    return scaled_dot_product_attention(q, k, v, {.causal = true, .score = score});
  };
  const auto f = compile(attend);
  for (const int length : {4, 1, 9}) {
    Tensor q = randn({2, 3, length, 4}, f64), k = randn({2, 3, length + 2, 4}, f64);
    Tensor v = randn({2, 3, length + 2, 5}, f64);
    mark_dynamic(q, 2), mark_dynamic(k, 2), mark_dynamic(v, 2);
    CHECK(near(f(q, k, v), numbers(on_host(attend, q, k, v)), 1e-10));
  }
  CHECK(f.stats().variants == 1);
}

TEST_CASE("images: input gradients of convolutions, with many channels and with few") {
  const auto by_input = [](const Tensor& x, const Tensor& weight) {
    return grad([&](const Tensor& y) {
      return sum(square(conv2d(y, weight, {.stride = 2, .padding = 1})));
    })(x);
  };
  for (const std::int64_t channels : {3, 20}) {
    auto compiled = compile(by_input);
    const Tensor weight = randn({5, channels, 3, 3});
    for (const std::int64_t size : {9, by_device(12, 8), 7}) {  // static first, then symbolic
      const Tensor x = randn({2, channels, size, size + 1});
      CHECK(near_tensor(compiled(x, weight), on_host(by_input, x, weight), 1e-3));
      if (size == 9) CHECK((compiled.stats().kernels > 3) == (channels > 16));
    }
  }
}

TEST_CASE("images: first and second derivatives of convolutions, grouped and ungrouped") {
  for (const int groups : {1, 4}) {
    const auto both = [groups](const Tensor& x, const Tensor& weight, const Tensor& g) {
      const auto slope = [&](const Tensor& at) {
        const auto [y, pullback] = vjp(
            [&](const Tensor& v) {
              return conv2d(v, weight, {.stride = {1, 2}, .padding = {3, 1}, .groups = groups});
            },
            x);
        return pullback(at);
      };
      const Tensor second = grad([&](const Tensor& at) { return sum(sin(slope(at))); })(g);
      return std::pair{second, slope(g)};
    };
    auto compiled = compile(both, {.backend = Backend::aot_eager});
    const Tensor weight = randn({4, groups == 1 ? 16 : 2, 4, 3}, f64);
    for (const std::int64_t size : {8, 5, 6}) {
      const Tensor x = randn({2, groups == 1 ? 16 : 8, size, size + 1}, f64);
      const Tensor g = randn({2, 4, size + 3, size / 2 + 1}, f64);
      const auto [second, first] = compiled(x, weight, g);
      const auto [expected_second, expected_first] = on_host(both, x, weight, g);
      CHECK(near(second, numbers(expected_second), 1e-10));
      CHECK(near(first, numbers(expected_first), 1e-10));
    }
  }
}

TEST_CASE("images: a 1 x 1 convolution after a norm of whole images") {
  const auto f = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return conv2d(silu(group_norm(x, 1)), weight, bias);
  };
  const Tensor weight = randn({3, 32, 1, 1}, f64), bias = randn({3}, f64);
  for (const int batch : {1, 2, by_device(40, 5)}) {
    const Tensor x = randn({batch, 32, 7, 7}, f64);
    CHECK(near(compile(f)(x, weight, bias), numbers(on_host(f, x, weight, bias)), 1e-12));
  }
}

TEST_CASE("images: an adaptive mean of equal windows is one kernel, whichever axes they divide") {
  const auto whole = [](const Tensor& x) { return adaptive_avg_pool2d(relu(x), 1); };
  const auto parts = [](const Tensor& x) { return adaptive_avg_pool2d(relu(x), {2, 3}); };
  const Tensor x = randn({2, 4, 6, 9}, f64);
  const auto one = compile(whole);
  const auto six = compile(parts);
  CHECK(near(one(x), numbers(mean(relu(x), {2, 3})), 1e-12));
  const Tensor windows = reshape(relu(x), {2, 4, 2, 3, 3, 3});
  CHECK(near(six(x), numbers(mean(windows, {3, 5})), 1e-12));
  CHECK(one.stats().kernels == 1);
  CHECK(six.stats().kernels == 1);
  const Tensor uneven = randn({2, 4, 7, 9}, f64);
  CHECK(near(six(uneven), numbers(on_host(parts, uneven)), 1e-12));
  CHECK(near(one(uneven), numbers(on_host(whole, uneven)), 1e-12));
}
