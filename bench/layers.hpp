#pragma once
// A model of 64 equal layers after a first Linear: the cost of many small operations.

#include <cstddef>  // std::size_t
#include <vector>   // std::vector

#include <sinter/sinter.hpp>

namespace bench {

struct Layer {
  sinter::nn::Linear linear1{10, 10}, linear2{10, 10};
  SINTER_MODULE(Layer, linear1, linear2)
  sinter::Tensor forward(const sinter::Tensor& x) const {
    return sinter::relu(linear2(sinter::sigmoid(sinter::relu(linear1(x)))));
  }
};

struct Layers {
  sinter::nn::Linear linear{10, 10};
  std::vector<Layer> layers{};
  SINTER_MODULE(Layers, linear, layers)
  sinter::Tensor forward(const sinter::Tensor& x) const {
    sinter::Tensor h = linear(x);
    for (const Layer& layer : layers) h = layer(h);
    return h;
  }
};

inline Layers make_layers(std::size_t depth = 64) {
  return {.linear = {10, 10}, .layers = std::vector<Layer>(depth)};
}

}  // namespace bench
