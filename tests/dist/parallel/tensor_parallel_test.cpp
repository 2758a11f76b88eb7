// test: moved
// Tensor parallel layers equal the whole layers: forward, gradients, training.

#include <doctest/doctest.h>

#include "../../message_of.hpp"
#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

constexpr int width = 24, heads = 12;  // for 1, 2, 3 and 4 ranks

struct Block {
  nn::MultiheadAttention attention{width, heads, {.batch_first = true}};
  nn::Linear in{width, 4 * width}, out{4 * width, width};
  SINTER_MODULE(Block, attention, in, out)
  Tensor forward(const Tensor& x) const {
    const Tensor y = x + attention(x, x, x, {.is_causal = true}).output;
    return y + out(gelu(in(y)));
  }
};

struct ParallelBlock {
  dist::SelfAttention attention;
  dist::ColumnLinear in;
  dist::RowLinear out;
  SINTER_MODULE(ParallelBlock, attention, in, out)

  ParallelBlock(const Block& whole, dist::Group group)
      : attention(whole.attention, group), in(whole.in, group), out(whole.out, group) {
    attention.is_causal = true;
  }
  Tensor forward(const Tensor& x) const {
    const Tensor y = x + attention(x);
    return y + out(gelu(in(y)));
  }
};

Block made() {
  random::manual_seed(5);
  Block result;
  result.attention.in_proj_bias = elements({3 * width}, 0) * 0.1f;
  result.out.bias = elements({width}, 1) * 0.1f;
  return result;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++result;
  return result;
}

// This rank's part of a tensor that is divided along `axis`.
Tensor part(const Tensor& given, int axis) {
  const std::int64_t each = given.size(axis).number() / size();
  return slice(given, axis, each * rank(), each * (rank() + 1));
}

template <class Model>
Tensor step(Model& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& y,
            const dist::Group* data) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mse_loss(model(x), y); });
  if (data != nullptr) dist::all_reduce(gradients, dist::Reduce::mean, *data);
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("tensor parallel: a block computes what the whole block does, with two collectives") {
  world();
  const Block whole = made();
  const ParallelBlock parallel(whole, {});
  const Tensor x = elements({2, 5, width}, 0);
  CHECK(difference(parallel(x), whole(x)) < 1e-5);
  const auto run =
      compile([](const ParallelBlock& block, const Tensor& given) { return block(given); },
              {.fullgraph = true});
  CHECK(difference(run(parallel, x), whole(x)) < 1e-5);
  // One for the attention, one for the two layers; and one for the gradient of each.
  CHECK(count(run.explain().graphs[0].text, "all_reduce") == 4);
}

TEST_CASE("tensor parallel: gradients are the parts of those of the whole block") {
  world();
  Block whole = made();
  ParallelBlock parallel(whole, {});
  const Tensor x = elements({2, 5, width}, 0);
  const auto expected = value_and_grad(whole, [&] { return mean(square(whole(x))); }).gradients;
  const auto found = value_and_grad(parallel, [&] { return mean(square(parallel(x))); }).gradients;
  CHECK(difference(found["in.weight"], part(expected["in.weight"], 0)) < 1e-5);
  CHECK(difference(found["in.bias"], part(expected["in.bias"], 0)) < 1e-5);
  CHECK(difference(found["out.weight"], part(expected["out.weight"], 1)) < 1e-5);
  CHECK(difference(found["out.bias"], expected["out.bias"]) < 1e-5);
  const Tensor projections = reshape(expected["attention.in_proj_weight"], {3, width, width});
  CHECK(difference(found["attention.in_proj_weight"], flatten(part(projections, 1), 0, 1)) < 1e-5);
  const auto of_input = [&](const auto& block) {
    return grad([&](const Tensor& given) { return mean(square(block(given))); })(x);
  };
  CHECK(difference(of_input(parallel), of_input(whole)) < 1e-5);
}

TEST_CASE("tensor parallel: second derivatives are those of the whole block") {
  world();
  const Block whole = made();
  const ParallelBlock parallel(whole, {});
  const Tensor x = elements({2, 5, width}, 0), v = elements({2, 5, width}, 1);
  const auto loss_of = [](const auto& block) {
    return [&block](const Tensor& given) { return mean(square(block(given))); };
  };
  const auto twice = [&](const auto& block) {
    return [&](const Tensor& given) {
      return grad([&](const Tensor& a) { return sum(grad(loss_of(block))(a) * v); })(given);
    };
  };
  const Tensor expected = twice(whole)(x);
  CHECK(max(abs(expected)).item<float>() > 1e-3f);
  CHECK(difference(twice(parallel)(x), expected) < 1e-5);
  CHECK(difference(compile(twice(parallel), {.fullgraph = true})(x), expected) < 1e-5);
  const auto forward = [&](const Tensor& given) {
    return jvp(grad(loss_of(parallel)), std::tuple{given}, std::tuple{v}).tangent;
  };
  CHECK(difference(forward(x), expected) < 1e-5);
}

