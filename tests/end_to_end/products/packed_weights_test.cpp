// Packed-weight cache: weights of products are packed once, and repacked when they change.

#include <doctest/doctest.h>
#include <sinter/device/host/packed_weight_cache.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Layer {
  Tensor weight = randn({48, 80});
  SINTER_MODULE(Layer, weight)
  Tensor forward(const Tensor& x) const { return matmul(x, weight); }
};

struct Rows {
  Tensor mixing = randn({24, 48}), weight = randn({48, 80});
  SINTER_MODULE(Rows, mixing, weight)
  Tensor forward(const Tensor& x) const {
    return matmul(layer_norm(matmul(x, mixing), {48}), weight);
  }
};

Tensor input() {
  const Tensor x = randn({40, 48});
  evaluate(x);
  return x;
}

float apart(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item<float>(); }

// The number of times that panels are packed in `count` calls. Checks each call against eager
// evaluation.
template <class Function>
std::int64_t packed(Function& function, const Layer& layer, const Tensor& x, int count) {
  const std::int64_t before = packed_weight_stats().filled;
  for (int i = 0; i < count; ++i) CHECK(apart(function(x), matmul(x, layer.weight)) < 1e-4f);
  return packed_weight_stats().filled - before;
}

}  // namespace

TEST_CASE("packed weights: a weight is packed once, and repacked after an in-place change") {
  Layer layer;
  evaluate(layer.weight);
  const Tensor x = input();
  auto forward = compile(layer);
  auto step = compile([](Layer& model) { model.weight = model.weight * 0.5f + 1.0f; });
  CHECK(packed(forward, layer, x, 6) == 1);
  const std::int64_t bytes = packed_weight_stats().bytes;
  for (int i = 0; i < 4; ++i) {
    step(layer);
    CHECK(packed_weight_stats().bytes < bytes);  // the packed copy is freed at once
    CHECK(packed(forward, layer, x, 2) == 0);
  }
  CHECK(packed(forward, layer, x, 6) == 1);
  layer.weight = randn({48, 80});
  CHECK(packed(forward, layer, x, 6) == 1);
}

TEST_CASE("packed weights: a step that changes its weights caches no packed weights") {
  Layer layer;
  const Tensor x = input();
  optim::SGD optimizer{.learning_rate = 1e-3f};
  auto step = compile([](Layer& model, optim::SGD& sgd, const Tensor& rows) {
    auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(rows))); });
    sgd.step(model, gradients);
    return loss;
  });
  const auto before = packed_weight_stats();
  for (int i = 0; i < 6; ++i) step(layer, optimizer, x);
  CHECK(packed_weight_stats().filled == before.filled);
  CHECK(packed_weight_stats().bytes == before.bytes);
}

TEST_CASE("packed weights: each weight of a block is packed once") {
  Rows layer;
  const Tensor x = randn({40, 24});
  evaluate(x), evaluate(layer.mixing), evaluate(layer.weight);
  auto rows = compile(layer);
  const auto before = packed_weight_stats();
  for (int change = 0; change < 2; ++change) {
    for (int i = 0; i < 6; ++i) CHECK(apart(rows(x), layer(x)) < 1e-4f);
    CHECK(packed_weight_stats().filled == before.filled + 2 + change);
    layer.weight = randn({48, 80});  // the other layer stays packed
  }
  CHECK(rows.stats().kernels == 1);
}

TEST_CASE("packed weights: functions share a packed weight, which is freed with the weight") {
  const Tensor x = input(), longer = randn({57, 48});
  const auto before = packed_weight_stats();
  {
    Layer layer;
    auto product = compile([](const Tensor& a, const Tensor& w) { return matmul(a, w); });
    auto other =
        compile([](const Tensor& a, const Tensor& w) { return relu(matmul(a, w)) + 1.0f; });
    for (int i = 0; i < 6; ++i) product(x, layer.weight);
    const Tensor expected = relu(matmul(longer, layer.weight)) + 1.0f;
    for (int i = 0; i < 6; ++i) CHECK(apart(other(longer, layer.weight), expected) < 1e-4f);
    CHECK(packed_weight_stats().filled == before.filled + 1);
  }
  CHECK(packed_weight_stats().bytes == before.bytes);
}

TEST_CASE("packed weights: an argument that changes in each call is read in each call") {
  Layer layer;
  auto function = compile([](Layer& left, const Tensor& x) { return matmul(left.weight, x); });
  for (int i = 0; i < 8; ++i) {
    const Tensor x = randn({80, 56});
    evaluate(x);
    CHECK(apart(function(layer, x), matmul(layer.weight, x)) < 1e-4f);
  }
}

TEST_CASE("packed weights: calls without rows cache nothing for calls with rows") {
  Layer layer;
  evaluate(layer.weight);
  auto forward =
      compile([](const Layer& model, const Tensor& x) { return model(transpose(x, 0, 1)); });
  for (const int rows : {0, 0, 0, 0, 40, 40, 40, 40, 40, 0, 7}) {
    Tensor x = randn({48, rows});
    evaluate(x);
    const Tensor expected = layer(transpose(x, 0, 1));
    mark_dynamic(x, 1);
    const Tensor found = forward(layer, x);
    CHECK(found.to_vector<float>().size() == static_cast<std::size_t>(rows) * 80);
    if (rows > 0) CHECK(apart(found, expected) < 1e-4f);
  }
}
