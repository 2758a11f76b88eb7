#pragma once
// Stages padded inputs of overlapping windows: computes each element and its padding once, into
// memory of the thread, from which windows are read without guards.

#include <algorithm>  // std::min
#include <cstdint>    // std::int32_t
#include <utility>    // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/nest/window_axes.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A padded value that is staged.
struct StagedWindow {
  PieceKernel piece{};         ///< Computes the value.
  std::int32_t argument = -1;  ///< The argument of the kernel that reads the staged memory.
  /// It is computed inside the first `depth` loops of the grid and `stage`, in this order.
  int stage = 0, depth = 0;
  Vector<int> given{};  ///< The positions of the loops whose indices the piece gets.
  std::int64_t elements = 0;
};

/// A kernel that reads its windows from staged memory, through its last arguments.
struct StagedKernel {
  Kernel kernel{};
  Vector<StagedWindow> windows{};
};

namespace detail {

/// The index of an element of the staged memory, in the kernel that reads it and in the piece that
/// writes it; and the positions along the axes in the piece.
struct Places {
  Extent read = 0, written = 0;
  Vector<Extent> along{};
};

class WindowStager {
 public:
  WindowStager(const Kernel& kernel, const schedule::CppLimits& limits)
      : limits_(limits), layout_(kernel) {
    result_.kernel = kernel;
  }

  Optional<StagedKernel> run() {
    const schedule::Stage* const stage = schedule::loop_stage(layout_.kernel);
    if (stage == nullptr || !is_plain()) return {};
    stage_ = static_cast<int>(stage - layout_.kernel.stages.begin());
    const Vector<ValueId> roots = find_roots(*stage);
    for (const ValueId root : roots) add(root);
    if (result_.windows.empty()) return {};
    drop_unused();
    if (packs_operands(result_.kernel)) return {};  // they are packed before windows are staged
    return std::move(result_);
  }

 private:
  const Instruction& at(ValueId id) const { return layout_.at(id); }

  bool packs_operands(const Kernel& kernel) const {
    const Layout packing(kernel, true, limits_);
    return !packing.packed.empty() || !packing.transposed.empty();
  }

  bool is_plain() const {
    const Kernel& kernel = layout_.kernel;
    if (kernel.serial || kernel.vector_axis == VectorAxis::none || is_row_tiled(kernel))
      return false;
    if (kernel.instructions.size() > limits_.most_instructions_split) return false;
    return !packs_operands(kernel) && !has(kernel, Code::scan) && !has(kernel, Code::sort) &&
           !has(kernel, Code::combine) && !has(kernel, Code::bind) && !has(kernel, Code::divisor);
  }

  // Elements of a padded input that values outside of the padding are computed from.
  Vector<ValueId> find_roots(const schedule::Stage& stage) const {
    Vector<bool> fits(layout_.kernel.instructions.size(), false);
    for (const ValueId id : stage.body) fits[id] = !axes_of(id).empty();
    Vector<ValueId> result;
    for (const schedule::Stage& reader : layout_.kernel.stages) {
      for (const ValueId id : reader.body) {
        if (fits[id]) continue;
        for (const ValueId operand : at(id).operands) {
          const bool is_root = fits[operand] && !contains(result, operand);
          if (is_root) result.push_back(operand);
        }
      }
    }
    return result;
  }

  // The axes of the padded input that `root` is an element of; empty if there is no such input.
  Vector<WindowAxis> axes_of(ValueId root) const {
    const DType dtype = at(root).dtype;
    if (dtype == boolean || is_half(dtype)) return {};
    Vector<WindowAxis> axes;
    for (const ValueId id : sources_of(layout_.kernel, root)) {
      const Instruction& one = at(id);
      const bool known = one.code == Code::load || one.code == Code::constant ||
                         one.code == Code::compute || one.code == Code::inside ||
                         one.code == Code::index;
      if (!known || pinned(layout_.kernel, one)) return {};
      for (const Guard& guard : one.guards) {
        if (!add_axis(guard.value, axes)) return {};
      }
    }
    if (axes.empty() || !is_element(layout_.kernel, root, axes)) return {};
    return axes;
  }

  bool add_axis(Extent value, Vector<WindowAxis>& axes) const {
    const auto is_known = [&](const WindowAxis& one) { return same(one.value, value); };
    if (any_of(axes, is_known)) return true;
    const Optional<WindowAxis> axis = window_axis(value);
    if (!axis || variables(value).size() < 2) return false;
    for (const Extent variable : variables(value)) {
      const auto is_shared = [&](const WindowAxis& one) { return depends_on(one.value, variable); };
      if (any_of(axes, is_shared)) return false;
    }
    axes.push_back(*axis);
    return true;
  }

