// Typed tensors: dtype and dimensions are part of the type, so mistakes are compile errors.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <string>

using namespace sinter;

using Rows = TensorOf<float, "batch", 64>;
using Classes = TensorOf<float, "batch", 10>;

Classes layer(const Rows& x, const TensorOf<float, 64, 10>& weight,
              const TensorOf<float, 10>& bias) {
  return relu(matmul(x, weight) + bias) * 2.0f;
}

// Does not compile: "sinter::matmul(lhs, rhs) requires lhs.shape[-1] == rhs.shape[-2]".
// Classes wrong(const Rows& x, const TensorOf<float, 10, 64>& weight) { return matmul(x, weight); }

int main() {
  const TensorOf<float, 64, 10> weight = randn({64, 10});
  const TensorOf<float, 10> bias = zeros({10});
  bool right = true;

  auto compiled = compile(layer);  // "batch" is dynamic from the start
  for (int batch : {32, 5, 1, 77}) {
    const Tensor x = randn({batch, 64});
    const Tensor expected = relu(matmul(x, Tensor(weight)) + Tensor(bias)) * 2.0f;
    const Tensor found = compiled(x, weight, bias);
    right = right && static_cast<bool>(all(abs(found - expected) < 1e-4f));
  }
  right = right && compiled.stats().variants == 1;

  // an expression holds its operands; it is recorded when it is converted to a tensor
  const Rows a = randn({3, 64});
  const auto expression = exp(a) * a + a;
  const Rows value = expression;
  right = right && value.size(0) == 3;

  // an untyped tensor is checked at run time
  try {
    const Rows wrong = randn({32, 63});
    right = false;
  } catch (const ShapeError& error) {
    std::printf("%s\n", error.what());
  }
  return right ? 0 : 1;
}
