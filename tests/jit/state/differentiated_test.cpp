#include <doctest/doctest.h>

#include <string>

#include <sinter/jit/state/differentiated.hpp>
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

TEST_CASE("differentiated: values that the backward program reads are saved, not recomputed") {
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
