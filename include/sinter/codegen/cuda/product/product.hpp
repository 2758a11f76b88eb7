#pragma once
// Emits a matrix product as CUDA: a block computes an output tile from operands staged in shared
// memory, or a few rows from a matrix that is read once, and then runs the epilogue.

#include <algorithm>  // std::max
#include <cstdint>    // std::int64_t
#include <string>     // std::string
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/nest.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/codegen/cuda/product/tile.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline DType cuda_sum_dtype(DType dtype) {
  if (is_half(dtype)) return f32;
  return is_floating(dtype) || dtype == i64 ? dtype : i32;  // narrower integers wrap alike in i32
}

}  // namespace detail

class CudaProduct {
 public:
  CudaProduct(const Kernel& kernel, ProductForm form, const CudaOptions& options = {})
      : kernel_(kernel),
        form_(std::move(form)),
        sum_dtype_(detail::cuda_sum_dtype(at(form_.sum).dtype)),
        options_(options),
        function_{kernel, options.in_body},
        batch_(count_of(form_.batch)),
        rows_(count_of(form_.rows)),
        columns_(count_of(form_.columns)),
        depth_(count_of(form_.depth)) {
    left_.name = "left", left_.side = {"row", form_.rows};
    right_.name = "right", right_.side = {"column", form_.columns};
    choose_method();
    if (has_few_rows()) {
      choose_few_rows();
    } else {
      choose_factor(left_, form_.rows);
      choose_factor(right_, form_.columns);
      choose_tile();
    }
    const int pack = info(sum_dtype_).size == 8 ? 2 : 4;
    epilogue_pack_ = packs(form_.columns.back(), form_.columns.size(), pack) ? pack : 1;
    // Includes the padding to whole tiles; the task loop overshoots by the number of blocks.
    integer_ = index_type(kernel_, {rows_ + 1024, columns_ + 1024, depth_ + 1024, tasks() * 2});
  }

  /// The text of the function `name`, preceded by the device functions that it calls.
  std::string function(const std::string& name) {
    name_ = name;
    write_operand(left_);
    write_operand(right_);
    write_epilogue();
    function_.write(out_, name, text(threads(), ", 1"), [&] { write_body(); });
    return pieces_ + out_.str();
  }

  CudaLaunch launch() const { return {max(tasks(), 1), threads(), shared_bytes()}; }
  CudaMethod method() const { return method_; }
  const CudaTile& tile() const { return tile_; }
  bool has_few_rows() const {
    return method_ == CudaMethod::dots || method_ == CudaMethod::columns;
  }

 private:
  /// How the left or right operand is read.
  struct Factor {
    std::string name{};
    CudaSide side{};       ///< Its rows or columns.
    ValueId value = -1;    ///< The value that is multiplied.
    DType dtype{};         ///< The type in which it is multiplied.
    bool deep = false;     ///< Read along the depth (K-major), else across it.
    bool copied = false;   ///< A plain input, copied with cp.async, ...
    Extent stride = 0;     ///< ... whose lines are this far apart.
    int pack = 1;          ///< If not copied: neighbours computed at once.
    bool has_rest = true;  ///< There may be a remainder, computed element by element.
    std::string arguments{};
  };

  const Instruction& at(ValueId id) const { return kernel_.instructions[id]; }

  // The decisions: method, tile, and how operands are read.

  // The operand type: bf16 or f16 if tensor cores multiply those, else that of the product.
  DType multiplied_as() const {
    const DType left = at(before_widening(kernel_, form_.left)).dtype;
    const DType right = at(before_widening(kernel_, form_.right)).dtype;
    const bool half = left == right && (left == bf16 || left == f16);
    const bool fits = half && sum_dtype_ == f32 && options_.target.multiprocessors.has_tensor_cores;
    return fits ? left : at(form_.left).dtype;
  }

  bool is_tf32() const { return method_ == CudaMethod::mma && left_.dtype == f32; }

