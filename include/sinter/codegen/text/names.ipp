#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string pointer_type(const schedule::Argument& argument) {
  return text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype), "*");
}

SINTER_INLINE int lane_bytes(const Kernel& kernel) {
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

SINTER_INLINE Names::Names(const Kernel& kernel, int lanes_of_vector,
                           const schedule::CppLimits& limits)
    : layout(kernel, lanes_of_vector >= 4, limits),
      lanes(lanes_of_vector),
      mask(lane_bytes(kernel) == 8 ? i64 : i32) {}

SINTER_INLINE void Names::for_each_instance(LoopSet loops,
                                            FunctionRef<void(const Instance&)> visit) const {
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

SINTER_INLINE std::string Names::instance_name(LoopSet loops, const Instance& instance) const {
  std::string result;
  for (std::size_t position = 0; position < frames.size(); ++position) {
    if (frames[position].unroll == 1 || (loops >> position & 1) == 0) continue;
    result += text("_", instance[position]);
  }
  return result;
}

SINTER_INLINE std::string Names::name(ValueId id, const Instance& instance) const {
  return text("v", id, instance_name(layout.dependence(id).loops, instance));
}

SINTER_INLINE std::string Names::argument_name(std::int32_t argument) const {
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

SINTER_INLINE std::string Names::loop_name(int stage, int position) const {
  const int inner = position - layout.grid_depth();
  if (inner < 0) return text("i", position);
  return inner == 0 ? text("k", stage) : text("k", stage, "_", inner);
}

SINTER_INLINE bool Names::varying(ValueId id) const {
  const int position = layout.vector_loop(layout.dependence(id).stage);
  return lanes > 1 && position >= 0 && (layout.dependence(id).loops >> position & 1) != 0;
}

SINTER_INLINE bool Names::varying(Extent extent, int stage) const {
  const int position = layout.vector_loop(stage);
  return lanes > 1 && position >= 0 && (layout.loops_of(extent, stage) >> position & 1) != 0;
}

SINTER_INLINE Extent Names::shifted(Extent extent, int stage, const Instance& instance) const {
  for (std::size_t position = 0; position < instance.size(); ++position) {
    if (instance[position] == 0) continue;
    const Extent variable = layout.loop(stage, static_cast<int>(position)).variable;
    extent = substitute(extent, variable, variable + frames[position].step * instance[position]);
  }
  return extent;
}

SINTER_INLINE std::string Names::variable_name(Extent variable, int stage, const Instance& instance,
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

SINTER_INLINE std::string Names::c_shifted(Extent extent, int stage, const Instance& instance,
                                           std::string_view lane) const {
  const auto variable_text = [&](Extent variable) {
    return variable_name(variable, stage, instance, lane);
  };
  if (!names_sizes) return c_text(extent, variable_text);
  return c_text(extent, variable_text, [&](Extent part) { return size_name(part); });
}

SINTER_INLINE std::string Names::size_name(Extent part) const {
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

SINTER_INLINE std::string Names::c_index(Extent extent, int stage, const Instance& instance,
                                         std::string_view lane) const {
  return c_shifted(shifted(extent, stage, instance), stage, instance, lane);
}

SINTER_INLINE Vector<Guard> Names::guards_of(ValueId id) const {
  const Vector<Guard>& guards = layout.at(id).guards;
  Vector<Guard> result;
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const bool holds = held != nullptr && (*held)[id][i];
    if (!holds) result.push_back(guards[i]);
  }
  return result;
}

SINTER_INLINE std::string Names::condition(ValueId id, const Instance& instance,
                                           std::string_view lane) const {
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

}  // namespace sinter::inline SINTER_ABI::detail::codegen
