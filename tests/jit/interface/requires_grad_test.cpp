#include <doctest/doctest.h>

#include <sinter/jit/interface/requires_grad.hpp>
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

TEST_CASE("requires_grad: leaves require gradients only while a gradient is computed") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({2, 6});
  model(x).to_vector<float>();
  CHECK(jit::leaves_requiring_grad() == nullptr);
  CHECK(model.stats().graphs == 1);
  value_and_grad(net, [&] { return sum(model(x)); }).gradients["up.weight"].to_vector<float>();
  CHECK(jit::leaves_requiring_grad() == nullptr);
  CHECK(jit::has_compiled_gradients());
  CHECK(model.stats().graphs == 2);
}
