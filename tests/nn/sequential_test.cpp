// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/function/activation.hpp>
#include <sinter/nn/function/dropout.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/trace/module/parameter.hpp>

using namespace testing;

namespace {

struct Classifier {
  nn::Sequential<nn::Linear, nn::ReLU, nn::Linear> net{{4, 8}, {}, {8, 2}};
  nn::ModuleList<nn::Linear> heads = nn::ModuleList<nn::Linear>(2, nn::Linear(2, 2));
  SINTER_MODULE(Classifier, net, heads)
  Tensor forward(Operand x) const {
    Tensor h = net(x);
    for (const nn::Linear& head : heads) h = head(h);
    return h;
  }
};

}  // namespace

TEST_CASE("Sequential: calls one layer after the other") {
  const nn::Sequential net{nn::Linear{4, 8}, nn::ReLU{}, nn::Linear{8, 2}};
  const Tensor x = counting({3, 4});
  CHECK(near(net(x), numbers(net.get<2>()(relu(net.get<0>()(x))))));
  static_assert(Module<std::remove_const_t<decltype(net)>>);
}

TEST_CASE("Sequential, ModuleList: name parameters as torch does") {
  std::string names;
  const Classifier classifier;
  for (const auto& [name, parameter] : nn::named_parameters(classifier)) names += name + " ";
  CHECK(names ==
        "net.0.weight net.0.bias net.2.weight net.2.bias heads.0.weight heads.0.bias "
        "heads.1.weight heads.1.bias ");
  CHECK(to_string(classifier(ones({3, 4}))) == "f32[3, 2]");
}

TEST_CASE("Sequential: takes lambdas without captures") {
  const nn::Sequential net{nn::ReLU{}, [](const Tensor& x) { return x * 2; }};
  CHECK(near(net(vector({-1, 3})), {0, 6}));
  CHECK(nn::named_parameters(net).empty());
}

TEST_CASE("Sequential: passes on whether it is trained") {
  nn::Sequential net{nn::Dropout{0.5}};
  nn::eval(net);
  CHECK_FALSE(net.get<0>().training);
}

TEST_CASE("Sequential: mistakes name the line of the caller") {
  const nn::Sequential net{nn::Linear{4, 8}, nn::Linear{7, 2}};
  MISTAKE(ShapeError, net(ones({3, 4})), "linear: ", "f32[3, 8]", "f32[2, 7]");
}