  void choose_method() {
    const std::int64_t high = bounds(rows_).max;
    const DType as = multiplied_as();
    left_.value = form_.left, right_.value = form_.right;
    const bool few = high <= options_.target.cuda.few_rows && options_.tuning.tile_rows == 0;
    const bool has_cores = options_.target.multiprocessors.has_tensor_cores,
               is_half = info(as).size == 2;
    left_.dtype = right_.dtype = few || (is_half && !has_cores) ? sum_dtype_ : as;
    if (few) {
      few_rows_ = static_cast<int>(std::max<std::int64_t>(high, 1));
      right_.deep = detail::lies_along(kernel_, form_.right, form_.depth) &&
                    !detail::lies_along(kernel_, form_.right, form_.columns);
      method_ = right_.deep ? CudaMethod::dots : CudaMethod::columns;
      return;
    }
    const bool half = has_cores && as != sum_dtype_ && is_half && is_floating(as);
    // TF32 rounds operands to 11 bits, so it is used only if the program allows it.
    const bool rounded = has_cores && options_.tf32 && as == f32 && sum_dtype_ == f32;
    method_ = half || rounded ? CudaMethod::mma : CudaMethod::registers;
    if (!half) return;
    left_.value = before_widening(kernel_, form_.left);
    right_.value = before_widening(kernel_, form_.right);
  }

  // Few rows: `right` is read once, 16 bytes at a time; small tiles occupy all multiprocessors.
  void choose_few_rows() {
    left_.side.loops = form_.rows, right_.side.loops = form_.columns;
    left_.deep = true;
    const Vector<Loop>& along = right_.deep ? form_.depth : form_.columns;
    int pack = widest_pack(right_);
    while (pack > 1 && !packs(along.back(), along.size(), pack)) pack /= 2;
    right_.pack = pack, left_.pack = right_.deep ? pack : 1;
    tile_.rows = few_rows_;
    const auto blocks = [&] {
      return detail::estimated_extent(batch_, detail::usual_batch) *
             ((detail::estimated_extent(columns_) - 1) / tile_.columns + 1);
    };
    if (right_.deep) {
      tile_.columns = 8 * (few_rows_ > 2 ? 4 : 2);  // of 8 warps
      while (tile_.columns > 8 && blocks() < options_.target.multiprocessors.count)
        tile_.columns /= 2;
      if (options_.tuning.tile_columns % 8 == 0 && options_.tuning.tile_columns >= 8 &&
          options_.tuning.tile_columns <= 32) {
        tile_.columns = options_.tuning.tile_columns;
      }
      left_.has_rest = right_.has_rest = pack > 1 && !proven_divisible(depth_, pack);
      return;
    }
    tile_.columns = (pack == 1 ? 32 : 8) * pack;
    if (pack > 1 && blocks() < 2 * options_.target.multiprocessors.count) tile_.columns /= 2;
    for (const int threads : {4, 8, 16, 32}) {  // of a row of sums
      if (options_.tuning.tile_columns == threads * pack)
        tile_.columns = options_.tuning.tile_columns;
    }
    right_.has_rest = !proven_divisible(columns_, tile_.columns);
  }

  // The tile found by tuning, else that of the cost model.
  void choose_tile() {
    tile_ = cuda_tile(method_, sum_dtype_, batch_, rows_, columns_,
                      options_.target.multiprocessors.count);
    for (const CudaTile& tile : cuda_tiles(method_)) {
      const bool found =
          tile.rows == options_.tuning.tile_rows && tile.columns == options_.tuning.tile_columns;
      if (found && detail::fits(tile, sum_dtype_)) tile_ = tile;
    }
    if (is_tf32()) tile_.step /= 2;  // as many bytes as of 16-bit numbers
    while (tile_.step > 32 && bounds(depth_).max <= tile_.step / 2) tile_.step /= 2;
  }

