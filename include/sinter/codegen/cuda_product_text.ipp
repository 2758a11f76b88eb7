#pragma once

// The text of the kernel: a loop over tiles, how their sums are made, and how they are finished.

#include <sinter/codegen/cuda_product.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string CudaProduct::operand_type(const Factor& factor, int count) const {
  const int usual = 16, bytes = padding(factor);
  return text("Operand<", memory_type(factor.dtype), ", ", count, ", ", tile_.step, ", ",
              factor.deep ? "true" : "false",
              bytes == usual ? "" : text(", ", bytes / static_cast<int>(info(factor.dtype).size)),
              ">");
}

// What the kernel does, for the reader.
SINTER_INLINE std::string CudaProduct::remark() const {
  const std::string tile = text("// Tiles of ", tile_.rows, " x ", tile_.columns, " sums ");
  const std::string at_once = text(", ", tile_.step, " steps of the depth at a time.");
  switch (method_) {
    case CudaMethod::mma:
      return text(tile, "by tensor cores", is_tf32() ? ", as TF32" : "", at_once);
    case CudaMethod::registers:
      return text(tile, "in registers", at_once);
    case CudaMethod::dots:
      return tile + "of few rows: warps read columns, which lie along the depth, once.";
    case CudaMethod::columns:
      return tile + "of few rows: threads read columns, which lie side by side, once.";
  }
  return "";
}

SINTER_INLINE void CudaProduct::write_shared() {
  const std::string sum = sum_type();
  out_.line(remark());
  if (!is_few()) {
    out_.line(text("using Left = ", operand_type(left_, tile_.rows), ";"));
    out_.line(text("using Right = ", operand_type(right_, tile_.columns), ";"));
    if (method_ == CudaMethod::mma) {
      out_.line(text("using Sums = MmaSums_", left_.dtype, "<Left, Right, ", tile_.down, ", ",
                     tile_.across, ">;"));
    } else {
      out_.line(text("using Sums = RegisterSums<", sum, ", Left, Right>;"));
    }
  }
  out_.line("extern __shared__ __align__(16) unsigned char shared[];");
  if (!is_few()) {
    out_.line("Left* const left = (Left*)shared;");
    out_.line(text("Right* const right = (Right*)(left + ", detail::operand_buffers, ");"));
  }
  out_.line(text(sum, "* const sums = (", sum, "*)shared;"));
}

SINTER_INLINE void CudaProduct::write_body() {
  write_shared();
  const std::string head = text("const ", integer_, " ");
  out_.line(
      text(head, "rows = ", c(rows_), ", columns = ", c(columns_), ", depth = ", c(depth_), ";"));
  out_.line(text(head, "tasks = ", c(tasks()), ";"));
  const auto tasks =
      out_.block(text("for (", integer_, " task = blockIdx.x; task < tasks; task += gridDim.x)"));
  out_.line(text("const Tile<", tile_.rows, ", ", tile_.columns, ", ", integer_,
                 "> tile(task, rows, columns);"));
  if (!form_.batch.empty()) out_.line(text(head, "batch = tile.batch;"));
  const auto names = [&](Extent extent) { return c(extent); };
  if (left_.copied || right_.copied) {
    for (const std::string& line :
         detail::side_lines({"batch", form_.batch}, integer_, "batch", names)) {
      out_.line(line);
    }
  }
  is_few() ? write_few_sums() : write_tile_sums();
  out_.line("__syncthreads();");
  write_finish_loop();
  out_.line("__syncthreads();");
}

SINTER_INLINE void CudaProduct::write_tile_sums() {
  out_.line("Sums own;", at(form_.sum).remark);
  out_.line(text("const auto fetch = [&](int buffer, ", integer_, " step) {"));
  out_.line(text("  const ", integer_, " k = step * ", tile_.step, ";"));
  write_fetch(left_, "tile.row", "rows");
  write_fetch(right_, "tile.column", "columns");
  out_.line("};");
  out_.line("const auto multiply = [&](int buffer) { own.add(left[buffer], right[buffer]); };");
  out_.line(text("in_turns<", detail::operand_buffers, ">((depth + ", tile_.step - 1, ") / ",
                 tile_.step, ", fetch, multiply);"));
  out_.line(text("own.write(sums, ", pitch(), ");"));
}

// "left[buffer].copy<Sums::threads, int>(in0 + tile.row * 64 + k, 64, rows - tile.row, depth - k);"
SINTER_INLINE void CudaProduct::write_fetch(const Factor& factor, const std::string& first,
                                            const std::string& end) {
  const std::string across = text(end, " - ", first), along = "depth - k";
  const std::string size = factor.deep ? text(across, ", ", along) : text(along, ", ", across);
  const std::string to = text("  ", factor.name, "[buffer].");
  if (factor.copied) {
    Extent base = at(factor.value).index;
    for (const Loop& loop : factor.side.loops) base = without(base, loop.variable);
    for (const Loop& loop : form_.depth) base = without(base, loop.variable);
    const std::string stride = c(factor.stride);
    const std::string lines = text(factor.deep ? first : "k", " * ", stride);
    out_.line(text(to, "copy<Sums::threads, ", integer_, ">(",
                   argument_name(at(factor.value).argument),
                   same(base, 0) ? "" : text(" + ", c(base)), " + ", lines, " + ",
                   factor.deep ? "k" : first, ", ", stride, ", ", size, ");"));
    return;
  }
  const std::string item = text(first, " + ", factor.deep ? "line" : "at");
  const std::string step = text("k + ", factor.deep ? "at" : "line");
  const auto lambda = [&](int pack) {
    return text("[&](int line, int at) { return ", call(factor, pack, item, step), "; }");
  };
  out_.line(text("  const auto ", factor.name, "_at = ", lambda(1), ";"));
  std::string from = text(factor.name, "_at, ", factor.name, "_at");
  if (factor.pack > 1) {
    out_.line(
        text("  const auto ", factor.name, "_", factor.pack, " = ", lambda(factor.pack), ";"));
    from = text(factor.name, "_", factor.pack, ", ", factor.name, "_at");
  }
  out_.line(
      text(to, "fill<Sums::threads, ", factor.pack, ", ", integer_, ">(", size, ", ", from, ");"));
}