TEST_CASE("tensor parallel: the product of the Hessian of all weights with a vector") {
  world();
  Block whole = made();
  ParallelBlock parallel(whole, {});
  const Tensor x = elements({2, 5, width}, 0);
  // sum(gradient * sin(weight)), once for all elements of all ranks.
  const auto product = [&](auto& block, bool is_divided) {
    return value_and_grad(
               block,
               [&] {
                 const auto inner = value_and_grad(block, [&] { return mean(square(block(x))); });
                 Tensor divided = zeros({}), shared = zeros({});
                 nn::for_each_parameter(block, [&](const std::string& name, const Tensor& weight) {
                   const bool is_shared = name == "out.bias" || name == "attention.out_proj.bias";
                   Tensor& total = is_shared ? shared : divided;
                   total = total + sum(inner.gradients[name] * sin(weight));
                 });
                 return (is_divided ? dist::parallel_output(divided) : divided) + shared;
               })
        .gradients;
  };
  auto expected = product(whole, false), found = product(parallel, true);
  CHECK(difference(found["in.weight"], part(expected["in.weight"], 0)) < 1e-5);
  CHECK(difference(found["out.weight"], part(expected["out.weight"], 1)) < 1e-5);
  CHECK(difference(found["out.bias"], expected["out.bias"]) < 1e-5);
  CHECK(difference(found["attention.out_proj.weight"],
                   part(expected["attention.out_proj.weight"], 1)) < 1e-5);
  const Tensor projections = reshape(expected["attention.in_proj_weight"], {3, width, width});
  CHECK(difference(found["attention.in_proj_weight"], flatten(part(projections, 1), 0, 1)) < 1e-5);
}

TEST_CASE("tensor parallel: training over data and model equals one process") {
  world();
  const dist::Mesh mesh{{"data", size() == 4 ? 2 : 1}, {"model", -1}};
  Block whole = made();
  ParallelBlock parallel(whole, mesh["model"]);
  optim::AdamW first{.learning_rate = 1e-3f}, second = first;
  const int rows = 4 / mesh.size("data");
  const Slice own{rows * mesh.rank("data"), rows * (mesh.rank("data") + 1)};
  const Tensor x = elements({4, 5, width}, 0), y = elements({4, 5, width}, 1);
  const dist::Group data = mesh["data"];
  const auto run = compile([data](ParallelBlock& model, optim::AdamW& optimizer, const Tensor& a,
                                  const Tensor& b) { return step(model, optimizer, a, b, &data); },
                           {.fullgraph = true});
  for (int i = 0; i < 5; ++i) {
    const Tensor expected = step(whole, first, x, y, nullptr);
    const Tensor loss =
        dist::all_reduce(run(parallel, second, x[own], y[own]), dist::Reduce::mean, data);
    REQUIRE(difference(loss, expected) < 1e-5);
  }
  CHECK(difference(parallel.in.whole().weight, whole.in.weight) < 1e-4);
  CHECK(difference(parallel.out.whole().weight, whole.out.weight) < 1e-4);
  const nn::MultiheadAttention attention = parallel.attention.whole();
  CHECK(difference(attention.in_proj_weight, whole.attention.in_proj_weight) < 1e-4);
  CHECK(difference(attention(x, x, x).output, whole.attention(x, x, x).output) < 1e-3);
}

TEST_CASE(
    "tensor parallel: layers that cannot be divided, and inputs that do not fit, are refused") {
  world();
  using errors::message_of;
  if (size() > 1) {
    const auto wide = [] { dist::ColumnLinear(4, 5 * size() + 1); };
    CHECK(message_of<ValueError>(wide).find("the number of ranks divides out") !=
          std::string::npos);
    const auto many = [] { dist::SelfAttention(5 * (size() + 1), size() + 1); };
    CHECK(message_of<ValueError>(many).find("divides heads") != std::string::npos);
  }
  const dist::RowLinear row(6 * size(), 4, {.bias = false});
  CHECK(row(ones({2, 6})).size(1) == 4);
  const auto narrow = [&] { row(ones({2, 5})); };
  CHECK(message_of<ShapeError>(narrow).find("does not fit the weight") != std::string::npos);
}
