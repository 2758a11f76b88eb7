#pragma once
// Writes the loads and stores of a kernel: whole vectors where lanes are contiguous in memory.

#include <cstdint>      // std::int64_t, std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/values.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// When stores are non-temporal.
enum class NonTemporal : std::uint8_t { never, if_large };

/// "f32", "u16": the type in memory, as helpers name it.
inline std::string stored_name(DType dtype) {
  return dtype == boolean ? "u8" : is_half(dtype) ? "u16" : to_string(dtype);
}

class Memory : private KernelPart {
 public:
  Memory(KernelContext& context, Values& values, NonTemporal non_temporal)
      : KernelPart(context), values_(values), non_temporal_(non_temporal) {}

  void write_load(ValueId id, const Instance& instance) {
    if (names_.varying(id)) return write_vector_load(id, instance);
    const std::string guard = names_.condition(id, instance);
    const std::string value = read(id, element(id, instance));
    values_.declare(id, instance,
                    guard.empty() ? value : text(guard, " ? ", value, " : ", fallback(id)));
  }

  void write_store(ValueId id, const Instance& instance) {
    const bool vector = names_.varying(id);
    if (vector && contiguous(id) && names_.condition(id, instance).empty()) {
      return write_vector_store(id, instance);
    }
    if (vector && names_.condition(id, instance).empty() && pairs_of(id) >= 0) {
      return write_store_of_pairs(id, instance);
    }
    const ValueId value = at(id).operands[0];
    const std::string guard = names_.condition(id, instance, vector ? "lane" : "");
    if (!vector) {
      return write_element(id, guard, element(id, instance),
                           values_.operand(value, instance, false));
    }
    const auto loop =
        out_.block({"for (long lane = 0; lane < ", values_.live_lanes(), "; ++lane)"});
    const std::string lane = names_.varying(value) ? text(names_.name(value, instance), "[lane]")
                                                   : values_.operand(value, instance, false);
    const bool truth = at(value).dtype == boolean && names_.varying(value);
    write_element(id, guard, element(id, instance, "lane"), truth ? lane + " != 0" : lane);
  }

  // "argsort_f32(in0 + i0 * 8, out1 + i0 * 8, 8, 1, false);"
  void write_sort(ValueId id, const Instance& instance) {
    const Instruction& sort = at(id);
    const int stage = dependence(id).stage;
    const std::string first = names_.c_index(without(sort.index, sort.variable), stage, instance);
    const std::string step =
        names_.c_index(*coefficient_of(sort.index, sort.variable), stage, instance);
    const DType dtype = layout_.kernel.arguments[sort.source].dtype;
    out_.line({sort.op, "_", dtype, "(", names_.argument_name(sort.source), " + ", first, ", ",
               names_.argument_name(sort.argument), " + ", first, ", ",
               names_.c_index(sort.bound, stage, instance), ", ", step, ", ",
               literal(sort.constant), ");"},
              sort.remark);
  }

  /// Writes the pointer to the row that `id` accesses.
  void write_base(ValueId id) {
    const Dependence& value = dependence(id);
    const bool writes = at(id).code == Code::store || at(id).code == Code::combine;
    const Extent variable = layout_.loop(value.stage, value.depth - 1).variable;
    names_.for_each_instance(value.base_loops, [&](const Instance& instance) {
      out_.line({writes ? "" : "const ", memory_type(argument(at(id)).dtype), "* const p", id,
                 names_.instance_name(value.base_loops, instance), " = ",
                 names_.argument_name(at(id).argument), " + ",
                 names_.c_index(without(at(id).index, variable), value.stage, instance), ";"});
    });
  }

  /// The element that `id` reads or writes: "in0[i0]"; with `lane`, for that lane.
  std::string element(ValueId id, const Instance& instance, std::string_view lane = "") const {
    const Place where = place(id, instance, !lane.empty());
    const bool rows = argument(at(id)).access == Access::local && layout_.vector_grid;
    const std::string index = names_.c_shifted(where.index, dependence(id).stage, instance, lane);
    return text(where.pointer, "[", index, rows && !lane.empty() ? text(" + ", lane) : "", "]");
  }

  /// The same as an address: "in0 + i0".
  std::string address(ValueId id, const Instance& instance) const {
    const Place where = place(id, instance, false);
    return text(where.pointer, " + ",
                names_.c_shifted(where.index, dependence(id).stage, instance));
  }

  /// "f32_of_f16(in0[i0])": the value of an element.
  std::string read(ValueId id, const std::string& element) const {
    return loaded(argument(at(id)).dtype, element);
  }

