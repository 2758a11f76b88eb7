#pragma once
// Names the loops, values and buffers of a kernel in its text, and writes indices in these names.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// An open loop: each value that depends on it has `unroll` copies, `step` iterations apart.
struct Frame {
  std::string name{};
  int unroll = 1;
  Extent step = 1;
};

/// Selects an unrolled copy: its number in each loop, by the position of the loop.
using Instance = SmallVector<int, 8>;

/// Size expressions with more characters than this are computed once and named.
inline constexpr std::size_t longest_size = 40;

/// For each instruction, which of its guards are known to hold.
using HeldGuards = Vector<Vector<bool>>;

/// "const float*": a pointer to `argument`.
inline std::string pointer_type(const schedule::Argument& argument) {
  return text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype), "*");
}

/// Bytes of the widest type that `kernel` computes in vectors, which decides the number of lanes.
inline int lane_bytes(const Kernel& kernel) {
  const Layout layout(kernel);
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& instruction = kernel.instructions[id];
    const int loop = layout.vector_loop(layout.values[id].stage);
    const bool varies = loop >= 0 && (layout.values[id].loops >> loop & 1) != 0;
    if (!varies || instruction.code == Code::index) continue;
    // With 4-byte lanes, i64 would take ten times the instructions.
    if (instruction.dtype == f64 || instruction.dtype == i64) return 8;
  }
  return 4;
}

/// The open loops of a kernel that is being written, and the names in its text.
struct Names {
  /// `lanes_of_vector`: iterations of the vectorised loop in one vector; 1 for scalar code.
  Names(const Kernel& kernel, int lanes_of_vector, const schedule::CppLimits& limits = {})
      : layout(kernel, lanes_of_vector >= 4, limits),
        lanes(lanes_of_vector),
        mask(lane_bytes(kernel) == 8 ? i64 : i32) {}

  Layout layout;
  int lanes = 1;
  DType mask = i32;
  bool masked = false;  ///< Whether only the first `lanes` lanes are active.
  Vector<Frame> frames{};
  const HeldGuards* held = nullptr;  ///< Guards that hold where the text is written; null if none.
  bool names_sizes = false;  ///< Whether long sizes are named "size0"; the caller declares these.

  /// Calls `visit` for each combination of the unrolled loops among `loops`.
  void for_each_instance(LoopSet loops, FunctionRef<void(const Instance&)> visit) const {
    Instance instance;
    instance.resize(frames.size());
    for (;;) {
      visit(instance);
      std::size_t position = frames.size();
      while (position > 0) {
        --position;
        const bool counts = (loops >> position & 1) != 0;
        if (counts && ++instance[position] < frames[position].unroll) break;
        instance[position] = 0;
        if (position == 0) return;
      }
      if (frames.empty()) return;
    }
  }

  /// "_1_0": the numbers of the unrolled copy in `loops`.
  std::string instance_name(LoopSet loops, const Instance& instance) const {
    std::string result;
    for (std::size_t position = 0; position < frames.size(); ++position) {
      if (frames[position].unroll == 1 || (loops >> position & 1) == 0) continue;
      result += text("_", instance[position]);
    }
    return result;
  }

  /// "v12", "v12_1_0"
  std::string name(ValueId id, const Instance& instance) const {
    return text("v", id, instance_name(layout.dependence(id).loops, instance));
  }

  /// "in0", "out1", "row2"
  std::string argument_name(std::int32_t argument) const {
    const auto position = static_cast<std::size_t>(argument);
    switch (layout.kernel.arguments[position].access) {
      case Access::local:
        return text("row", argument);
      case Access::read:
        return text("in", layout.parameters[position]);
      default:
        return text("out", layout.parameters[position]);
    }
  }

  /// "i1", "k0": the loop at `position` in `stage`.
  std::string loop_name(int stage, int position) const {
    const int inner = position - layout.grid_depth();
    if (inner < 0) return text("i", position);
    return inner == 0 ? text("k", stage) : text("k", stage, "_", inner);
  }

  /// True if the value differs between lanes.
  bool varying(ValueId id) const {
    const int position = layout.vector_loop(layout.dependence(id).stage);
    return lanes > 1 && position >= 0 && (layout.dependence(id).loops >> position & 1) != 0;
  }

  bool varying(Extent extent, int stage) const {
    const int position = layout.vector_loop(stage);
    return lanes > 1 && position >= 0 && (layout.loops_of(extent, stage) >> position & 1) != 0;
  }

  /// The type of `id` in the text: a vector if it varies.
  ValueType type_of(ValueId id) const { return typed(layout.at(id).dtype, varying(id)); }
  ValueType vector_of(DType dtype) const { return {dtype, lanes, mask}; }
  /// `dtype` as a scalar or as a vector.
  ValueType typed(DType dtype, bool vector) const { return {dtype, vector ? lanes : 1, mask}; }

