#pragma once
// The choices that decide how a kernel is written, and not what it computes.

#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// What the emitter decides by its cost model where nobody says otherwise; 0 leaves it to that.
struct Tuning {
  int vector_bits = 0;       ///< Of the vectors.
  int neighbours = 0;        ///< Vectors of the innermost loop that are computed at once.
  int stream_kilobytes = 0;  ///< Results of at least this size pass the caches by.
  int turned_tile = 0;       ///< Rows and columns of what is transposed at once.
  int tile_rows = 0;         ///< Of the sums of a product that are kept in registers.
  int tile_vectors = 0;      ///< The vectors in a row of them.
  int panel_kilobytes = 0;   ///< What a packed panel of a product holds at most.
  int few_rows = 0;          ///< Up to so many rows of a product are multiplied without panels.
  int block_rows = 0;        ///< The rows of a product that are packed or kept at once.
  // Of a GPU, whose products have `tile_rows` as well.
  int tile_columns = 0;    ///< Of the sums of a product that a block makes at once.
  int row_threads = 0;     ///< How many threads share a row.
  int generated = 0;       ///< 1: the text computes a product, whatever a library could do.
  int library_answer = 0;  ///< Which of the ways to compute a product that a library offers.
  bool operator==(const Tuning&) const = default;
};

/// "tile_rows 8, tile_vectors 3"; "default" if nothing is chosen.
std::string to_string(const Tuning& tuning);

/// What to_string() wrote; nothing if it is no such text.
std::optional<Tuning> parse_tuning(std::string_view text);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/tuning.ipp>
#endif