  // The positions of the loops that `root` depends on, except for those of its axes.
  LoopSet other_loops(ValueId root, const Vector<WindowAxis>& axes) const {
    const Vector<Extent> places = places_of(layout_.kernel, axes);
    LoopSet result = 0;
    visit_extents(layout_.kernel, root, [&](Extent extent) {
      result |= layout_.loops_of(placed(extent, axes, places), stage_);
    });
    return result;
  }

  LoopSet loops_of_axes(const Vector<WindowAxis>& axes) const {
    LoopSet result = 0;
    for (const WindowAxis& axis : axes) result |= layout_.loops_of(axis.value, stage_);
    return result;
  }

  int loop_count() const { return layout_.depth(stage_); }

  bool is_unrolled(int position) const {
    const Loop& loop = layout_.loop(stage_, position);
    return position < layout_.grid_depth() && loop.unroll > 1 && same(loop.extent, loop.unroll);
  }

  // The depth at which the value is computed: inside the loops that it depends on, but outside of
  // the loops of its axes. Unrolled loops do not count, since they are written out.
  int depth_for(LoopSet others, LoopSet along) const {
    int depth = 0;
    for (int position = 0; position < loop_count(); ++position) {
      if ((along >> position & 1) != 0 && !is_unrolled(position)) break;
      if (position == layout_.vector_loop(stage_)) break;  // it would be that of the first lane
      if ((others >> position & 1) != 0 && !is_unrolled(position)) depth = position + 1;
    }
    return depth;
  }

  // `read`: the loops that what is read depends on.
  bool pays(const StagedWindow& window, LoopSet read) const {
    if (window.elements > limits_.most_far_staged_elements) return false;
    std::int64_t reads = 1;
    for (int position = 0; position < loop_count(); ++position) {
      const Extent extent = layout_.loop(stage_, position).extent;
      if ((read >> position & 1) == 0) continue;
      if (position < window.depth && !is_unrolled(position)) continue;
      if (!extent.is_number()) return false;
      reads *= extent.number();
    }
    bool shared = false;  // by threads
    for (int position = 0; position < std::min(window.depth, layout_.grid_depth()); ++position) {
      const Extent extent = layout_.loop(stage_, position).extent;
      shared = shared || !extent.is_number() || extent.number() >= 4;
    }
    const bool near = window.elements <= limits_.most_staged_elements;
    const std::int64_t fewest =
        near ? limits_.fewest_staged_reads : limits_.fewest_far_staged_reads;
    return shared && reads >= fewest * window.elements;
  }

  // Sorts the axes so that the last one is contiguous in memory.
  void order(ValueId root, Vector<WindowAxis>& axes) const {
    const Vector<ValueId> sources = sources_of(layout_.kernel, root);
    const auto is_contiguous = [&](const WindowAxis& axis) {
      return any_of(sources, [&](ValueId id) {
        const auto step = coefficient_of(at(id).index, axis.carrier);
        return at(id).code == Code::load && step && same(*step, 1);
      });
    };
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      if (is_contiguous(axes[i])) std::swap(axes[i], axes.back());
    }
  }

  void add(ValueId root) {
    Vector<WindowAxis> axes = axes_of(root);
    order(root, axes);
    const LoopSet others = other_loops(root, axes), along = loops_of_axes(axes);
    // Otherwise an enclosing loop would compute it in each iteration.
    const int depth = depth_for(others, along);
    if (!add(root, axes, others, along, depth)) {
      add(root, axes, others, along, depth_for(others, 0));
    }
  }

  bool add(ValueId root, const Vector<WindowAxis>& axes, LoopSet others, LoopSet along, int depth) {
    StagedWindow window;
    window.stage = stage_;
    window.depth = depth;
    window.argument = static_cast<std::int32_t>(result_.kernel.arguments.size());
    window.elements = 1;
    PieceKernel& piece = window.piece;
    piece.kernel.vector_axis = VectorAxis::grid;
    piece.kernel.arguments = layout_.kernel.arguments;
    piece.kernel.symbols = layout_.kernel.symbols;
    Places places{0, 0, places_of(layout_.kernel, axes)};
    if (!add_loops(window, others, places)) return false;
    add_axes(window, axes, places);
    if (!pays(window, along | others)) return false;
    piece.add_matrix(at(root).dtype, Access::write);
    const ValueId stored = piece.copy(layout_.kernel, {root}, -1, 0)[0];
    const WindowAxis& last = axes.back();
    for (Instruction& one : piece.kernel.instructions) {
      // The last position of a divided axis may lie beyond what is read.
      const bool is_inside = one.code != Code::load || last.count % divisor(last) == 0;
      if (!is_inside) one.guards.push_back({last.value, last.least, last.least + last.count});
      schedule::for_each_extent(
          one, [&](Extent& extent) { extent = placed(extent, axes, places.along); });
    }
    piece.store(stored, places.written);
    replace(root, window, places.read);
    result_.windows.push_back(std::move(window));
    return true;
  }

