#include <doctest/doctest.h>

#include <string>

#include <sinter/jit/differentiated.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Mlp {
  nn::Linear up{6, 16}, down{16, 3};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return down(gelu(up(x))); }
};

}  // namespace

TEST_CASE("the forward and the backward program of a compiled model are compiled once") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({5, 6});
  const auto step = [&] {
    auto [loss, gradients] = value_and_grad(net, [&] { return sum(square(model(x))); });
    for (auto& [name, gradient] : gradients) gradient.to_vector<float>();
  };
  step();
  const Stats before = model.stats();
  step();
  CHECK(model.stats().compiler_runs == before.compiler_runs);
  CHECK(model.stats().kernels_compiled == before.kernels_compiled);
}

TEST_CASE("what the backward program reads is kept, not recomputed") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({64, 6});
  auto [loss, gradients] = value_and_grad(net, [&] { return sum(square(model(x))); });
  for (auto& [name, gradient] : gradients) gradient.to_vector<float>();
  const Explanation explanation = model.explain();
  REQUIRE(explanation.graphs.size() == 2);
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t result = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++result;
    }
    return result;
  };
  CHECK(count(explanation.graphs[0].text, "= dot_general") == 2);
  CHECK(count(explanation.graphs[1].text, "= dot_general") == 3);  // two weights, one input
}

TEST_CASE("differentiated: leaves are wanted only while a gradient is found") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({2, 6});
  model(x).to_vector<float>();
  CHECK(jit::wanted_leaves() == nullptr);
  CHECK(model.stats().graphs == 1);
  value_and_grad(net, [&] { return sum(model(x)); }).gradients["up.weight"].to_vector<float>();
  CHECK(jit::wanted_leaves() == nullptr);
  CHECK(jit::has_compiled_gradients());
  CHECK(model.stats().graphs == 2);
}
