// test: deep
// Rows that just fit in registers, or do not, with more than one live value per element.

#include <doctest/doctest.h>
#include <sinter/codegen/cuda/emit_cuda.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "nvrtc_check.hpp"
#include "planned.hpp"

using namespace kernels;

namespace {

void add(Vector<Source>& sources, const schedule::Plan& plan) {
  for (const schedule::Kernel& kernel : plan.kernels) {
    Source source = codegen::emit_cuda(kernel, {});
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const Source& one) { return one.name == source.name; });
    if (!known) sources.push_back(std::move(source));
  }
}

// Resident rows of the first kernel per sm_90 multiprocessor, as limited by registers.
int resident_rows(const schedule::Plan& plan) {
  const schedule::Kernel& kernel = plan.kernels.front();
  bool succeeded = false;
  const std::string log =
      nvrtc_log(cuda_program({codegen::emit_cuda(kernel, {})}), "sm_90", succeeded);
  const std::string used = ": Used ";
  const std::size_t at = log.find(used);
  REQUIRE(at != std::string::npos);
  const int registers = (std::stoi(log.substr(at + used.size())) + 7) / 8 * 8;
  return 65536 / (registers * codegen::cuda_launch(kernel, {}).threads);
}

}  // namespace

TEST_CASE("cuda_rows: a multiprocessor holds several rows, so that loads overlap computation") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const TensorType rows{f32, {16384, 4096}}, gain{f32, {4096}};
  const auto normed = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return layer_norm(x, w, b);
  };
  CHECK(resident_rows(planned({rows, gain, gain}, [&](const Tensors& x) -> Tensors {
          return {normed(x[0], x[1], x[2])};
        })) >= 4);
  CHECK(resident_rows(
            planned({rows}, [](const Tensors& x) -> Tensors { return {softmax(x[0], -1)}; })) >= 4);
  CHECK(resident_rows(planned({rows, gain, gain, rows}, [&](const Tensors& x) -> Tensors {
          const auto [value, pull] = vjp(normed, x[0], x[1], x[2]);
          const auto [of_x, of_gain, of_bias] = pull(x[3]);
          return {value, of_x, of_gain, of_bias};
        })) >= 2);
}

TEST_CASE("cuda_rows: NVRTC compiles long rows of 16 bits for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const TensorType rows{bf16, {64, 16384}}, gain{bf16, {16384}}, odd{bf16, {64, 50257}};
  Vector<Source> sources;
  add(sources, planned({rows, gain, gain},
                       [](const Tensors& x) -> Tensors { return {layer_norm(x[0], x[1], x[2])}; }));
  add(sources, planned({rows, rows}, [](const Tensors& x) -> Tensors {
        const auto of = [](const Tensor& one) { return softmax(one, -1); };
        return {vjp(of, x[0]).pullback(x[1])};
      }));
  add(sources, planned({rows, {i64, {64}}}, [](const Tensors& x) -> Tensors {
        const auto loss = [&](const Tensor& one) {
          return cross_entropy(one, x[1], {.label_smoothing = 0.1});
        };
        return {grad(loss)(x[0])};
      }));
  add(sources, planned({odd}, [](const Tensors& x) -> Tensors {
        return {logsumexp(x[0], -1), var(x[0], -1), prod(x[0], -1), argmax(x[0], -1)};
      }));
  add(sources, planned({odd, odd, {bf16, {50257}}, odd}, [](const Tensors& x) -> Tensors {
        const Tensor sum = x[0] + x[1], normed = rms_norm(sum, x[2]);
        const auto of = [](const Tensor& one, const Tensor& by) { return rms_norm(one, by); };
        const auto [of_sum, of_gain] = vjp(of, sum, x[2]).pullback(x[3]);
        return {sum, normed, of_sum, of_gain, gelu(normed), silu(normed) * sum};
      }));
  check_no_spills(cuda_program(sources));
}

TEST_CASE("cuda_rows: NVRTC compiles rows for blocks that leave few registers, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const auto rows = [](DType dtype, std::int64_t length) {
    return TensorType{dtype, {64, length}};
  };
  const auto gain = [](std::int64_t length) { return TensorType{bf16, {length}}; };
  Vector<Source> sources;
  // Warps are allocated in fours: blocks of 9 get the registers of 12, blocks of 13 those of 16.
  add(sources, planned({rows(bf16, 9216), rows(bf16, 9216)}, [](const Tensors& x) -> Tensors {
        const auto of = [](const Tensor& one) { return softmax(one, -1); };
        const auto [y, pull] = vjp(of, x[0]);
        return {y, pull(x[1])};
      }));
  add(sources, planned({rows(bf16, 13312), gain(13312), gain(13312)},
                       [](const Tensors& x) -> Tensors { return {layer_norm(x[0], x[1], x[2])}; }));
  add(sources, planned({rows(f32, 14336), {i64, {64}}}, [](const Tensors& x) -> Tensors {
        const auto loss = [&](const Tensor& one) {
          return cross_entropy(one, x[1], {.label_smoothing = 0.1});
        };
        const auto [value, gradient] = value_and_grad(loss)(x[0]);
        return {value, gradient};
      }));
  add(sources,
      planned({rows(f32, 18432)}, [](const Tensors& x) -> Tensors { return {argmax(x[0], -1)}; }));
  check_no_spills(cuda_program(sources));
}

TEST_CASE("cuda_rows: NVRTC compiles rows with many recomputed values, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const auto rows = [](DType dtype) { return TensorType{dtype, {64, 8192}}; };
  const auto with_gradient = [](const auto& function) {
    return [=](const Tensors& x) -> Tensors {
      const auto [y, pull] = vjp(function, x[0]);
      return {y, pull(x[1])};
    };
  };
  Vector<Source> sources;
  add(sources, planned({rows(f64)}, [](const Tensors& x) -> Tensors {
        return {softmax(softmax(x[0], -1) * x[0], -1)};
      }));
  add(sources, planned({rows(bf16), rows(bf16)}, with_gradient([](const Tensor& x) {
                         return softmax(gelu(x) * sigmoid(x), -1);
                       })));
  add(sources, planned({rows(bf16), rows(bf16)}, with_gradient([](const Tensor& x) {
                         return dropout(softmax(x, -1), 0.1) * erf(x);
                       })));
  check_no_spills(cuda_program(sources));
}

TEST_CASE("cuda_rows: NVRTC compiles rows of f64 of any length, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const Extent count = Extent::symbol(1, {.min = 1, .max = 1 << 20});
  const Extent length = Extent::symbol(2, {.min = 1, .max = 1 << 20});
  const TensorType rows{f64, {count, length}}, gain{f64, {length}};
  const auto normed = [](const Tensor& x, const Tensor& by, const Tensor& more) {
    return gelu(layer_norm(x, by, more));
  };
  Vector<Source> sources;
  add(sources, planned({rows, gain, gain, rows}, [&](const Tensors& x) -> Tensors {
        const auto [y, pull] = vjp(normed, x[0], x[1], x[2]);
        const auto [of_x, of_gain, of_bias] = pull(x[3]);
        return {y, of_x, of_gain, of_bias};
      }));
  check_no_spills(cuda_program(sources));
}