  /// The value of a load whose guards do not hold.
  std::string fallback(ValueId id) const {
    const Constant& number = at(id).constant;
    return literal(number.dtype == at(id).dtype ? number : cast(number, at(id).dtype));
  }

  /// True if `argument` may be large enough for non-temporal stores.
  bool stores_non_temporal(std::int32_t argument) const {
    const schedule::Argument& one = layout_.kernel.arguments[argument];
    if (non_temporal_ == NonTemporal::never || names_.lanes == 1) return false;
    if (one.access != Access::write) return false;
    const bool is_tiled =
        !layout_.packed.empty() || (!layout_.grid.empty() && layout_.grid.back().unroll > 1);
    if (is_tiled && !layout_.kernel.sums_windows) return false;  // a tile is read again soon
    return bounds(one.elements).max >= least_non_temporal(argument);
  }

  /// The number of elements from which on its stores are non-temporal.
  std::int64_t least_non_temporal(std::int32_t argument) const {
    const schedule::Argument& of = layout_.kernel.arguments[argument];
    const auto size = static_cast<std::int64_t>(info(of.dtype).size);
    if (context_.tuning.non_temporal_kilobytes != 0)
      return std::int64_t{1024} * context_.tuning.non_temporal_kilobytes / size;
    bool unread = false;
    for (const Instruction& one : layout_.kernel.instructions) {
      unread |= one.code == Code::store && one.argument == argument && one.non_temporal;
    }
    return (unread ? context_.target.launches.non_temporal_bytes
                   : context_.target.cpp.non_temporal_bytes) /
           size;
  }

  /// True if neighbouring lanes access neighbouring elements.
  bool contiguous(ValueId id) const {
    if (argument(at(id)).access == Access::local && layout_.vector_grid) return true;
    if (layout_.is_packed(at(id)) || layout_.is_transposed(at(id))) return true;
    return values_.has_lane_stride(1, at(id).index, dependence(id).stage);
  }

  /// True if each vector that begins at a multiple of the lane count reads contiguous elements.
  /// Holds for an index such as 512*(v//32) + v%32, in a row that joins several shorter rows.
  bool contiguous_if_aligned(ValueId id) const {
    if (names_.lanes == 1 || argument(at(id)).access == Access::local) return false;
    const int stage = dependence(id).stage;
    const Loop& loop = layout_.loop(stage, layout_.vector_loop(stage));
    const std::uint32_t unused = schedule::next_range(layout_.kernel);
    const Extent lane = Extent::range(unused, names_.lanes);
    const Extent vector = Extent::range(unused + 1, loop.extent);
    const Extent index = substitute(at(id).index, loop.variable, vector * names_.lanes + lane);
    return has_step(index, lane) && !names_.varying(without(index, lane), stage);
  }

  /// Stores to `argument` go through the caches in any case, until -1 is set.
  void set_temporal(std::int32_t argument) { temporal_argument_ = argument; }
  /// The same for all arguments.
  void set_all_temporal(bool all_of_them) { all_temporal_ = all_of_them; }

 private:
  // While a row is computed, the next one is prefetched: passes that only compare or add wait for
  // memory, passes with expensive operations leave it idle.

  /// True if the load `id` also prefetches the same part of the next row: in the first pass with
  /// expensive operations, over a row that an earlier pass has read.
  bool prefetches(ValueId id) const {
    const int stage = dependence(id).stage;
    const auto vectors = layout_.vector_stages[stage];
    if (names_.masked || !vectors || stage == 0 || layout_.grid.empty()) return false;
    if (layout_.grid.back().unroll > 1 || argument(at(id)).access != Access::read) return false;
    const Extent row = layout_.stages[stage].back().extent;
    const auto size = static_cast<std::int64_t>(info(argument(at(id)).dtype).size);
    const auto [least, most] = bounds(row);
    if (most < context_.target.cpp.fewest_prefetched_bytes / size ||
        least > context_.target.cpp.most_prefetched_bytes / size)
      return false;
    bool read_before = false;
    for (int s = 0; s < stage; ++s) {
      bool computes_expensive = false;
      for (const ValueId one : layout_.kernel.stages[s].body) {
        const bool same = at(one).code == Code::load && at(one).argument == at(id).argument;
        computes_expensive |= at(one).code == Code::compute && is_expensive(at(one).op);
        read_before |= same && names_.varying(one) && contiguous(one);
        if (computes_expensive && read_before) return false;
      }
    }
    return read_before && has_expensive_op(layout_.kernel, stage);
  }

