// A custom operation with rules: its gradient is the operation itself, as often as it is asked for.

#include <doctest/doctest.h>

#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/custom_rules.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/subgraph/body.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

Node doubles(TensorType type);

// y = 2 x
struct DoubleRules : CustomRules {
  static Vector<Value> apply(Builder& builder, Value x, TensorType type) {
    Node node = doubles(std::move(type));
    node.inputs = {x};
    return {Value(builder.append(std::move(node)))};
  }
  Vector<Value> gradients(Builder& builder, const Node& node, Span<const Value>,
                          Span<const Value> gradients) const override {
    return apply(builder, gradients[0], builder.type(node.inputs[0]));
  }
  Vector<Value> batched(Builder& builder, const Node&, Span<const Value> operands,
                        Extent) const override {
    return apply(builder, operands[0], builder.type(operands[0]));
  }
};

struct DoubleKernel : HostKernel {
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    for (std::int64_t i = 0; i < in[0].numel(); ++i) {
      out[0].data<float>()[i] = 2 * in[0].data<float>()[i];
    }
  }
};

Node doubles(TensorType type) {
  CustomCode code{.name = "test::doubles",
                  .call = make_shared_ptr<const DoubleKernel>(),
                  .rules = make_shared_ptr<const DoubleRules>(),
                  .identity = hash_of("test::doubles")};
  Node node{.op = Op::custom,
            .attributes = {{"code", make_shared_ptr<const CustomCode>(std::move(code))},
                           {"operands", constant(1)}}};
  node.results.push_back(std::move(type));
  return node;
}

Tensor doubled(const Tensor& x) {
  const std::vector<Tensor> operands{x};
  return record_all(doubles(x.type()), operands, Where::current())[0];
}

}  // namespace

TEST_CASE("custom rules: gradients, second derivatives and batches, eager and compiled") {
  const Tensor x = from_vector(std::vector<float>{1, 2, 3}, {3});
  const auto cubes = [](const Tensor& y) { return sum(doubled(y * y * y)); };
  const auto slope = [&](const Tensor& y) { return grad(cubes)(y); };
  const auto curve = [&](const Tensor& y) {
    return grad([&](const Tensor& z) { return sum(grad(cubes)(z)); })(y);
  };
  const auto batch = [](const Tensor& y) {
    return vmap([](const Tensor& z) { return doubled(z) + z; })(y);
  };
  const std::vector<float> slopes{6, 24, 54}, curves{12, 24, 36}, batches{3, 6, 9};
  CHECK(slope(x).to_vector<float>() == slopes);
  CHECK(compile(slope)(x).to_vector<float>() == slopes);
  CHECK(curve(x).to_vector<float>() == curves);
  CHECK(compile(curve)(x).to_vector<float>() == curves);
  CHECK(batch(x).to_vector<float>() == batches);
  CHECK(compile(batch)(x).to_vector<float>() == batches);
}
