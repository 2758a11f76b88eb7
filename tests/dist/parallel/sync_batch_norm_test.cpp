// Synchronised batch norms: any number of ranks computes what one computes for the whole batch.

#include <doctest/doctest.h>

#include "../../message_of.hpp"
#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

constexpr int rows = 12, channels = 3;

// The rows of this rank: the first has one row less than equal parts, the last one more.
Slice own_rows() {
  const int each = rows / size();
  const int begin = each * rank() - (rank() > 0 ? 1 : 0);
  const int end = rank() == size() - 1 ? rows : each * (rank() + 1) - 1;
  return {begin, end};
}

Tensor batch(const Shape& others) {
  Shape shape{rows, channels};
  for (const Extent& extent : others) shape.push_back(extent);
  return elements(shape, 0) * 2 + 5;
}

// A sum over rows, so that the sum of the losses of all ranks is that of one process.
template <class Norm>
Tensor loss_of(Norm& norm, const Tensor& x) {
  return sum(sin(norm(x) * 0.7f) * x);
}

template <class Norm>
auto gradient_of(Norm& norm) {
  return [&norm](const Tensor& x) {
    return grad([&norm](const Tensor& given) { return loss_of(norm, given); })(x);
  };
}

template <class Norm>
void set_weights(Norm& norm) {
  norm.weight = elements({channels}, 1);
  norm.bias = elements({channels}, 2);
}

template <class Norm>
void check_against(Norm& whole, const Shape& others, nn::BatchNormOptions options = {}) {
  nn::SyncBatchNorm norm{channels, options};
  if (options.affine) set_weights(whole), set_weights(norm);
  const Tensor x = batch(others);
  const Slice own = own_rows();
  for (int i = 0; i < 2; ++i) {
    CHECK(difference(norm(x[own]), whole(x)[own]) < 2e-5);
  }
  if (options.track_running_stats) {
    CHECK(difference(*norm.running_mean, *whole.running_mean) < 1e-5);
    CHECK(difference(*norm.running_var, *whole.running_var) < 1e-5);
    CHECK(norm.num_batches_tracked->value.template item<std::int64_t>() == 2);
  }
  CHECK(difference(gradient_of(norm)(x[own]), gradient_of(whole)(x)[own]) < 1e-4);
}

struct Net {
  nn::Conv2d conv{1, 4, 3};
  nn::BatchNorm2d norm{4};
  nn::Linear out{4, 3};
  SINTER_MODULE(Net, conv, norm, out)
  Tensor forward(const Tensor& x) { return out(mean(relu(norm(conv(x))), {2, 3})); }
};

Tensor step(Net& model, optim::SGD& optimizer, const Tensor& x, const Tensor& target,
            const Scalar& total, bool is_shared) {
  auto [loss, gradients] = value_and_grad(model, [&] {
    return cross_entropy(model(x), target, {.reduction = Reduction::sum}) / total;
  });
  if (is_shared) {
    dist::all_reduce(gradients, dist::Reduce::sum);
    loss = dist::all_reduce(loss);
  }
  optimizer.step(model, gradients);
  return loss;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++result;
  return result;
}

}  // namespace

TEST_CASE("sync batch norm: outputs, statistics and gradients of uneven parts of a batch") {
  world();
  nn::BatchNorm1d columns{channels}, lines{channels}, plain{channels, {.affine = false}};
  nn::BatchNorm2d images{channels};
  nn::BatchNorm3d volumes{channels, {.momentum = std::nullopt}};
  check_against(columns, {});
  check_against(lines, {5});
  check_against(images, {2, 3});
  check_against(volumes, {2, 1, 2}, {.momentum = std::nullopt});
  check_against(plain, {}, {.affine = false});
  nn::BatchNorm1d unkept{channels, {.track_running_stats = false}};
  check_against(unkept, {}, {.track_running_stats = false});
}