  void write_prefetch(ValueId id, const Instance& instance) {
    const auto step = coefficient_of(at(id).index, layout_.grid.back().variable);
    if (!step || (step->is_number() && step->number() == 0)) return;
    out_.line({"prefetch(", address(id, instance), " + ",
               names_.c_index(*step, dependence(id).stage, instance), ");"},
              "the next row");
  }

  struct Place {
    std::string pointer{};
    Extent index = 0;
  };

  Place place(ValueId id, const Instance& instance, bool by_lane) const {
    const Instruction& instruction = at(id);
    const Dependence& value = dependence(id);
    if (argument(instruction).access == Access::local) {
      const int lanes = layout_.vector_grid ? names_.lanes : 1;
      Extent row = 0;
      for (int position = 0; position < layout_.grid_depth(); ++position) {
        const auto p = static_cast<std::size_t>(position);
        row = row * names_.frames[p].unroll + instance[p];
      }
      const Extent index = names_.shifted(instruction.index, value.stage, instance);
      return {names_.argument_name(instruction.argument),
              (row * argument(instruction).elements + index) * lanes};
    }
    const int vector = layout_.vector_loop(value.stage);
    if (layout_.is_packed(instruction)) {
      const auto position = static_cast<std::size_t>(vector);
      const Extent row = layout_.loop(value.stage, value.depth - 1).variable;
      const Extent index =
          names_.shifted(row, value.stage, instance) * names_.frames[position].unroll;
      return {text("panel", id), (index + instance[position]) * names_.lanes};
    }
    if (layout_.is_transposed(instruction)) {
      return {text("p", id), names_.shifted(layout_.grid.back().variable, value.stage, instance)};
    }
    const bool at_first_lane = vector >= 0 && (value.base_loops >> vector & 1) != 0;
    if (!value.has_base || (by_lane && at_first_lane)) {
      return {names_.argument_name(instruction.argument),
              names_.shifted(instruction.index, value.stage, instance)};
    }
    const Extent variable = layout_.loop(value.stage, value.depth - 1).variable;
    const Extent rest = instruction.index - without(instruction.index, variable);
    return {text("p", id, names_.instance_name(value.base_loops, instance)),
            names_.shifted(rest, value.stage, instance)};
  }

  void write_vector_load(ValueId id, const Instance& instance) {
    const std::string guard = names_.condition(id, instance),
                      of_lane = names_.condition(id, instance, "lane");
    if (contiguous(id)) {
      const std::string vector = load_vector(id, address(id, instance));
      if (guard.empty()) {
        if (prefetches(id)) write_prefetch(id, instance);
        return values_.declare(id, instance, vector);
      }
      if (guard == of_lane) {
        return values_.declare(
            id, instance,
            text(guard, " ? ", vector, " : ", values_.splat(fallback(id), at(id).dtype)));
      }
    }
    if (lane_step(id) > 0 && has_range_guards(id)) return write_masked_load(id, instance);
    const bool uniform = guard == of_lane;
    if (uniform || values_.affine_guards(id)) {
      if (contiguous(id) || contiguous_if_aligned(id)) {
        return write_guarded_vector(id, instance, load_vector(id, address(id, instance)));
      }
      if (!uniform) return write_guarded_vector(id, instance);
    }
    const std::string value = read(id, element(id, instance, "lane"));
    values_.write_lanes(id, instance,
                        of_lane.empty() ? value : text(of_lane, " ? ", value, " : ", fallback(id)));
  }

  void write_vector_store(ValueId id, const Instance& instance) {
    const DType dtype = argument(at(id)).dtype;
    const std::string where = address(id, instance);
    std::string value = stored_vector(id, instance);
    if (at(id).accumulate) {
      const std::string more = values_.operand(at(id).operands[0], instance, true);
      value = narrowed(dtype, text(load_vector(id, where), " + ", more));
    }
    out_.line({store_head("", id), where, ", ", value, ");"}, at(id).remark);
  }

  /// The position of the unrolled loop whose two copies `id` stores interleaved; -1 if there is
  /// none.
  int pairs_of(ValueId id) const {
    const int stage = dependence(id).stage;
    if (at(id).accumulate || argument(at(id)).access == Access::local) return -1;
    if (!values_.has_lane_stride(2, at(id).index, stage)) return -1;
    for (std::size_t i = 0; i < names_.frames.size(); ++i) {
      const Loop& loop = layout_.loop(stage, static_cast<int>(i));
      if (names_.frames[i].unroll != 2 || !same(loop.extent, 2)) continue;
      if (has_step(at(id).index, loop.variable)) return static_cast<int>(i);
    }
    return -1;
  }