  void choose_factor(Factor& factor, const Vector<Loop>& loops) {
    factor.side.loops = loops;
    factor.copied = copies(factor, loops);
    if (factor.copied) return;
    factor.deep = detail::lies_along(kernel_, factor.value, form_.depth) ||
                  !detail::lies_along(kernel_, factor.value, loops);
    const Vector<Loop>& along = factor.deep ? form_.depth : loops;
    factor.pack = std::max(info(factor.dtype).size, std::size_t{4}) == 8 ? 2 : 4;
    if (!packs(along.back(), along.size(), factor.pack)) factor.pack = 1;
  }

  // True if `factor` is an input with a constant stride between lines. Sets its stride and layout.
  bool copies(Factor& factor, const Vector<Loop>& loops) const {
    const Instruction& load = at(factor.value);
    if (load.code != Code::load || !load.guards.empty() || load.dtype != factor.dtype) return false;
    if (kernel_.arguments[load.argument].dtype != load.dtype) return false;
    const auto matrix = lines_of(load.index, loops, form_.depth);
    if (matrix) factor.deep = matrix->is_along, factor.stride = matrix->stride;
    return matrix.has_value();
  }

  // Elements in 16 bytes of the widest input that is read along the contiguous loop.
  int widest_pack(const Factor& factor) const {
    const Loop& along = factor.deep ? form_.depth.back() : factor.side.loops.back();
    std::size_t bytes = 2;
    for (const ValueId id : detail::sources_of(kernel_, factor.value)) {
      const Instruction& one = at(id);
      if (one.code != Code::load) continue;
      const auto step = coefficient_of(one.index, along.variable);
      if (!step || same(*step, 0)) continue;
      bytes = std::max(bytes, info(kernel_.arguments[one.argument].dtype).size);
    }
    return static_cast<int>(16 / bytes);
  }

  // True if a pack never crosses an iteration of an outer loop.
  bool packs(const Loop& last, std::size_t loops, int pack) const {
    return bounds(last.extent).max >= pack && (loops == 1 || proven_divisible(last.extent, pack));
  }

  // The side along which the operand is contiguous comes last.
  Vector<CudaSide> sides_of(const Factor& factor) const {
    const CudaSide batch{"batch", form_.batch}, k{"k", form_.depth};
    if (factor.deep) return {batch, factor.side, k};
    return {batch, k, factor.side};
  }

  void write_operand(Factor& factor) {
    if (factor.copied) return;
    const Vector<CudaSide> sides = sides_of(factor);
    for (const int pack : {1, factor.pack}) {
      if (pack == 1 && factor.pack > 1 && !factor.has_rest) continue;
      PieceKernel piece = new_piece(kernel_, sides);
      const ValueId value = piece.copy(kernel_, {factor.value}, -1, 0)[0];
      CudaPiece one(piece, sides, pack, integer_);
      const std::string name = text(name_, "_", factor.name, pack == 1 ? "" : text("_", pack));
      pieces_ += one.operand(name, value, factor.dtype);
      factor.arguments = one.arguments();
      if (factor.pack == 1) break;
    }
  }

  // Writes the epilogue: everything after the sum.
  void write_epilogue() {
    const Vector<CudaSide> sides{{"batch", form_.batch}, left_.side, right_.side};
    for (const int pack : {1, epilogue_pack_}) {
      if (pack == 1 && epilogue_pack_ > 1 && proven_divisible(columns_, epilogue_pack_)) continue;
      PieceKernel piece = new_piece(kernel_, sides);
      piece.add_matrix(sum_dtype_, Access::read);
      piece.copy(kernel_, detail::epilogue_roots(kernel_), form_.sum,
                 form_.columns.back().variable);
      CudaPiece one(piece, sides, pack, integer_);
      pieces_ += one.epilogue(text(name_, "_finish", pack == 1 ? "" : text("_", pack)), sum_type());
      epilogue_arguments_ = one.arguments();
      if (epilogue_pack_ == 1) break;
    }
  }

  std::string c(Extent extent) const { return c_inside(kernel_, {{"batch", form_.batch}}, extent); }

  Extent tasks() const {
    return batch_ * ceil_div(rows_, tile_.rows) * ceil_div(columns_, tile_.columns);
  }

