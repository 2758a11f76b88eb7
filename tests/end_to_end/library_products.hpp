#pragma once
// Products on an emulated GPU that are large enough for a library, compared with the eager backend.

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/emulator.hpp"
#include "gpu.hpp"

#define LIBRARY_TEST(...)           \
  const compiler::FreshCache fresh; \
  const emulator::Emulator machine { __VA_ARGS__ }

namespace library_products {

using namespace gpu;

inline double tolerance(DType dtype) {
  return dtype == f64 ? 1e-12 : dtype == f32 ? 1e-5 : dtype == f16 ? 2e-3 : 2e-2;
}

/// The number of products of `f` on a GPU that the library computes. Checks the result.
template <class F, class... Args>
std::size_t products(const emulator::Emulator& machine, F f, const Args&... args) {
  const Tensor expected = compile(f, {.backend = Backend::eager})(args...);
  const std::size_t before = machine.products();
  const Tensor got = compile(f)(args.to(cuda())...);
  CHECK(got.device() == cuda());
  CHECK(got.dtype() == expected.dtype());
  CHECK(relative_difference(got, expected) < tolerance(expected.dtype()));
  return machine.products() - before;
}

inline constexpr std::int64_t m = 144, k = 136, n = 152;

}  // namespace library_products
