// test: moved
// Data parallel training equals one process with the whole batch.

#include <doctest/doctest.h>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

struct Net {
  nn::Linear in{6, 24}, out{24, 3};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

// One step; `parts` micro-batches, whose gradients are added.
Tensor step(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target, bool shared,
            int parts) {
  const int rows = static_cast<int>(x.size(0).value()) / parts;
  Gradients sum;
  Tensor loss = zeros({});
  for (int i = 0; i < parts; ++i) {
    const Slice part{i * rows, (i + 1) * rows};
    auto [value, gradients] =
        value_and_grad(model, [&] { return cross_entropy(model(x[part]), target[part]); });
    sum += gradients;
    loss = loss + value;
  }
  sum /= parts;
  loss = loss / parts;
  if (shared) {
    dist::all_reduce(sum);
    loss = dist::all_reduce(loss, dist::Reduce::mean);
  }
  clip_grad_norm(sum, 0.5f);
  optimizer.step(model, sum);
  return loss;
}

// The sum of the losses and gradients of micro-batches [begin, end) of 12 rows, added pairwise.
std::pair<Tensor, Gradients> summed(Net& model, const Tensor& x, const Tensor& target, int begin,
                                    int end) {
  if (end - begin == 1) {
    const Slice part{12 * begin, 12 * end};
    auto [value, gradients] =
        value_and_grad(model, [&] { return cross_entropy(model(x[part]), target[part]) / 4; });
    return {value, gradients};
  }
  const int middle = (begin + end) / 2;
  auto [loss, gradients] = summed(model, x, target, begin, middle);
  const auto [other_loss, others] = summed(model, x, target, middle, end);
  gradients += others;
  return {loss + other_loss, gradients};
}

Tensor strict_step(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target,
                   bool shared, int parts) {
  auto [loss, gradients] = summed(model, x, target, 0, parts);
  if (shared) {
    dist::all_reduce(gradients, dist::Reduce::sum);
    loss = dist::all_reduce(loss);
  }
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("data parallel: strict losses of 1, 2 and 4 ranks are those of one process bit for bit" *
          doctest::test_suite("host: its order of additions")) {
  if (size() == 3) return;
  random::manual_seed(3);
  Net one, many;
  many = one;
  optim::AdamW first{.learning_rate = 1e-2f}, second{.learning_rate = 1e-2f};
  const Tensor x = randn({48, 6});
  const Tensor target = argmax(x, -1) % 3;
  const int rows = 48 / size();
  const Slice own{rows * rank(), rows * (rank() + 1)};
  const auto run = compile(strict_step, {.fullgraph = true, .numerics = Numerics::strict});
  for (int i = 0; i < 50; ++i) {
    const Tensor expected = run(one, first, x, target, false, 4);
    const Tensor loss = run(many, second, x[own], target[own], true, 4 / size());
    REQUIRE(loss.item<float>() == expected.item<float>());
  }
  CHECK(difference(many.in.weight, one.in.weight) == 0);
  CHECK(difference(*many.out.bias, *one.out.bias) == 0);
}

TEST_CASE("data parallel: losses of all ranks are those of one process") {
  random::manual_seed(3);
  Net one, many;
  many = one;
  optim::AdamW first{.learning_rate = 1e-2f}, second{.learning_rate = 1e-2f};
  const int rows = 48 / size();
  const Tensor x = randn({48, 6});
  const Tensor target = argmax(x, -1) % 3;
  const Slice own{rows * rank(), rows * (rank() + 1)};
  const auto run = compile(step, {.fullgraph = true});
  for (int i = 0; i < 50; ++i) {
    const Tensor expected = run(one, first, x, target, false, 1);
    const Tensor loss = run(many, second, x[own], target[own], true, i % 2 + 1);
    REQUIRE(difference(loss, expected) < 1e-6);
  }
  CHECK(difference(many.in.weight, one.in.weight) < 1e-4);
}
