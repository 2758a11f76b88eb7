#pragma once
// Hashes of extents that do not depend on how their variables are numbered.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Numbers symbols and ranges in the order in which they are first asked for, so that a program
/// recorded again, with other ids, has the same hash.
class Numbering {
 public:
  Numbering() = default;
  /// Numbers symbols by their ids: for hashes that are compared within one recording only.
  static Numbering of_symbol_ids();

  /// 0 for the first symbol, 1 for the next, ... and ranges likewise, apart.
  std::uint32_t operator()(Extent variable);

  /// The symbols and ranges met so far, in order; no symbols that are numbered by their ids.
  Span<const Extent> symbols() const { return symbols_; }
  Span<const Extent> ranges() const { return ranges_; }

 private:
  SmallVector<Extent, 6> symbols_, ranges_;
  bool by_id_ = false;
};

/// Adds `extent` to `hasher`: what it computes and what is known of its variables, but not their
/// ids. Variables not yet in `numbering` are numbered in the order of their ids.
void hash(Hasher& hasher, Extent extent, Numbering& numbering);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/hash.ipp>
#endif