  // Padding between lines in shared memory, in bytes. Lanes read TF32 operands that lie across the
  // depth element by element, from four lines at once: these must be in different banks.
  int padding(const Factor& factor) const { return is_tf32() && !factor.deep ? 32 : 16; }

  // Operands and sums share the same memory, one after the other.
  std::int64_t shared_bytes() const {
    const auto size = static_cast<std::int64_t>(info(sum_dtype_).size);
    const int parts = method_ == CudaMethod::columns ? 1 + threads() / 32 : 1;
    const std::int64_t sums = size * parts * tile_.rows * pitch();
    const auto bytes = [&](const Factor& factor, int count) {
      const auto element = static_cast<std::int64_t>(info(factor.dtype).size);
      const int lines = factor.deep ? count : tile_.step, width = factor.deep ? tile_.step : count;
      return lines * (width * element + padding(factor));
    };
    if (has_few_rows()) return sums;
    const std::int64_t operands = bytes(left_, tile_.rows) + bytes(right_, tile_.columns);
    return std::max(sums, options_.target.cuda.operand_buffers * operands);
  }

  int threads() const {
    return method_ == CudaMethod::mma ? 32 * tile_.warps_down * tile_.warps_across : 256;
  }

  int pitch() const { return tile_.columns + 8; }

  std::string sum_type() const { return type_name({sum_dtype_}); }

  // Kernel text: the loop over tiles, their sums, and the epilogue.

  std::string operand_type(const Factor& factor, int count) const {
    const int usual = 16, bytes = padding(factor);
    return text("Operand<", memory_type(factor.dtype), ", ", count, ", ", tile_.step, ", ",
                factor.deep ? "true" : "false",
                bytes == usual ? "" : text(", ", bytes / static_cast<int>(info(factor.dtype).size)),
                ">");
  }