  // Adds the loops outside of the axes: each is either given, or a further axis of the memory.
  bool add_loops(StagedWindow& window, LoopSet others, Places& places) const {
    for (int position = 0; position < loop_count(); ++position) {
      if ((others >> position & 1) == 0) continue;
      const Loop& loop = layout_.loop(stage_, position);
      const bool is_given = position < window.depth && !is_unrolled(position);
      if (is_given && position < layout_.grid_depth() && loop.unroll > 1) return false;
      window.piece.add(loop, is_given ? LoopRange::given : LoopRange::whole);
      if (is_given) {
        window.given.push_back(position);
        continue;
      }
      if (!loop.extent.is_number()) return false;
      places.read = places.read * loop.extent + loop.variable;
      places.written = places.written * loop.extent + loop.variable;
      window.elements *= loop.extent.number();
    }
    return true;
  }

  // The distance between neighbouring windows along `axis`, the last one, if they are the lanes of
  // a vector. 1 if the axis is not divided: dividing it does not pay for short windows.
  std::int64_t divisor(const WindowAxis& axis) const {
    if (!layout_.vector_grid) return 1;
    const Loop& windows = layout_.kernel.grid.back();
    const auto step = coefficient_of(axis.value, windows.variable);
    const bool divides = step && step->is_number() && step->number() > 1;
    if (!divides || !windows.extent.is_number()) return 1;
    const std::int64_t window = axis.count - step->number() * (windows.extent.number() - 1);
    const double reads = static_cast<double>(window) / static_cast<double>(step->number());
    return reads >= limits_.fewest_divided_reads ? step->number() : 1;
  }

  void add_axes(StagedWindow& window, const Vector<WindowAxis>& axes, Places& places) const {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t count = axes[i].count;
      if (i + 1 == axes.size() && divisor(axes[i]) > 1) {
        add_divided_axis(window, axes[i], divisor(axes[i]), places);
        continue;
      }
      if (count > 1) window.piece.add({places.along[i], count}, LoopRange::whole);
      places.read = places.read * count + (axes[i].value - axes[i].least);
      places.written = places.written * count + places.along[i];
      window.elements *= count;
    }
  }

  // The last axis, divided by the step of windows: all positions with a remainder of 0 come first,
  // then those of 1, and so on, so that the lanes of a vector are contiguous.
  void add_divided_axis(StagedWindow& window, const WindowAxis& axis, std::int64_t step,
                        Places& places) const {
    const std::int64_t part = (axis.count + step - 1) / step;
    const auto next =
        schedule::next_range(layout_.kernel) + static_cast<std::uint32_t>(places.along.size());
    const Extent rest = Extent::range(next, step), at = Extent::range(next + 1, part);
    window.piece.add({rest, step}, LoopRange::whole);
    window.piece.add({at, part}, LoopRange::whole);
    places.along.back() = step * at + rest;
    const Extent read = axis.value - axis.least;
    places.read = (places.read * step + read % step) * part + floor_div(read, step);
    places.written = (places.written * step + rest) * part + at;
    window.elements *= step * part;
  }

  void replace(ValueId root, const StagedWindow& window, Extent index) {
    const Instruction& from = at(root);
    Instruction load{.code = Code::load, .op = Op::input, .dtype = from.dtype};
    load.argument = window.argument;
    load.index = index;
    load.constant = constant(0, from.dtype);
    load.remark = from.remark;
    result_.kernel.instructions[root] = std::move(load);
    result_.kernel.arguments.push_back({.dtype = from.dtype,
                                        .access = Access::read,
                                        .elements = window.elements,
                                        .has_slack = true});
  }

  void drop_unused() {
    Kernel& kernel = result_.kernel;
    Vector<bool> used(kernel.instructions.size(), false);
    for (std::size_t id = 0; id < used.size(); ++id) {
      if (kernel.instructions[id].code == Code::store)
        mark_used(kernel, static_cast<ValueId>(id), -1, used);
    }
    for (schedule::Stage& stage : kernel.stages) {
      erase_if(stage.body, [&](ValueId id) { return !used[id]; });
    }
  }

  const schedule::CppLimits& limits_;
  Layout layout_;
  int stage_ = 0;
  StagedKernel result_{};
};

}  // namespace detail

/// `kernel` with staged windows. Nothing if it has no padded windows, if they are too large, or if
/// each element is read too rarely.
inline Optional<StagedKernel> stage_windows(const Kernel& kernel,
                                            const schedule::CppLimits& limits) {
  return detail::WindowStager(kernel, limits).run();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
