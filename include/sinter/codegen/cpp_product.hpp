#pragma once
// The helpers of generated C++ for matrix products: tiles of sums that stay in registers.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/helper.hpp>
#include <sinter/codegen/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

/// The text of "multiply_6x4_f32x16", where `name` is "multiply_6x4": it adds to a tile of 6 rows
/// and 4 vectors, or starts one unless there is `more` of it,
///
///     sums[i * pitch + j] = sum over k of left[i * row + k * step] * right[k * width + j]
///
/// in the order of k. Only the first `height` rows of `left` are read; those of `sums` behind them
/// are written, with what nobody needs. "multiply_rounded_6x4" rounds each product before it adds
/// it. Empty if `name` is no such name.
std::string multiply_tile(std::string_view name, const Laned& type);

namespace detail {

inline constexpr std::array<Helper, 2> cpp_product_helpers{{
    {"least", "", Lanes::any, R"(INLINE long least(long a, long b) { return a < b ? a : b; })"},
    {"Part", "", Lanes::any,
     R"(// What one of the threads does of a product: some of its batches, rows or columns, such
// that the thread with the most to do, packing included, is done first.
struct Part {
  struct Side {
    long extent, step = 1, packing = 0;  // of an element of it, in multiply-adds
    long most(long threads) const {
      const long part = (extent + step * threads - 1) / (step * threads) * step;
      return part < extent ? part : extent;
    }
  };
  long batch = 0, batches, row = 0, rows, column = 0, columns;
  Part(Side all, Side high, Side wide, long thread, long threads)
      : batches(all.extent), rows(high.extent), columns(wide.extent) {
    if (threads == 1) return;
    const auto cost = [&](long times, long down, long across) {
      return times * (down * across + down * high.packing + across * wide.packing);
    };
    const long by_batches = cost(all.most(threads), rows, columns);
    const long by_rows = cost(batches, high.most(threads), columns);
    const long by_columns = cost(batches, rows, wide.most(threads));
    const bool some = by_batches <= by_rows && by_batches <= by_columns;
    long &first = some ? batch : by_rows < by_columns ? row : column;
    long &last = some ? batches : by_rows < by_columns ? rows : columns;
    const Side &side = some ? all : by_rows < by_columns ? high : wide;
    first = share(side.extent, side.step, thread, threads);
    last = share(side.extent, side.step, thread + 1, threads);
  }
};)"},
}};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp_product.ipp>
#endif
