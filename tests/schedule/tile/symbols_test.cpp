#include <doctest/doctest.h>
#include <sinter/schedule/tile/symbols.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

TEST_CASE("row tile symbols: the first row, the number of rows and the ends are sizes") {
  const Kernel kernel = causal::causal_kernel();
  const schedule::detail::RowTileSymbols names(kernel, clip_of(kernel), 4080);
  REQUIRE(names.symbols.size() == 4);  // one loop of the grid, no symbols
  CHECK(same(names.first, names.symbols[0]));
  CHECK(same(names.rows, names.symbols[1]));
  CHECK(same(names.end, names.symbols[2]));
  CHECK(same(names.last_end, names.symbols[3]));
  CHECK(same(names.row.range_extent(), names.rows));
  CHECK(schedule::detail::RowTileSymbols(kernel, Clip{}, 4080).symbols.size() == 2);
}