  // A comment that tells the reader what the kernel does.
  std::string remark() const {
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

  void write_shared() {
    const std::string sum = sum_type();
    out_.line(remark());
    if (!has_few_rows()) {
      out_.line({"using Left = ", operand_type(left_, tile_.rows), ";"});
      out_.line({"using Right = ", operand_type(right_, tile_.columns), ";"});
      if (method_ == CudaMethod::mma) {
        out_.line({"using Sums = MmaSums_", left_.dtype, "<Left, Right, ", tile_.warps_down, ", ",
                   tile_.warps_across, ">;"});
      } else {
        out_.line({"using Sums = RegisterSums<", sum, ", Left, Right>;"});
      }
    }
    out_.line("extern __shared__ __align__(16) unsigned char shared[];");
    if (!has_few_rows()) {
      out_.line("Left* const left = (Left*)shared;");
      out_.line(
          {"Right* const right = (Right*)(left + ", options_.target.cuda.operand_buffers, ");"});
    }
    out_.line({sum, "* const sums = (", sum, "*)shared;"});
  }

  void write_body() {
    write_shared();
    const std::string head = text("const ", integer_, " ");
    out_.line(
        text(head, "rows = ", c(rows_), ", columns = ", c(columns_), ", depth = ", c(depth_), ";"));
    out_.line({head, "tasks = ", c(tasks()), ";"});
    const auto tasks = out_.block({"for (", integer_, " task = ", function_.block(),
                                   "; task < tasks; task += ", function_.blocks(), ")"});
    out_.line({"const Tile<", tile_.rows, ", ", tile_.columns, ", ", integer_,
               "> tile(task, rows, columns);"});
    if (!form_.batch.empty()) out_.line({head, "batch = tile.batch;"});
    const auto names = [&](Extent extent) { return c(extent); };
    if (left_.copied || right_.copied) {
      for (const std::string& line :
           detail::side_lines({"batch", form_.batch}, integer_, "batch", names)) {
        out_.line(line);
      }
    }
    has_few_rows() ? write_few_row_sums() : write_tile_sums();
    out_.line("__syncthreads();");
    write_epilogue_loop();
    out_.line("__syncthreads();");
  }

  void write_tile_sums() {
    out_.line("Sums own;", at(form_.sum).remark);
    out_.line({"const auto fetch = [&](int buffer, ", integer_, " step) {"});
    out_.line({"  const ", integer_, " k = step * ", tile_.step, ";"});
    write_fetch(left_, "tile.row", "rows");
    write_fetch(right_, "tile.column", "columns");
    out_.line("};");
    out_.line("const auto multiply = [&](int buffer) { own.add(left[buffer], right[buffer]); };");
    out_.line({"in_turns<", options_.target.cuda.operand_buffers, ">((depth + ", tile_.step - 1,
               ") / ", tile_.step, ", fetch, multiply);"});
    out_.line({"own.write(sums, ", pitch(), ");"});
  }

  // "left[buffer].copy<Sums::threads, int>(in0 + tile.row * 64 + k, 64, rows - tile.row, depth -
  // k);"
  void write_fetch(const Factor& factor, const std::string& first, const std::string& end) {
    const std::string across = text(end, " - ", first), along = "depth - k";
    const std::string size = factor.deep ? text(across, ", ", along) : text(along, ", ", across);
    const std::string to = text("  ", factor.name, "[buffer].");
    if (factor.copied) {
      Extent base = at(factor.value).index;
      for (const Loop& loop : factor.side.loops) base = without(base, loop.variable);
      for (const Loop& loop : form_.depth) base = without(base, loop.variable);
      const std::string stride = c(factor.stride);
      const std::string lines = text(factor.deep ? first : "k", " * ", stride);
      out_.line({to, "copy<Sums::threads, ", integer_, ">(",
                 parameter_name(kernel_, at(factor.value).argument),
                 same(base, 0) ? "" : text(" + ", c(base)), " + ", lines, " + ",
                 factor.deep ? "k" : first, ", ", stride, ", ", size, ");"});
      return;
    }
    const std::string item = text(first, " + ", factor.deep ? "line" : "at");
    const std::string step = text("k + ", factor.deep ? "at" : "line");
    const auto lambda = [&](int pack) {
      return text("[&](int line, int at) { return ", call(factor, pack, item, step), "; }");
    };
    out_.line({"  const auto ", factor.name, "_at = ", lambda(1), ";"});
    std::string from = text(factor.name, "_at, ", factor.name, "_at");
    if (factor.pack > 1) {
      out_.line(
          text("  const auto ", factor.name, "_", factor.pack, " = ", lambda(factor.pack), ";"));
      from = text(factor.name, "_", factor.pack, ", ", factor.name, "_at");
    }
    out_.line(text(to, "fill<Sums::threads, ", factor.pack, ", ", integer_, ">(", size, ", ", from,
                   ");"));
  }

  void write_few_row_sums() {
    const bool whole_rows = rows_.is_number(), dots = method_ == CudaMethod::dots;
    const std::string row = whole_rows ? "i" : "min(i, rows - 1)";
    const std::string lambda = text("[&](", integer_, " i, ", integer_, " k) { return ");
    const std::string column = "tile.column + j";
    const std::string inside =
        proven_divisible(columns_, tile_.columns) ? column : text("min(", column, ", columns - 1)");
    out_.line({"const auto left = ", lambda,
               dots ? neighbours(left_, row, "depth - k") : call(left_, 1, row, "k"), "; };"},
              at(left_.value).remark);
    const std::string right = dots ? neighbours(right_, "column", "depth - k")
                                   : neighbours(right_, "column", "columns - column");
    out_.line({"const auto right = [&](", integer_, " j, ", integer_, " k) {"});
    out_.line({"  const ", integer_, " column = ", dots ? inside : column, ";"});
    out_.line({"  return ", right, ";"});
    out_.line("};");
    const std::string sums = text("<", sum_type(), ", ", few_rows_, ", ");
    if (dots) {
      out_.line({"dots", sums, tile_.columns / (threads() / 32), ", ", right_.pack, ">(sums, ",
                 pitch(), ", depth, left, right);"},
                at(form_.sum).remark);
      return;
    }
    out_.line({"column_sums", sums, right_.pack, ", ", tile_.columns / right_.pack, ", ", threads(),
               ">(sums, ", pitch(), ", depth, left, right);"},
              at(form_.sum).remark);
  }

  // "product_left_4(in0, batch, row, k)"
  std::string call(const Factor& factor, int pack, const std::string& item,
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

  // The call for a pack of neighbours, with a fallback if fewer may be left.
  std::string neighbours(const Factor& factor, const std::string& item,
                         const std::string& live) const {
    const std::string several = text(sum_type(), ", ", factor.pack);
    if (factor.pack == 1 && !factor.has_rest) {
      return text("Several<", several, ">{{", call(factor, 1, item, "k"), "}}");
    }
    const std::string whole = call(factor, factor.pack, item, "k");
    if (!factor.has_rest) return whole;
    const std::string one =
        factor.deep ? call(factor, 1, item, "k + at") : call(factor, 1, item + " + at", "k");
    const std::string pack =
        factor.pack == 1 ? text("Several<", several, ">{{", whole, "}}") : whole;
    return text("padded<", several, ">(", live, ", [&] { return ", pack,
                "; }, [&](int at) { return ", one, "; })");
  }

  void write_epilogue_loop() {
    const int pack = epilogue_pack_, packs = tile_.columns / pack;
    const auto loop = out_.block(
        text("for (int i = threadIdx.x; i < ", tile_.rows * packs, "; i += ", threads(), ")"));
    out_.line({"const ", integer_, " row = tile.row + i / ", packs, ", column = tile.column + i % ",
               packs, pack > 1 ? text(" * ", pack) : "", ";"});
    out_.line("if (row >= rows || column >= columns) continue;");
    out_.line({"const ", sum_type(), "* const sum = sums + i / ", packs, " * ", pitch(), " + i % ",
               packs, pack > 1 ? text(" * ", pack) : "", ";"});
    const auto call = [&](int lanes, const std::string& column, const std::string& sum) {
      return text(name_, "_finish", lanes > 1 ? text("_", lanes) : "", "(", epilogue_arguments_,
                  form_.batch.empty() ? "" : "batch, ", form_.rows.empty() ? "" : "row, ", column,
                  ", ", sum, ");");
    };
    if (pack == 1) return out_.line(call(1, "column", "*sum"));
    const auto write_pack = [&] {
      const std::string several = text("Several<", sum_type(), ", ", pack, ">");
      out_.line({"const ", several, " all = *(const ", several, "*)sum;"});
      out_.line(call(pack, "column", "all"));
    };
    if (proven_divisible(columns_, pack)) return write_pack();
    {
      const auto all = out_.block({"if (column + ", pack, " <= columns)"});
      write_pack();
      out_.line("continue;");
    }
    out_.line({"for (int j = 0; column + j < columns; ++j) ", call(1, "column + j", "sum[j]")});
  }

  const Kernel& kernel_;
  ProductForm form_;
  DType sum_dtype_{};  ///< Accumulator type.
  CudaOptions options_{};
  CudaFunction function_;
  CudaMethod method_{};
  CudaTile tile_{};
  Factor left_{}, right_{};
  Extent batch_, rows_, columns_, depth_;
  int few_rows_ = 1;  ///< Number of rows of a product of few rows; else 1.
  int epilogue_pack_ = 1;
  std::string integer_{};
  std::string name_{}, pieces_{}, epilogue_arguments_{};
  Writer out_{};
};

/// The product form in which `kernel` is emitted: see product_form(). None for floating types if
/// `strict`: their sums keep their order, so that tiling gains nothing.
inline Optional<ProductForm> cuda_product_form(const Kernel& kernel, const CudaOptions& options) {
  Optional<ProductForm> form = product_form(kernel, options.strict);
  if (!form) return {};
  const DType dtype = kernel.instructions[form->sum].dtype;
  if (options.strict && is_floating(dtype)) return {};
  if (bounds(count_of(form->depth)).max < options.target.cuda.fewest_depth) return {};
  return form;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
