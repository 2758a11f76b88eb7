#pragma once
// Emits the device functions of a product or streaming kernel: an element of an operand (prologue),
// or the code applied to a sum (epilogue), for one element or a pack of neighbours.

#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/text.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Loops fused into one index, which is the parameter `name` of a device function.
struct CudaSide {
  std::string name{};
  Vector<Loop> loops{};
};

namespace detail {

/// The variable of a loop: "row", or "row0", "row1" if the side has several.
inline std::string side_loop(const CudaSide& side, std::size_t loop) {
  return side.loops.size() == 1 ? side.name : text(side.name, loop);
}

/// Lines that compute the loop variables from the fused index: "const int row1 = row % 14;"
inline std::vector<std::string> side_lines(const CudaSide& side, const std::string& integer,
                                           const std::string& position,
                                           FunctionRef<std::string(Extent)> c) {
  std::vector<std::string> result;
  if (side.loops.size() < 2) return result;
  Extent inner = 1;
  for (std::size_t i = side.loops.size(); i-- > 0;) {
    const std::string outer = same(inner, 1) ? position : text(position, " / ", c(inner));
    const std::string rest = i == 0 ? "" : text(" % ", c(side.loops[i].extent));
    result.insert(result.begin(),
                  text("const ", integer, " ", side_loop(side, i), " = ", outer, rest, ";"));
    inner *= side.loops[i].extent;
  }
  return result;
}

}  // namespace detail

class CudaPiece final : public KernelWriter {
 public:
  /// A function for `pack` neighbours along the last of `sides`, whose loops are those of `piece`,
  /// in order. `integer` is the index type.
  CudaPiece(const PieceKernel& piece, const Vector<CudaSide>& sides, int pack, std::string integer,
            Apply apply = apply_in_cuda)
      : KernelWriter({Names(piece.kernel, 1), apply}, NonTemporal::never),
        packs_(context_, values_, memory_, pack),
        sides_(sides),
        integer_(std::move(integer)) {}

  /// A function that returns `value` as `dtype` in its memory format, or as a pack (Several).
  std::string operand(const std::string& name, ValueId value, DType dtype) {
    const std::string type = several(memory_type(dtype));
    {
      const auto body = out_.block({"INLINE ", type, " ", name, "(", parameters(), ")"});
      write_values();
      Instance instance;
      instance.resize(names_.frames.size());
      std::string values;
      for (int lane = 0; lane < pack(); ++lane) {
        if (lane > 0) instance[instance.size() - 1] = lane;
        const std::string one = values_.operand(value, instance, false);
        values += text(lane == 0 ? "" : ", ", stored(dtype, one));
      }
      out_.line({"return ", pack() > 1 ? text("{{", values, "}}") : values, ";"});
      names_.frames.clear();
    }
    return out_.str();
  }

  /// A function that takes a sum, or a pack of them, in place of the last argument of the kernel.
  std::string epilogue(const std::string& name, std::string_view type) {
    given_ = static_cast<std::int32_t>(layout_.kernel.arguments.size()) - 1;
    is_sum_ = true;
    {
      const auto body =
          out_.block({"INLINE void ", name, "(", parameters(), ", ", several(type), " sum)"});
      write_values();
      names_.frames.clear();
    }
    return out_.str();
  }

  /// A function that returns `value` in its compute type, or only stores if `value` is -1. It takes
  /// values, after the sides, in place of the last `given` arguments.
  std::string number(const std::string& name, ValueId value, std::size_t given) {
    const auto& arguments = layout_.kernel.arguments;
    given_ = static_cast<std::int32_t>(arguments.size() - given);
    std::string numbers;
    for (std::size_t i = 0; i < given; ++i) {
      const DType dtype = arguments[static_cast<std::size_t>(given_) + i].dtype;
      numbers += text(", ", type_name({dtype}), " g", i);
    }
    const std::string type = value < 0 ? "void" : type_name({at(value).dtype});
    {
      const auto body = out_.block({"INLINE ", type, " ", name, "(", parameters(), numbers, ")"});
      write_values();
      if (value >= 0) {
        Instance instance;
        instance.resize(names_.frames.size());
        out_.line({"return ", values_.operand(value, instance, false), ";"});
      }
      names_.frames.clear();
    }
    return out_.str();
  }