  void write_store_of_pairs(ValueId id, const Instance& instance) {
    const auto loop = static_cast<std::size_t>(pairs_of(id));
    if (instance[loop] == 1) return;  // was stored with the first copy
    Instance second = instance;
    second[loop] = 1;
    out_.line({store_head("_pairs", id), address(id, instance), ", ", stored_vector(id, instance),
               ", ", stored_vector(id, second), ");"},
              at(id).remark);
  }

  // A vector of f32 as the 16-bit `dtype`, or as it is for other dtypes.
  std::string narrowed(DType dtype, const std::string& vector) const {
    return is_half(dtype) ? text(dtype, "_of_f32x", names_.lanes, "(", vector, ")") : vector;
  }

  /// The value that `id` stores, as it is in memory.
  std::string stored_vector(ValueId id, const Instance& instance) const {
    const DType dtype = argument(at(id)).dtype;
    const std::string value = values_.operand(at(id).operands[0], instance, true);
    if (dtype == boolean) return text("bytes_", suffix(names_.vector_of(boolean)), "(", value, ")");
    return narrowed(dtype, value);
  }

  // Loads across an edge, as those of a padded window: the guards hold for a range of lanes, so
  // that a mask replaces a test of each lane.

  // The stride between lanes if it is 1 or 2, else 0.
  int lane_step(ValueId id) const {
    if (contiguous(id)) return 1;
    const bool two = values_.has_lane_stride(2, at(id).index, dependence(id).stage);
    return two && argument(at(id)).access != Access::local ? 2 : 0;
  }

  // True if the guards of `id` hold for a contiguous range of lanes.
  bool has_range_guards(ValueId id) const {
    if (!values_.affine_guards(id)) return false;
    const int stage = dependence(id).stage;
    const Extent variable = layout_.vector_variable(stage);
    for (const Guard& guard : names_.guards_of(id)) {
      const Extent step = *coefficient_of(guard.value, variable);
      if (!step.is_number() || step.number() < 0) return false;
    }
    if (layout_.has_bind(at(id).index)) return false;
    const DType stored = argument(at(id)).dtype, dtype = at(id).dtype;
    const bool converts = stored == boolean || is_half(stored);
    return !converts || cast(at(id).constant, dtype) == constant(0, dtype);
  }

  // "1 - i0, n0 - i0": the range of lanes in which the guards of `id` hold, first and end.
  std::string lane_range(ValueId id, const Instance& instance) const {
    const int stage = dependence(id).stage;
    const Extent variable = layout_.vector_variable(stage);
    std::string from, to = names_.masked ? "lanes" : "", holds;
    const auto c = [&](Extent extent) { return names_.c_index(extent, stage, instance); };
    const auto lanes = [&](Extent elements, Extent step) {
      return same(step, 1) ? c(elements) : text("lanes_before(", c(elements), ", ", step, ")");
    };
    const auto keep = [](std::string& bound, std::string_view which, const std::string& other) {
      bound = bound.empty() ? other : text(which, "(", bound, ", ", other, ")");
    };
    const auto require = [&](Extent low, std::string_view relation, Extent high) {
      holds += text(holds.empty() ? "" : " && ", c(low), relation, c(high));
    };
    for (const Guard& guard : names_.guards_of(id)) {
      const Extent step = *coefficient_of(guard.value, variable);
      const bool counts = !same(step, 0);
      if (!proven_less_equal(guard.low, guard.value)) {
        counts ? keep(from, "later", lanes(guard.low - guard.value, step))
               : require(guard.low, " <= ", guard.value);
      }
      if (!proven_less(guard.value, guard.high)) {
        counts ? keep(to, "least", lanes(guard.high - guard.value, step))
               : require(guard.value, " < ", guard.high);
      }
    }
    if (to.empty()) to = values_.live_lanes();
    if (!holds.empty()) to = text(holds, " ? ", to, " : 0");
    return text(from.empty() ? "0" : from, ", ", to);
  }

  // Loads a vector; the lanes that its guards exclude get the fallback.
  void write_masked_load(ValueId id, const Instance& instance) {
    const DType stored = argument(at(id)).dtype;
    const std::string type = text(stored_name(stored), "x", names_.lanes);
    const bool converts = stored == boolean || is_half(stored);
    const std::string none =
        converts ? text("(", type, "){}") : values_.splat(fallback(id), at(id).dtype);
    const std::string load =
        text(lane_step(id) == 2 ? "load_evens_" : "load_within_", type, "(",
             lane_range(id, instance), ", ", address(id, instance), ", ", none, ")");
    values_.declare(id, instance, converted(id, load));
  }