// "product_left_4(in0, batch, row, k)"
SINTER_INLINE std::string CudaProduct::call(const Factor& factor, int pack, const std::string& item,
                                            const std::string& k) const {
  std::string result =
      text(name_, "_", factor.name, pack == 1 ? "" : text("_", pack), "(", factor.arguments);
  std::string_view comma = "";
  for (const CudaSide& side : sides_of(factor)) {
    if (side.loops.empty()) continue;
    result += text(comma, side.name == "batch" ? side.name : side.name == "k" ? k : item);
    comma = ", ";
  }
  return result + ")";
}

// Several of them, where it is not certain that so many are left.
SINTER_INLINE std::string CudaProduct::neighbours(const Factor& factor, const std::string& item,
                                                  const std::string& live) const {
  const std::string several = text(sum_type(), ", ", factor.pack);
  if (factor.pack == 1 && !factor.has_rest) {
    return text("Several<", several, ">{{", call(factor, 1, item, "k"), "}}");
  }
  const std::string whole = call(factor, factor.pack, item, "k");
  if (!factor.has_rest) return whole;
  const std::string one =
      factor.deep ? call(factor, 1, item, "k + at") : call(factor, 1, item + " + at", "k");
  const std::string pack = factor.pack == 1 ? text("Several<", several, ">{{", whole, "}}") : whole;
  return text("padded<", several, ">(", live, ", [&] { return ", pack, "; }, [&](int at) { return ",
              one, "; })");
}

SINTER_INLINE void CudaProduct::write_few_sums() {
  const bool whole_rows = rows_.is_number(), dots = method_ == CudaMethod::dots;
  const std::string row = whole_rows ? "i" : "min(i, rows - 1)";
  const std::string lambda = text("[&](", integer_, " i, ", integer_, " k) { return ");
  const std::string column = "tile.column + j";
  const std::string inside =
      proven_divisible(columns_, tile_.columns) ? column : text("min(", column, ", columns - 1)");
  out_.line(text("const auto left = ", lambda,
                 dots ? neighbours(left_, row, "depth - k") : call(left_, 1, row, "k"), "; };"),
            at(left_.value).remark);
  const std::string right = dots ? neighbours(right_, "column", "depth - k")
                                 : neighbours(right_, "column", "columns - column");
  out_.line(text("const auto right = [&](", integer_, " j, ", integer_, " k) {"));
  out_.line(text("  const ", integer_, " column = ", dots ? inside : column, ";"));
  out_.line(text("  return ", right, ";"));
  out_.line("};");
  const std::string sums = text("<", sum_type(), ", ", few_, ", ");
  if (dots) {
    out_.line(text("dots", sums, tile_.columns / (threads() / 32), ", ", right_.pack, ">(sums, ",
                   pitch(), ", depth, left, right);"),
              at(form_.sum).remark);
    return;
  }
  out_.line(text("column_sums", sums, right_.pack, ", ", tile_.columns / right_.pack, ", ",
                 threads(), ">(sums, ", pitch(), ", depth, left, right);"),
            at(form_.sum).remark);
}

SINTER_INLINE void CudaProduct::write_finish_loop() {
  const int pack = finish_pack_, packs = tile_.columns / pack;
  const auto loop = out_.block(
      text("for (int i = threadIdx.x; i < ", tile_.rows * packs, "; i += ", threads(), ")"));
  out_.line(text("const ", integer_, " row = tile.row + i / ", packs,
                 ", column = tile.column + i % ", packs, pack > 1 ? text(" * ", pack) : "", ";"));
  out_.line("if (row >= rows || column >= columns) continue;");
  out_.line(text("const ", sum_type(), "* const sum = sums + i / ", packs, " * ", pitch(),
                 " + i % ", packs, pack > 1 ? text(" * ", pack) : "", ";"));
  const auto call = [&](int lanes, const std::string& column, const std::string& sum) {
    return text(name_, "_finish", lanes > 1 ? text("_", lanes) : "", "(", finish_arguments_,
                form_.batch.empty() ? "" : "batch, ", form_.rows.empty() ? "" : "row, ", column,
                ", ", sum, ");");
  };
  if (pack == 1) return out_.line(call(1, "column", "*sum"));
  const auto write_pack = [&] {
    const std::string several = text("Several<", sum_type(), ", ", pack, ">");
    out_.line(text("const ", several, " all = *(const ", several, "*)sum;"));
    out_.line(call(pack, "column", "all"));
  };
  if (proven_divisible(columns_, pack)) return write_pack();
  {
    const auto all = out_.block(text("if (column + ", pack, " <= columns)"));
    write_pack();
    out_.line("continue;");
  }
  out_.line(text("for (int j = 0; column + j < columns; ++j) ", call(1, "column + j", "sum[j]")));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
