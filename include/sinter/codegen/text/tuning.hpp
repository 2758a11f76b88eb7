#pragma once
// Parameters that change how a kernel is written, never what it computes.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Parameters of generated code. 0 leaves a parameter to the cost model of the emitter.
struct Tuning {
  int vector_bits = 0;             ///< Width of a vector.
  int unroll = 0;                  ///< Vectors per iteration of the innermost loop.
  int non_temporal_kilobytes = 0;  ///< Outputs of at least this size use non-temporal stores.
  int transpose_tile = 0;          ///< Rows and columns of a tile that is transposed.
  int tile_rows = 0;               ///< Rows of a register tile of a product.
  int tile_vectors = 0;            ///< Vectors in a row of that tile.
  int panel_kilobytes = 0;         ///< Largest packed panel of a product.
  int few_rows = 0;                ///< Products of up to this many rows are not packed.
  int row_tile = 0;                ///< Rows of a product that are packed at a time.
  // GPU only; products on a GPU use `tile_rows` as well.
  int tile_columns = 0;       ///< Columns of the tile that a thread block computes.
  int row_threads = 0;        ///< Threads that share a row.
  int generated = 0;          ///< 1: the generated product, never the library.
  int library_algorithm = 0;  ///< Number of the algorithm that the library uses.
  bool operator==(const Tuning&) const = default;
};

/// "tile_rows 8, tile_vectors 3"; "default" if nothing is chosen.
std::string to_string(const Tuning& tuning);

/// Parses what to_string() writes; nullopt for any other text.
Optional<Tuning> parse_tuning(std::string_view text);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/tuning.ipp>
#endif