  /// The arguments of a call before the sides: "in0, n0".
  std::string arguments() const {
    std::string result;
    const Vector<bool> used = used_arguments();
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) result += names_.argument_name(static_cast<std::int32_t>(i)) + ", ";
    }
    for (std::size_t i = 0; i < layout_.kernel.symbols.size(); ++i) result += text("n", i, ", ");
    return result + (layout_.checks.empty() ? "" : "context, ");
  }

  void write_instruction(ValueId id, const Instance& instance) override {
    if (at(id).code == Code::load) return write_load(id, instance);
    if (at(id).code == Code::store) return packs_.write_store(id, instance);
    reductions_.write_instruction(id, instance);
  }

 private:
  void write_load(ValueId id, const Instance& instance) {
    const std::int32_t given = given_ < 0 ? -1 : at(id).argument - given_;
    if (given < 0) return packs_.write_load(id, instance);
    if (!is_sum_) return values_.declare(id, instance, text("g", given));
    const std::string lane = pack() > 1 ? text(".lane[", instance[instance.size() - 1], "]") : "";
    values_.declare(id, instance, text("(", type_name(names_.type_of(id)), ")sum", lane));
  }

  int pack() const { return packs_.pack(); }

  Vector<bool> used_arguments() const {
    Vector<bool> used = schedule::used_arguments(layout_.kernel);
    for (std::size_t i = 0; given_ >= 0 && i < used.size(); ++i) {
      used[i] = used[i] && static_cast<std::int32_t>(i) < given_;
    }
    return used;
  }

  std::string parameters() const {
    std::string result;
    const Vector<bool> used = used_arguments();
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      result += text(pointer_type(layout_.kernel.arguments[i]), " ",
                     names_.argument_name(static_cast<std::int32_t>(i)), ", ");
    }
    for (std::size_t i = 0; i < layout_.kernel.symbols.size(); ++i)
      result += text("long n", i, ", ");
    if (!layout_.checks.empty()) result += "Context* context, ";
    for (const CudaSide& side : sides_) {
      if (side.loops.empty()) continue;
      result += text(integer_, " ", side.name, ", ");
    }
    return result.substr(0, result.empty() ? 0 : result.size() - 2);
  }

  std::string several(std::string_view type) const {
    return pack() > 1 ? text("Several<", type, ", ", pack(), ">") : std::string(type);
  }

  void write_sides() {
    const auto c = [&](Extent extent) { return names_.c_index(extent, 0, {}); };
    for (const CudaSide& side : sides_) {
      for (const std::string& line : detail::side_lines(side, integer_, side.name, c)) {
        out_.line(line);
      }
    }
  }

  void write_values() {
    write_sides();
    values_.write_depth(0, -1);
    for (const CudaSide& side : sides_) {
      for (std::size_t i = 0; i < side.loops.size(); ++i) {
        const bool last = static_cast<int>(names_.frames.size()) + 1 == layout_.grid_depth();
        names_.frames.push_back({detail::side_loop(side, i), last ? pack() : 1, 1});
        if (!last) values_.write_depth(static_cast<int>(names_.frames.size()), -1);
      }
    }
    reductions_.write_innermost(0);
  }

  CudaPacks packs_;
  Vector<CudaSide> sides_;
  std::string integer_;
  std::int32_t given_ = -1;  ///< The first kernel argument that is passed by value.
  bool is_sum_ = false;      ///< It is the only one: the sum.
};

/// A piece of `kernel` over the loops of `sides`, with its arguments and sizes.
inline PieceKernel new_piece(const Kernel& kernel, const Vector<CudaSide>& sides) {
  PieceKernel piece;
  piece.kernel.vector_axis = VectorAxis::grid;
  piece.kernel.arguments = kernel.arguments;
  piece.kernel.symbols = kernel.symbols;
  piece.kernel.checks_before = kernel.checks_before;
  for (const CudaSide& side : sides) {
    for (const Loop& loop : side.loops) piece.add(loop, LoopRange::given);
  }
  return piece;
}

/// `extent` of `kernel` in C, where no loops but those of `sides` are open.
inline std::string c_inside(const Kernel& kernel, const Vector<CudaSide>& sides, Extent extent) {
  return c_text(extent, [&](Extent variable) {
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      if (same(kernel.symbols[i], variable)) return text("n", i);
    }
    for (const CudaSide& side : sides) {
      for (std::size_t i = 0; i < side.loops.size(); ++i) {
        if (same(side.loops[i].variable, variable)) return detail::side_loop(side, i);
      }
    }
    throw InternalError(text("codegen: the loop over ", variable, " is not open"));
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
