#pragma once
// What torchvision and Hugging Face compute with given weights: tests/data/make_models.py.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace reference_models {

using namespace sinter;

inline std::string path_of(const std::string& file) {
  return std::string(SINTER_SOURCE_DIR) + "/tests/data/models/" + file;
}

using Arrays = std::map<std::string, Tensor>;

/// The largest difference of two tensors, as a part of the largest element of `expected`,
/// or of 0.05 where all are smaller: some gradients are 0 but for rounding.
inline double distance(const Tensor& found, const Tensor& expected) {
  REQUIRE(to_string(found.shape()) == to_string(expected.shape()));
  const std::vector<double> a = found.to(f64).to_vector<double>();
  const std::vector<double> b = expected.to(f64).to_vector<double>();
  double worst = 0, largest = 0.05;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::fabs(a[i] - b[i]);
    worst = apart <= worst ? worst : apart;  // and a NaN stays
    largest = std::fmax(largest, std::fabs(b[i]));
  }
  return worst / largest;
}

/// Numbers in [-0.5, 0.5), the same as make_models.py makes.
inline std::vector<double> hashed(std::int64_t count, std::uint32_t seed) {
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    std::uint32_t x = i * 2654435761u + seed * 40503u;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    result[i] = x / 4294967296.0 - 0.5;
  }
  return result;
}

inline Tensor hashed(const Shape& shape, std::uint32_t seed) {
  return from_vector(hashed(numel(shape).value(), seed), shape).to(f32);
}

/// Fills `model` as make_models.py does; checks the names of the parameters.
template <class Model>
void fill(Model& model, const Arrays& arrays) {
  std::uint32_t seed = 10;
  std::string names;
  nn::for_each_parameter(model, [&](const std::string& parameter, Tensor& value) {
    names += (names.empty() ? "" : "\n") + parameter;
    const double inputs = static_cast<double>((value.numel() / value.size(0)).value());
    const Tensor numbers = hashed(value.shape(), seed++);
    value = value.ndim() > 1 ? numbers * (2 * std::sqrt(6 / inputs)) : 0.5 + 0.2 * numbers;
  });
  const std::vector<std::uint8_t> expected = arrays.at("names").to_vector<std::uint8_t>();
  CHECK(names == std::string(expected.begin(), expected.end()));
}

/// Compares the gradients by their norms and products. They may be as wrong as three times those
/// of torch in f32, and `flips` of their norms: where an element is about 0, rounding decides what
/// its ReLU does.
inline void compare_digests(const Gradients& gradients, const Arrays& arrays, double flips) {
  const std::vector<double> norms = arrays.at("norms").to_vector<double>();
  const std::vector<double> errors = arrays.at("errors").to_vector<double>();
  const std::vector<double> products = arrays.at("products").to_vector<double>();
  REQUIRE(gradients.size() == norms.size());
  std::size_t i = 0;
  for (const auto& [parameter, gradient] : gradients) {
    CAPTURE(parameter);
    const std::vector<float> elements = gradient.to_vector<float>();
    const std::vector<double> with = hashed(static_cast<std::int64_t>(elements.size()), 2);
    double square = 0, product = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      square += static_cast<double>(elements[k]) * elements[k];
      product += elements[k] * with[k];
    }
    const double allowed = 3 * errors[i] + (1e-5 + flips) * norms[i];
    CHECK(std::fabs(std::sqrt(square) - norms[i]) < allowed);
    CHECK(std::fabs(product - products[i]) < allowed);
    ++i;
  }
}

/// One compiled step of training without an optimizer, against NAME.expected.safetensors.
template <class Model>
void compare_filled(const std::string& name, Model& model, double flips = 0) {
  const Arrays arrays = io::load_tensors(path_of(name + ".expected.safetensors"));
  fill(model, arrays);
  const Tensor images = hashed({4, 3, 64, 64}, 5), dout = hashed({4, 10}, 1);
  const auto step = [](Model& of, const Tensor& x, const Tensor& with) {
    const auto [loss, gradients] = value_and_grad(of, [&] { return sum(of(x) * with); });
    return std::pair<Tensor, Gradients>(loss, gradients);
  };
  const auto [loss, gradients] = compile(step, {.fullgraph = true})(model, images, dout);
  const double expected = sum(arrays.at("output") * dout.to(f64)).template item<double>();
  const double allowed = 3 * arrays.at("output_error").template item<double>() + 1e-5;
  CHECK(std::fabs(loss.to(f64).template item<double>() - expected) < allowed);
  compare_digests(gradients, arrays, flips);
}

}  // namespace reference_models
