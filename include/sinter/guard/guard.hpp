#pragma once
// Guards: what a recording assumes about its arguments, and whether a call satisfies it.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

/// Why a size is static: it did not vary so far; mark_static at `where`; Dynamic::off; or the
/// program needed its value at `where`.
struct SizeReason {
  enum class Kind : std::uint8_t { unmarked, marked_static, off, needed };
  Kind kind{};
  Where where{};
  const std::string* path = nullptr;  ///< The path of the module that ran there, if any.
};

/// The guard of one tensor. Sizes are numbers or expressions of symbols.
struct LeafGuard {
  std::string name{};
  DType dtype{};
  bool may_be_on_host = false;  ///< A 0-d tensor, which programs for `device` can read there.
  Shape shape{};
  Vector<SizeReason> reasons{};  ///< By dimension.
  Device device = cpu();
};

/// The size from which the value of a symbol is read: dimension `dim` of leaf `leaf`.
struct SymbolSource {
  Extent symbol = 0;
  std::int32_t leaf = -1;
  std::int32_t dim = 0;
  std::string name{};
  Where marked{};          ///< The line of the mark with its range.
  bool is_direct = false;  ///< Created for this size; otherwise found equal to it.
};

struct Guard {
  Hash structure{};  ///< Hash of plain values, lengths, presence and argument types.
  Vector<PlainValue> plain{};
  Vector<LeafGuard> leaves{};
  Vector<SymbolSource> symbols{};  ///< By id of the symbol.
  Vector<Assumption> assumptions{};

  bool is_static() const { return symbols.empty(); }
};

/// True if the call satisfies `guard`. Sets `symbols`, one per symbol of the guard, to their sizes.
bool matches(const Guard& guard, const Hash& structure, Span<const Leaf> leaves,
             Span<std::int64_t> symbols);

/// True if `leaf` satisfies `expected` for these sizes of the symbols.
bool matches(const LeafGuard& expected, const Leaf& leaf, Span<const std::int64_t> symbols);

/// How much the call differs from `guard`, to find the nearest guard. A different plain value,
/// dtype, device or rank counts more than all sizes together.
std::int64_t distance(const Guard& guard, const Hash& structure, Span<const Leaf> leaves,
                      Span<const PlainValue> plain);

/// True if the values differ in floating-point numbers only.
bool differ_in_numbers(Span<const PlainValue> before, Span<const PlainValue> now);

/// The guard of the call that `recorder` recorded, after its sizes were fixed. `types` are the
/// types of its placeholders.
Guard make_guard(const Recorder& recorder, Span<const TensorType> types,
                 std::vector<std::string> names);

namespace detail {

inline const TensorType& type_of(const Leaf& leaf) {
  return leaf.tensor->lazy()->node.results[leaf.tensor->result()];
}

inline Device device_of(const Leaf& leaf) { return leaf.tensor->lazy()->device(); }

/// True if `size` is in the range of a symbol.
bool fits(const SymbolInfo& known, std::int64_t size);

/// Reads the sizes of the symbols from the leaves. False if one is out of its range.
bool bind(const Guard& guard, Span<const Leaf> leaves, Span<std::int64_t> symbols);

bool same_size(Extent expected, Extent found, Span<const std::int64_t> symbols);
bool same_device(const LeafGuard& expected, const Leaf& leaf);
/// The same dtype, rank and device.
bool same_kind(const LeafGuard& expected, const Leaf& leaf);
bool holds_in(const Assumption& assumption, Span<const std::int64_t> symbols);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::guard

#ifdef SINTER_DEFINITIONS
#include <sinter/guard/guard.ipp>
#endif