TEST_CASE("sync batch norm: second derivatives") {
  world();
  nn::BatchNorm1d whole{channels, {.track_running_stats = false}};
  nn::SyncBatchNorm norm{channels, {.track_running_stats = false}};
  const Tensor x = batch({2}), v = elements({rows, channels, 2}, 3);
  const Slice own = own_rows();
  const auto twice = [](auto& layer, const Tensor& along) {
    return [&layer, along](const Tensor& given) {
      return grad([&](const Tensor& a) { return sum(gradient_of(layer)(a) * along); })(given);
    };
  };
  const Tensor expected = twice(whole, v)(x)[own];
  CHECK(max(abs(expected)).item<float>() > 0.01f);
  CHECK(difference(twice(norm, v[own])(x[own]), expected) < 2e-4);
}

TEST_CASE("sync batch norm: far from zero, and a rank without rows") {
  world();
  nn::SyncBatchNorm norm{1};
  nn::BatchNorm1d whole{1};
  const Tensor x = elements({8, 1}, 0) + 10000.0f;  // squares would have lost the variance
  const bool has_all = rank() == size() - 1;
  const Tensor own = has_all ? x : x[Slice{0, 0}];
  const Tensor expected = whole(x);
  CHECK(difference(norm(own), has_all ? expected : expected[Slice{0, 0}]) < 1e-2);
  CHECK(difference(*norm.running_var, *whole.running_var) < 1e-4);
}

TEST_CASE("sync batch norm: two collectives when it trains, none after eval()") {
  world();
  nn::SyncBatchNorm norm{channels};
  const Tensor x = batch({4});
  const auto run = compile(
      [](nn::SyncBatchNorm& given, const Tensor& y) {
        return grad([&](const Tensor& a) { return loss_of(given, a); })(y);
      },
      {.fullgraph = true});
  CHECK(difference(run(norm, x), gradient_of(norm)(x)) < 1e-4);
  const std::string text = run.explain().graphs[0].text;
  CHECK(count(text, "dist::") == (size() == 1 ? 0 : 2));
  nn::eval(norm);
  const nn::SyncBatchNorm kept = norm;
  nn::BatchNorm1d same{channels};
  nn::eval(same);
  same.running_mean = norm.running_mean, same.running_var = norm.running_var;
  if (rank() == 0) CHECK(difference(kept(x), same(x)) < 1e-6);  // on one rank alone
}

TEST_CASE("sync batch norm: a converted model trains as one process with the whole batch") {
  world();
  random::manual_seed(4);
  Net one, many;
  many = one;
  nn::SyncBatchNorm::convert_sync_batchnorm(many);
  optim::SGD first{.learning_rate = 0.3f}, second = first;
  const Tensor x = randn({rows, 1, 6, 6}), target = arange(rows) % 3;
  const Slice own = own_rows();
  const auto run = compile(step, {.fullgraph = true});
  for (int i = 0; i < 10; ++i) {
    const Tensor expected = run(one, first, x, target, rows, false);
    REQUIRE(difference(run(many, second, x[own], target[own], rows, true), expected) < 1e-5);
  }
  CHECK(difference(*many.norm.running_var, *one.norm.running_var) < 1e-5);
  CHECK(difference(many.conv.weight, one.conv.weight) < 1e-4);
  CHECK(nn::named_buffers(many).size() == nn::named_buffers(one).size());
}

TEST_CASE("sync batch norm: inputs that do not fit are refused") {
  world();
  using errors::message_of;
  nn::SyncBatchNorm norm{channels};
  const auto flat = [&] { norm(ones({channels})); };
  CHECK(message_of<ShapeError>(flat).find("at least 2 axes") != std::string::npos);
  const auto other = [&] { norm(ones({2, channels + 1})); };
  CHECK(message_of<ShapeError>(other).find("channels") != std::string::npos);
  const nn::SyncBatchNorm fixed{channels};
  const auto changes = [&] { fixed(ones({4, channels})); };
  CHECK(message_of<ValueError>(changes).find("eval(model)") != std::string::npos);
}
