#include <doctest/doctest.h>
#include <sinter/codegen/text/tuning.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::Tuning;

TEST_CASE("tuning: the text form is parsed again") {
  const Tuning some[] = {{},
                         {.unroll = 4},
                         {.vector_bits = 256, .unroll = 2},
                         {.tile_rows = 12, .tile_vectors = 2},
                         {.vector_bits = 1,
                          .unroll = 2,
                          .non_temporal_kilobytes = 3,
                          .transpose_tile = 4,
                          .tile_rows = 5,
                          .tile_vectors = 6,
                          .panel_kilobytes = 7,
                          .few_rows = 9,
                          .row_tile = 8,
                          .tile_columns = 10,
                          .row_threads = 11,
                          .generated = 1,
                          .library_algorithm = 3}};
  for (const Tuning& tuning : some) CHECK(codegen::parse_tuning(to_string(tuning)) == tuning);
  CHECK(to_string(Tuning{}) == "default");
  CHECK(to_string(some[3]) == "tile_rows 12, tile_vectors 2");
}

TEST_CASE("tuning: other texts are not parsed") {
  for (const char* const text : {"", "unroll", "unroll x", "unroll 4,", "unroll 4, ", "unroll -1",
                                 "unroll 0", "neighbors 4", "unroll 4 5", "unroll 99999999999"}) {
    INFO(text);
    CHECK_FALSE(codegen::parse_tuning(text));
  }
}
