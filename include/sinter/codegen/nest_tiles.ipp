#pragma once

#include <sinter/codegen/nest.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// Tile by tile, and in each of them row by row.
SINTER_INLINE void Nest::write_tiled_loops(int position) {
  const Head row = head_of(0, position), column = head_of(0, position + 1);
  const auto loop = [&](const Head& head) {
    const std::string begin = "tile_" + head.name;
    return text("for (long ", begin, " = ", head.begin, "; ", begin, " < ", head.end, "; ", begin,
                " += ", tile(), ")");
  };
  const auto end = [&](const Head& head) {
    const std::string next = text("tile_", head.name, " + ", tile());
    out_.line(text("const long end_", head.name, " = ", next, " < ", head.end, " ? ", next, " : ",
                   head.end, ";"));
  };
  const auto rows = out_.block(loop(row));
  end(row);
  const auto columns = out_.block(loop(column));
  end(column);
  write_tiles("tile_" + row.name, "tile_" + column.name,
              text("end_", row.name, " - tile_", row.name),
              text("end_", column.name, " - tile_", column.name));
  in_tile_ = true;
  write_loop(0, position);
  in_tile_ = false;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
