#include <doctest/doctest.h>
#include <sinter/codegen/text/tuning.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::Tuning;

TEST_CASE("tuning: what is written is read again") {
  const Tuning some[] = {{},
                         {.neighbours = 4},
                         {.vector_bits = 256, .neighbours = 2},
                         {.tile_rows = 12, .tile_vectors = 2},
                         {.vector_bits = 1,
                          .neighbours = 2,
                          .stream_kilobytes = 3,
                          .turned_tile = 4,
                          .tile_rows = 5,
                          .tile_vectors = 6,
                          .panel_kilobytes = 7,
                          .few_rows = 9,
                          .block_rows = 8,
                          .tile_columns = 10,
                          .row_threads = 11,
                          .generated = 1,
                          .library_answer = 3}};
  for (const Tuning& tuning : some) CHECK(codegen::parse_tuning(to_string(tuning)) == tuning);
  CHECK(to_string(Tuning{}) == "default");
  CHECK(to_string(some[3]) == "tile_rows 12, tile_vectors 2");
}

TEST_CASE("tuning: other texts are none") {
  for (const char* const text :
       {"", "neighbours", "neighbours x", "neighbours 4,", "neighbours 4, ", "neighbours -1",
        "neighbours 0", "neighbors 4", "neighbours 4 5", "neighbours 99999999999"}) {
    INFO(text);
    CHECK_FALSE(codegen::parse_tuning(text));
  }
}
