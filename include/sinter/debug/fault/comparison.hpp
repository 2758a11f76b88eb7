#pragma once
// Compares results with a reference, element by element.

#include <string>  // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The first element that differs by more than the tolerance, and the largest difference of all.
struct Difference {
  bool found = false;
  std::size_t output = 0;
  std::string element{};  ///< "[0, 3]"
  std::string got{}, expected{};
  double largest = 0;  ///< In parts of the larger number, or of 1 if both are smaller.
};

/// The tolerance of a dtype: 3e-4 for f32, 0 for integers.
double tolerance_of(DType dtype);

/// Compares `got` with `expected`, of `types` without symbols, in host memory. `tolerance` 0 is
/// that of each dtype. With `precise`, the same results computed in f64, it is wider where
/// `expected` is itself inaccurate.
Difference compare(Span<const TensorType> types, Span<const Storage> got,
                   Span<const Storage> expected, double tolerance = 0,
                   Span<const Storage> precise = {});

/// "output 0, element [0, 3]: 1.5 instead of 2"
std::string to_string(const Difference& difference);

/// "[1, 2]": the position of an element.
std::string position_text(std::size_t flat, const Shape& shape);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/comparison.ipp>
#endif
