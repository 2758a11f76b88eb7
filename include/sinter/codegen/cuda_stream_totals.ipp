#pragma once

// How the totals of a row run along, how what was added up is scaled with them, and what is stored.

#include <array>  // std::array

#include <sinter/codegen/cuda_stream.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// Lanes have totals of their own, which meet at the end.
SINTER_INLINE void CudaStream::write_total(std::size_t total) {
  const StreamTotal& one = form_.totals[total];
  const auto slots = unrolled("i", "Scores::slots");
  const auto elements = unrolled("e", "Scores::elements");
  const std::string to = text("r", one.result, "[i]"), from = text("x", one.value, ".at(i, e)");
  out_.line(
      text(to, " = ", apply(combining(one.op), std::array{to, from}, {dtype_}, {dtype_}), ";"));
}

// A total that others are relative to is the same for all lanes, and they follow it.
SINTER_INLINE void CudaStream::write_peak(int pass, std::size_t total) {
  const StreamTotal& one = form_.totals[total];
  const auto peak = static_cast<std::int32_t>(total);
  const std::vector<ValueId> shifts = shifts_of(pass, peak);
  const std::string type = type_name({dtype_});
  for (const ValueId shift : shifts) out_.line(text(type, " f", shift, "[Scores::slots];"));
  {
    const auto slots = unrolled("i", "Scores::slots");
    out_.line(text("const bool first = r", one.result, "[i] == ", lowest(), ";"));
    out_.line(text(type, " peak = r", one.result, "[i];"));
    {
      const auto elements = unrolled("e", "Scores::elements");
      const std::array pair{std::string("peak"), text("x", one.value, ".at(i, e)")};
      out_.line(text("peak = ", apply(combining(one.op), pair, {dtype_}, {dtype_}), ";"));
    }
    write_meeting("peak", one.op);
    out_.line(text("r", one.result, "[i] = peak;"));
    for (const ValueId shift : shifts) {
      const auto block = out_.block("");
      out_.line(text("const ", type, " next = ", row_number(shift), ";"));
      out_.line(text("const ", type, " shift = next == ", lowest(), " ? 0 : next;"));
      out_.line(text("f", shift, "[i] = first ? 0 : ", exp_name(), "h", shift, "[i] - shift);"));
      out_.line(text("h", shift, "[i] = shift;"));
    }
  }
  for (const ValueId shift : shifts) scale(pass, peak, shift, text("f", shift));
}

// "for (int other = 1; ...) v = maximum_f32(v, __shfl_xor_sync(~0u, v, other));"
SINTER_INLINE void CudaStream::write_meeting(const std::string& name, Op op) {
  const std::array pair{name, text("__shfl_xor_sync(~0u, ", name, ", other)")};
  out_.line("#pragma unroll");
  out_.line("for (int other = 1; other < Lines::lanes; other *= 2) {");
  out_.line(text("  ", name, " = ", apply(combining(op), pair, {dtype_}, {dtype_}), ";"));
  out_.line("}");
}

SINTER_INLINE void CudaStream::scale(int pass, std::int32_t peak, ValueId shift,
                                     const std::string& factor) {
  for (const StreamTotal& one : form_.totals) {
    if (one.pass != pass || one.peak != peak || one.shift != shift) continue;
    const auto slots = unrolled("i", "Scores::slots");
    out_.line(text("r", one.result, "[i] *= ", factor, "[i];"));
  }
  for (std::size_t i = 0; i < form_.sums.size(); ++i) {
    const StreamSum& one = form_.sums[i];
    if (one.pass != pass || one.peak != peak || one.shift != shift) continue;
    out_.line(text("scale_lines(lines, sum", i, ", ", factor, ");"));
  }
}

// Where no step counted, the shift is -infinity, and what was added up is what exp(NaN) makes it.
SINTER_INLINE void CudaStream::write_pass_end(int pass) {
  for (std::size_t i = 0; i < form_.totals.size(); ++i) {
    const StreamTotal& one = form_.totals[i];
    if (one.pass != pass || is_peak(i)) continue;
    const auto slots = unrolled("i", "Scores::slots");
    const std::string name = text("r", one.result, "[i]");
    write_meeting(name, one.op);
  }
  for (std::size_t i = 0; i < form_.totals.size(); ++i) {
    const auto peak = static_cast<std::int32_t>(i);
    if (form_.totals[i].pass != pass) continue;
    for (const ValueId shift : shifts_of(pass, peak)) {
      const std::string type = type_name({dtype_}), name = text("end", shift);
      out_.line(text(type, " ", name, "[Scores::slots];"));
      {
        const auto slots = unrolled("i", "Scores::slots");
        out_.line(text("const ", type, " shift = ", row_number(shift), ";"));
        out_.line(text(name, "[i] = steps > 0 ? ", exp_name(), "shift - shift) : 1;"));
      }
      scale(pass, peak, shift, name);
    }
  }
  shifts_.assign(shifts_.size(), false);
}

// A lane of each row stores what is of the row.
SINTER_INLINE void CudaStream::write_row_stores() {
  if (form_.stores.empty()) return;
  for (const ValueId store : form_.stores) {
    for (const ValueId id : row_numbers_of(store)) declare_row_number(id);
  }
  const auto lane = out_.block("if (threadIdx.x % Lines::lanes == 0)");
  const auto slots = unrolled("i", "Scores::slots");
  const auto inside = out_.block("if (row0 + Scores::row_of(i) < rows)");
  for (const ValueId store : form_.stores) {
    const Call call = write_call("store", store, sides({}), known_numbers());
    std::string arguments = "row[i]";
    for (const ValueId given : call.givens) arguments += text(", r", given, "[i]");
    out_.line(text(call.head, arguments, ");"), at(store).remark);
  }
}

SINTER_INLINE void CudaStream::write_sum_stores(std::size_t position) {
  const StreamSum& sum = form_.sums[position];
  const auto block = out_.block("");
  out_.line(text("using Sums = decltype(sum", position, ");"));
  std::vector<ValueId> spread;
  for (const ValueId store : sum.stores) {
    for (const ValueId id : row_numbers_of(store)) {
      if (std::find(spread.begin(), spread.end(), id) != spread.end()) continue;
      spread.push_back(id);
      declare_row_number(id);
      out_.line(text(type_name({at(id).dtype}), " g", id, "[Sums::slots];"));
      out_.line(text("lines.spread<Sums>(r", id, ", g", id, ");"));
    }
  }
  const auto slots = unrolled("i", "Sums::slots");
  out_.line(text("const ", integer_, " row = row0 + Sums::row_of(i);"));
  out_.line("if (row >= rows) continue;");
  const auto elements = unrolled("e", "Sums::elements");
  out_.line("const int column = Sums::column_of(e);");
  out_.line(text("if (column >= ", c(count_of(sum.columns)), ") continue;"));
  for (const ValueId store : sum.stores) {
    const Call call = write_call("store", store, sides({"column", sum.columns}), known_numbers());
    std::string arguments = "row, column";
    for (const ValueId given : call.givens) {
      arguments +=
          given == sum.result ? text(", sum", position, ".at(i, e)") : text(", g", given, "[i]");
    }
    out_.line(text(call.head, arguments, ");"), at(store).remark);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
