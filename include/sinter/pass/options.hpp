#pragma once
// Numeric options of the passes.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

struct Options {
  /// Keep every output bit for bit, but for which NaN it is. Otherwise results may round
  /// differently, sums may be taken in another order, and a zero may change its sign.
  bool strict = false;
  /// Under strict numerics: add products up in f64, as sums are, and round them once. A GPU may
  /// have a fraction of its arithmetic for f64.
  bool wide_products = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::pass
