#pragma once
// What a recording assumed of its arguments, and whether a call fits.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <span>      // std::span
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

/// Why a size is guarded as it is: it did not vary so far; mark_static says so, at `where`; nothing
/// is dynamic; or the program needed it to be so at `where`.
struct SizeReason {
  enum class Kind : std::uint8_t { unmarked, marked_static, off, needed };
  Kind kind{};
  Where where{};
  const std::string* path = nullptr;  ///< Of the module that ran there, if one did.
};

/// What is assumed of one tensor. Sizes are numbers, or expressions of symbols.
struct LeafGuard {
  std::string name{};
  DType dtype{};
  bool may_be_on_host = false;  ///< A number, which programs for `device` read there as well.
  Shape shape{};
  std::vector<SizeReason> reasons{};  ///< Of each size.
  Device device = cpu();
};

/// Where the value of a symbol is read: from dimension `dim` of leaf `leaf`.
struct SymbolSource {
  Extent symbol = 0;
  std::int32_t leaf = -1;
  std::int32_t dim = 0;
  std::string name{};
  Where marked{};           ///< The line of the mark that gave it its range.
  bool is_its_own = false;  ///< The size that it was made for; else one that was found equal.
};

struct Guard {
  Hash structure{};  ///< Of plain values, lengths, what is defined, and the types of the arguments.
  std::vector<PlainValue> plain{};
  std::vector<LeafGuard> leaves{};
  std::vector<SymbolSource> symbols{};  ///< By the id of the symbol.
  std::vector<Assumption> assumptions{};

  bool is_static() const { return symbols.empty(); }
};

/// The sizes of the symbols in a call that fits `guard`; nothing if it does not fit. `symbols` has
/// room for as many as there are.
bool matches(const Guard& guard, const Hash& structure, std::span<const Leaf> leaves,
             std::span<std::int64_t> symbols);

/// True if `leaf` fits `expected` where symbols have these sizes.
bool matches(const LeafGuard& expected, const Leaf& leaf, std::span<const std::int64_t> symbols);

/// How much the call differs from what `guard` asks for, to find the guard that it nearly fits: a
/// plain value, dtype, device or rank counts more than all sizes.
std::int64_t distance(const Guard& guard, const Hash& structure, std::span<const Leaf> leaves,
                      std::span<const PlainValue> plain);

/// True if floating numbers, and nothing else, are others.
bool differ_in_numbers(std::span<const PlainValue> before, std::span<const PlainValue> now);

/// The guard of the call that `recorder` recorded, whose sizes are fixed, from the types that its
/// placeholders had.
Guard make_guard(const Recorder& recorder, std::span<const TensorType> types,
                 std::vector<std::string> names);

namespace detail {

inline const TensorType& type_of(const Leaf& leaf) {
  return leaf.tensor->lazy()->node.results[leaf.tensor->result()];
}

inline Device device_of(const Leaf& leaf) { return leaf.tensor->lazy()->device(); }

/// True if a symbol of which this is known may be `size`.
bool fits(const SymbolInfo& known, std::int64_t size);

/// Reads the sizes of the symbols. False if one is outside of its range.
bool bind(const Guard& guard, std::span<const Leaf> leaves, std::span<std::int64_t> symbols);

bool same_size(Extent expected, Extent found, std::span<const std::int64_t> symbols);
bool same_device(const LeafGuard& expected, const Leaf& leaf);
/// The same dtype, rank and device.
bool same_kind(const LeafGuard& expected, const Leaf& leaf);
bool holds_in(const Assumption& assumption, std::span<const std::int64_t> symbols);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::guard

#ifdef SINTER_DEFINITIONS
#include <sinter/guard/guard.ipp>
#endif
