// Values that an operation rejects, and corrected programs; docs/errors.md explains each.
#include "mistakes.hpp"

using namespace sinter;

const Tensor x = ones({3, 4});

Tensor dtypes_wrong() { return x & (x < 2); }
Tensor dtypes_right() { return (x > 0) & (x < 2); }

Tensor undefined_wrong() {
  Tensor total;
  total += x;
  return total;
}
Tensor undefined_right() {
  Tensor total = zeros({3, 4});
  total += x;
  return total;
}

Tensor devices_wrong() { return x.to(cuda(99)); }
Tensor devices_right() { return x.to(cpu()); }

Tensor typed_wrong() {
  const TensorOf<float, "batch", 5> rows = x;
  return rows;
}
Tensor typed_right() {
  const TensorOf<float, "batch", 4> rows = x;
  return rows;
}

Tensor gradients_wrong() {
  return grad([](const Tensor& v) { return v * v; })(x);
}
Tensor gradients_right() {
  return grad([](const Tensor& v) { return sum(v * v); })(x);
}

Tensor files_wrong() {
  io::save("layer.safetensors", nn::Linear(4, 2));
  nn::Linear layer(4, 3);
  io::load("layer.safetensors", layer);
  return layer.weight;
}
Tensor files_right() {
  io::save("layer.safetensors", nn::Linear(4, 2));
  nn::Linear layer(4, 2);
  io::load("layer.safetensors", layer);
  return layer.weight;
}

int main() {
  return run({{"dtypes", dtypes_wrong, dtypes_right},
              {"undefined", undefined_wrong, undefined_right},
              {"devices", devices_wrong, devices_right},
              {"typed-tensors", typed_wrong, typed_right},
              {"gradients", gradients_wrong, gradients_right},
              {"files", files_wrong, files_right}});
}
