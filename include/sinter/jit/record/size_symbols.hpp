#pragma once
// The symbols of dynamic sizes: which sizes of the tensors of a call become symbols, and which stay
// numbers.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// The mark of dimension `dim` of `tensor`; null if it has none.
const Mark* mark_of(const Tensor& tensor, int dim);

}  // namespace detail

/// Makes the symbols of one recording.
class SizeSymbols {
 public:
  SizeSymbols(Recorder& recorder, const CompileOptions& options, Varying varying, Where where)
      : recorder_(recorder), options_(options), varying_(std::move(varying)), where_(where) {}

  /// Lets unmarked sizes 0 and 1 be unified with marked sizes.
  void let_small_sizes_follow() { small_sizes_follow_ = true; }
  /// Makes size `dim` of leaf `leaf` dynamic as well.
  void let_vary(std::size_t leaf, int dim) { varying_.insert({leaf, dim}); }

  /// Size `dim` of leaf `leaf`, which is `real`: a symbol, or a number. Dimensions of one name are
  /// one symbol.
  ///
  /// Throws ShapeError if dimensions of one name have different sizes.
  Extent size_of(const guard::Leaf& real, std::size_t leaf, int dim);
  /// The same without names.
  Extent size_of(const Tensor& real, std::size_t leaf, int dim, bool is_parameter);
  /// Why size `dim` of `leaf` is recorded as a number.
  guard::SizeReason reason_of(const guard::Leaf& leaf, int dim) const;

 private:
  Extent named_symbol(const std::string& name, std::int64_t hint, const SymbolInfo& known,
                      Where where);
  [[noreturn]] void throw_other_size(const std::string& name, std::int64_t size,
                                     std::int64_t other) const;

  Recorder& recorder_;
  const CompileOptions& options_;
  Varying varying_;
  Where where_;
  bool small_sizes_follow_ = false;
  SortedMap<std::string, Extent> named_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/record/size_symbols.ipp>
#endif