  /// `extent` for one unrolled copy, at its first lane.
  Extent shifted(Extent extent, int stage, const Instance& instance) const {
    for (std::size_t position = 0; position < instance.size(); ++position) {
      if (instance[position] == 0) continue;
      const Extent variable = layout.loop(stage, static_cast<int>(position)).variable;
      extent = substitute(extent, variable, variable + frames[position].step * instance[position]);
    }
    return extent;
  }

  /// `extent` in C. With `lane`, for that lane: "lane" turns i0 into "(i0 + lane)".
  std::string c_index(Extent extent, int stage, const Instance& instance,
                      std::string_view lane = "") const {
    return c_shifted(shifted(extent, stage, instance), stage, instance, lane);
  }

  /// The same for an extent that is already shifted.
  std::string c_shifted(Extent extent, int stage, const Instance& instance,
                        std::string_view lane = "") const {
    const auto variable_text = [&](Extent variable) {
      return variable_name(variable, stage, instance, lane);
    };
    if (!names_sizes) return c_text(extent, variable_text);
    return c_text(extent, variable_text, [&](Extent part) { return size_name(part); });
  }

  /// The guards of `id` that are not `held`.
  Vector<Guard> guards_of(ValueId id) const {
    const Vector<Guard>& guards = layout.at(id).guards;
    Vector<Guard> result;
    for (std::size_t i = 0; i < guards.size(); ++i) {
      const bool holds = held != nullptr && (*held)[id][i];
      if (!holds) result.push_back(guards[i]);
    }
    return result;
  }

  /// "0 <= i0 && i0 < n", without the parts that are proven; "" if nothing is left.
  std::string condition(ValueId id, const Instance& instance, std::string_view lane = "") const {
    const int stage = layout.dependence(id).stage;
    const auto c = [&](Extent extent) { return c_index(extent, stage, instance, lane); };
    std::string result;
    const auto require = [&](Extent lower, std::string_view relation, Extent upper) {
      result += text(result.empty() ? "" : " && ", c(lower), relation, c(upper));
    };
    for (const Guard& guard : guards_of(id)) {
      if (!proven_less_equal(guard.low, guard.value)) require(guard.low, " <= ", guard.value);
      if (!proven_less(guard.value, guard.high)) require(guard.value, " < ", guard.high);
    }
    if (layout.at(id).argument < 0) return result;
    for (const Extent variable : variables(layout.at(id).index)) {  // no read after a fault
      const ValueId bind = layout.bind_of(variable);
      if (bind >= 0 && !proven_less(0, layout.at(bind).bound))
        require(0, " < ", layout.at(bind).bound);
    }
    return result;
  }

  /// The long size expressions that occur in the text, in C, in the order of their names.
  const std::vector<std::string>& long_sizes() const { return long_sizes_; }

 private:
  /// "size0"; "" if `part` depends on a loop or is short.
  std::string size_name(Extent part) const {
    const auto& symbols = layout.kernel.symbols;
    for (const Extent variable : variables(part)) {
      const auto is_it = [&](Extent symbol) { return same(symbol, variable); };
      if (none_of(symbols, is_it)) return "";
    }
    const auto variable_text = [&](Extent variable) { return variable_name(variable, 0, {}, ""); };
    const std::string size = c_text(part, variable_text, [&](Extent inner) {
      return same(inner, part) ? std::string() : size_name(inner);
    });
    if (size.size() <= longest_size) return "";
    auto known = find(long_sizes_, size);
    if (known == long_sizes_.end()) known = long_sizes_.insert(known, size);
    return text("size", known - long_sizes_.begin());
  }

  std::string variable_name(Extent variable, int stage, const Instance& instance,
                            std::string_view lane) const {
    const auto& symbols = layout.kernel.symbols;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (same(symbols[i], variable)) return text("n", i);
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const int position = static_cast<int>(i);
      if (!same(layout.loop(stage, position).variable, variable)) continue;
      const bool vector = lanes > 1 && position == layout.vector_loop(stage) && !lane.empty();
      return vector ? text("(", frames[i].name, " + ", lane, ")") : frames[i].name;
    }
    const ValueId bind = layout.bind_of(variable);
    if (bind < 0)
      throw InternalError(text("codegen: ", variable, " is not a variable of its kernel"));
    const std::string bound = name(bind, instance);
    return varying(bind) ? text(bound, "[", lane.empty() ? "0" : lane, "]") : bound;
  }

  mutable std::vector<std::string> long_sizes_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
