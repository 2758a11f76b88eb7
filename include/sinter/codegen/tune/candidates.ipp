#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// More kilobytes than any result has: no store is non-temporal.
inline constexpr int never_non_temporal = 1 << 30;

SINTER_INLINE bool may_store_non_temporal(const Kernel& kernel, std::int64_t fewest_bytes) {
  for (const schedule::Argument& argument : kernel.arguments) {
    const std::int64_t most = bounds(argument.elements).max;
    if (argument.access == Access::write && most >= fewest_bytes / 8) return true;
  }
  return false;
}

// Tiles of the same size in other shapes, longer and shorter panels, more and fewer rows.
SINTER_INLINE Vector<Tuning> tunings_of_product(int vector_bits) {
  Vector<Tuning> result;
  const auto tile = [&](int rows, int vectors) {
    result.push_back({.tile_rows = rows, .tile_vectors = vectors});
  };
  if (vector_bits == 512) {
    tile(8, 3), tile(12, 2), tile(4, 6);
  } else {
    tile(4, 3), tile(3, 4), tile(8, 1);
  }
  for (const int kilobytes : {128, 256, 1024}) result.push_back({.panel_kilobytes = kilobytes});
  for (const int rows : {192, 960}) result.push_back({.row_tile = rows});
  for (const int rows : {1, 32}) result.push_back({.few_rows = rows});
  return result;
}

// True if points may be interleaved: nothing depends on their order, and no check has to report the
// first fault.
SINTER_INLINE bool may_unroll(const Kernel& kernel) {
  for (const Instruction& one : kernel.instructions) {
    const bool ordered = one.code == Code::combine || one.code == Code::sort || one.accumulate;
    if (ordered || can_fault(one)) return false;
  }
  for (const schedule::Argument& argument : kernel.arguments) {
    if (argument.access == Access::read_write) return false;
  }
  return true;
}

SINTER_INLINE Vector<Tuning> tunings_of_loops(const Kernel& kernel,
                                              const schedule::Target& target) {
  Vector<Tuning> result;
  if (may_unroll(kernel)) {
    for (const int count : {1, 2, 4, 8}) result.push_back({.unroll = count});
  }
  if (target.vectors.bits == 512) {
    result.push_back({.vector_bits = 256});
    result.push_back({.vector_bits = 256, .unroll = 4});
  }
  for (const int tile : {64, 192}) result.push_back({.transpose_tile = tile});
  if (may_store_non_temporal(kernel, target.cpp.fewest_non_temporal_bytes)) {
    result.push_back({.non_temporal_kilobytes = 1024});
    result.push_back({.non_temporal_kilobytes = never_non_temporal});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Candidate> candidates(const Kernel& kernel, const CppOptions& options) {
  const int bits = options.target.vectors.bits;
  if (bits == 0 || kernel.serial) return {};
  const bool is_product = is_row_tiled(kernel) || product_form(kernel, options.strict);
  const Vector<Tuning> tunings = is_product ? detail::tunings_of_product(bits)
                                            : detail::tunings_of_loops(kernel, options.target);
  const auto write = [&](const CppOptions& tuned) {
    return function_with_finalizers(kernel, kernel.name, tuned);
  };
  return distinct_candidates(options, tunings, write(options), write,
                             [&](const CppOptions& tuned) { return emit_cpp(kernel, tuned); });
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