  /// Loads `id`, testing its guards once per vector; only vectors for which they hold in some lanes
  /// test each lane. `vector` is the expression that loads all lanes at once, or empty if the lanes
  /// are not contiguous.
  void write_guarded_vector(ValueId id, const Instance& instance, const std::string& vector = "") {
    const std::string result = names_.name(id, instance),
                      guard = names_.condition(id, instance, "lane");
    out_.line({type_name(names_.type_of(id)), " ", result, " = {};"}, at(id).remark);
    std::string_view other;
    if (!vector.empty()) {
      out_.line({"if (", whole_vector(id, instance), ") ", result, " = ", vector, ";"});
      other = "else ";
    }
    if (!guard.empty()) {
      const std::string none = values_.splat(fallback(id), at(id).dtype);
      out_.line({other, "if (", values_.outside(id, instance), ") ", result, " = ", none, ";"});
      other = "else ";
    }
    const std::string one = read(id, element(id, instance, "lane"));
    const std::string value = guard.empty() ? one : text(guard, " ? ", one, " : ", fallback(id));
    out_.line({other, "for (long lane = 0; lane < ", values_.live_lanes(), "; ++lane) ", result,
               "[lane] = ", at(id).dtype == boolean ? "-(long)" : "", "(", value, ");"});
  }

  /// The condition under which all lanes may be loaded at once: the guards hold for the first and
  /// the last lane, and the lanes are contiguous.
  std::string whole_vector(ValueId id, const Instance& instance) const {
    std::string result;
    const auto require = [&](const std::string& condition) {
      if (!condition.empty()) result += text(result.empty() ? "" : " && ", condition);
    };
    require(names_.condition(id, instance));
    require(names_.condition(id, instance, text(values_.live_lanes(), " - 1")));
    if (!contiguous(id)) {
      const int stage = dependence(id).stage;
      const Extent past_multiple = layout_.vector_variable(stage) % names_.lanes;
      require(text(names_.c_index(past_multiple, stage, instance), " == 0"));
    }
    return result;
  }

  void write_element(ValueId id, const std::string& guard, const std::string& element,
                     const std::string& value) {
    const DType dtype = argument(at(id)).dtype;
    const auto sum_of = [&](const std::string& before) {
      return context_.apply(Op::add, std::array{before, value}, {dtype}, {dtype});
    };
    const std::string sum = at(id).accumulate ? sum_of(read(id, element)) : value;
    out_.line(
        {guard.empty() ? "" : text("if (", guard, ") "), element, " = ", stored(dtype, sum), ";"},
        at(id).remark);
  }

  // "store_f32x16(", "stream_f32x16(past2, "
  std::string store_head(std::string_view form, ValueId id) const {
    const DType dtype = argument(at(id)).dtype;
    const bool is_temporal = all_temporal_ || at(id).argument == temporal_argument_ ||
                             names_.masked || at(id).accumulate;
    if (stores_non_temporal(at(id).argument) && !is_temporal) {
      return text(vector_memory(text("stream", form), dtype, false), "past", at(id).argument, ", ");
    }
    return vector_memory(text("store", form), dtype, names_.masked);
  }

  // "load_f32x16(" or "load_part_f32x16(lanes, "
  std::string vector_memory(std::string_view verb, DType dtype, bool masked) const {
    return text(verb, masked ? "_part_" : "_", stored_name(dtype), "x", names_.lanes,
                masked ? "(lanes, " : "(");
  }

  std::string load_vector(ValueId id, const std::string& address) const {
    const DType dtype = argument(at(id)).dtype;
    // Lanes that hold anything may not be added up.
    const bool is_whole =
        layout_.is_packed(at(id)) ||
        (argument(at(id)).has_slack && layout_.kernel.vector_axis == VectorAxis::grid);
    const std::string load =
        text(vector_memory("load", dtype, names_.masked && !is_whole), address, ")");
    return converted(id, load);
  }

  // Converts what was loaded to the type of the computation.
  std::string converted(ValueId id, const std::string& load) const {
    const DType dtype = argument(at(id)).dtype;
    if (dtype == boolean) return text("truth_", suffix(names_.vector_of(boolean)), "(", load, ")");
    return is_half(dtype) ? text("f32_of_", dtype, "x", names_.lanes, "(", load, ")") : load;
  }

  Values& values_;
  NonTemporal non_temporal_;
  std::int32_t temporal_argument_ = -1;
  bool all_temporal_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
