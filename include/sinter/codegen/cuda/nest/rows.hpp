#pragma once
// Emits kernels whose rows are shared by neighbouring threads. Rows that fit stay in registers
// between stages.

#include <algorithm>  // std::max, std::min
#include <array>      // std::array
#include <cstdint>    // std::int64_t
#include <string>     // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/cuda/nest/row_registers.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Partial column reductions are accumulated in shared memory over a group of rows, which the same
// threads compute one after another. Rows of 16 bits are read in packs of 8, so f32 partials are
// too: 32 bytes.
inline constexpr std::int64_t partial_alignment = 32;

}  // namespace detail

class CudaRows : private KernelPart {
 public:
  CudaRows(KernelContext& context, Values& values, Memory& memory, Reductions& reductions,
           CudaPacks& packs)
      : KernelPart(context),
        values_(values),
        memory_(memory),
        reductions_(reductions),
        packs_(packs) {}

  /// Decides how rows are shared, and whether they stay in registers.
  void share_rows() {
    by_rows_ = true;
    std::int64_t most = 1;
    bool divides = true;
    ordered_ = has_ordered();
    share_ = {.lanes = ordered_ ? 1 : widest_lanes()};
    for (const Vector<Loop>& loops : layout_.stages) {
      if (loops.empty()) continue;
      length_ = loops.back().extent;
      most = std::max(most, bounds(length_).max);
      while (share_.lanes > 1 && length_.is_number() && length_.number() % share_.lanes != 0) {
        share_.lanes /= 2;  // rows are not aligned to packs
      }
      divides = divides && proven_divisible(length_, share_.lanes);
    }
    const bool plain = has_plain_rows() && length_.number() > 0;
    if (plain) share_whole_rows(length_.number(), true);
    if (plain && !in_registers()) share_whole_rows(length_.number(), false);
    if (!in_registers()) share_long_rows(most);
  }

  /// Shares each row among the `threads` of a block, which sort or scan it.
  void share_rows_of_block(int threads) {
    by_rows_ = true;
    share_.threads = threads;
  }

  /// True if threads share the rows: a row is a point of the grid.
  bool by_rows() const { return by_rows_; }
  const RowShare& share() const { return share_; }
  /// True if the iterations of the last loop of `stage` are divided among the threads of a row.
  bool shares_loop(int stage) const { return by_rows_ && !layout_.stages[stage].empty(); }
  /// True if rows, including local ones, stay in registers.
  bool in_registers() const { return share_.in_registers; }

  /// The condition for code that runs once per row: "threadIdx.x == 0"; "" if a row has one thread.
  std::string is_first_thread() const {
    if (share_.rows == 1) return "threadIdx.x == 0";
    return share_.threads == 1 ? "" : text("threadIdx.x % ", share_.threads, " == 0");
  }

  /// Declares the fragments, and the first element of this thread.
  void write_registers(const std::string& integer) {
    if (!in_registers()) return;
    declare_fragments(-1);
    out_.line({"const ", integer, " first = ", first_element(), ";"});
  }

  /// Writes the loop of `stage` over this thread's elements of a row.
  void write_row(int stage, int position, const std::string& integer) {
    if (in_registers()) return write_steps(stage, position, integer);
    const std::string end = names_.c_index(layout_.loop(stage, position).extent, stage, {});
    const auto loop =
        out_.block({"for (", integer, " first = ", first_element(), "; first < ", end,
                    "; first += ", share_.threads * share_.lanes * share_.steps, ")"});
    declare_fragments(stage);
    write_steps(stage, position, integer);
  }

  void write_row_result(ValueId id, const Instance& instance) {
    const ValueType type = reductions_.accumulator_type(id);
    const std::string best = reductions_.accumulator(reductions_.accumulated_in(id), instance, 0);
    const std::string number = text(id, names_.instance_name(dependence(id).loops, instance));
    const bool block = share_.threads > 32, argmax = at(id).op == Op::argmax;
    std::string value;
    if (ordered_ && is_ordered(id)) {
      value = text("__shfl_sync(~0u, ", best, ", 0)");
    } else if (share_.threads == 1) {
      value = argmax ? reductions_.position(id, instance) : best;
    } else {
      std::string operands = best;
      if (argmax) operands += ", " + reductions_.position(id, instance);
      if (block)
        operands += ", " + declare_shared_partials("parts" + number, type_name({type.dtype}));
      if (block && argmax) operands += ", " + declare_shared_partials("places" + number, "long");
      value = text(block ? "block_" : "row_", at(id).op, "_", suffix(type),
                   block ? "" : text("<", share_.threads, ">"), "(", operands, ")");
    }
    values_.declare_result(id, instance, value);
  }

  /// True if `id` accesses a fragment: elements that the thread holds in registers.
  bool holds(ValueId id) const { return fragment_of(id) >= 0; }

  /// Write the access `id` of a fragment.
  void write_load(ValueId id, const Instance& instance) {
    values_.declare(id, instance, memory_.read(id, fragment_element(id)));
  }

  void write_store(ValueId id, const Instance& instance) {
    const std::string value = values_.operand(at(id).operands[0], instance, false);
    out_.line({fragment_element(id), " = ", stored(argument(at(id)).dtype, value), ";"},
              at(id).remark);
  }

  // "a4 = ordered_sum_f64(a4, v3, 1000 - k0 + threadIdx.x % 32);"
  void write_update(ValueId id, const Instance& instance) {
    const int stage = dependence(id).stage;
    if (!ordered_ || !is_ordered(id) || !shares_loop(stage)) {
      return reductions_.write_update(id, instance);
    }
    const std::string sum = reductions_.accumulator(id, instance, 0);
    const int position = layout_.depth(stage) - 1;
    out_.line({sum, " = ordered_", at(id).op, "_", suffix(reductions_.accumulator_type(id)), "(",
               sum, ", ", values_.operand(at(id).operands[0], instance, false), ", ",
               names_.c_index(layout_.loop(stage, position).extent, stage, {}), " - ",
               names_.loop_name(stage, position), " + threadIdx.x % 32);"},
              at(id).remark);
  }

  // "x5[0].lane[lane] = add_f32(x5[0].lane[lane], v7);"
  void write_combine(ValueId id, const Instance& instance) {
    const Instruction& one = at(id);
    const std::string to =
        holds(id)
            ? fragment_element(id)
            : text(partial_name(one), "[",
                   names_.c_index(index_in_partial(one), dependence(id).stage, instance), "]");
    const std::array operands{to, values_.operand(one.operands[0], instance, false)};
    const ValueType type{one.dtype};
    out_.line({to, " = ", context_.apply(combining(one.op), operands, type, type), ";"},
              one.remark);
  }

  /// True if rows are also reduced column by column (sibling fusion of partial reductions): each
  /// task of a block is then one group of rows, with one partial result.
  bool combines() const { return has(layout_.kernel, Code::combine); }

  /// Bytes of shared memory, including partial results, which lie behind the `used` bytes.
  Extent place_partials(Extent used) {
    Extent bytes = ceil_div(used, detail::partial_alignment) * detail::partial_alignment;
    for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
      if (layout_.kernel.instructions[i].code != Code::combine) continue;
      bytes += partial_bytes(layout_.kernel.instructions[i]);
      layout_.values[i].has_base = false;
    }
    return bytes;
  }

  // "float* const c5 = (float*)(shared + 4096) + threadIdx.x / 32 * 768;"
  void write_partial_memory(Extent used) {
    if (same(used, 0)) write_shared_memory();
    Extent offset = ceil_div(used, detail::partial_alignment) * detail::partial_alignment;
    for_each_combine([&](const Instruction& one) {
      const std::string type(memory_type(one.dtype));
      const std::string row = share_.rows == 1 ? ""
                                               : text(" + threadIdx.x / ", share_.threads, " * ",
                                                      names_.c_index(one.bound, 0, {}));
      out_.line({type, "* const ", partial_name(one), " = (", type, "*)(shared + ",
                 names_.c_index(offset, 0, {}), ")", row, ";"});
      offset += partial_bytes(one);
    });
  }

  void write_shared_memory() {
    const std::int64_t alignment = combines() ? detail::partial_alignment : 16;
    out_.line({"extern __shared__ __align__(", alignment, ") unsigned char shared[];"});
  }

  /// Initialises the partial results; stores them.
  void write_partial_init(const std::string& integer) {
    for_each_combine([&](const Instruction& one) {
      write_partial_loop(
          integer, one,
          text(partial_name(one), "[i] = ", literal(neutral(one.op, one.dtype)), ";"));
    });
  }

  void write_partial_result(const std::string& integer) {
    for_each_combine([&](const Instruction& one) {
      write_partial_loop(integer, one,
                         text(names_.argument_name(one.argument), "[",
                              names_.c_index(layout_.grid[0].variable * one.bound, 0, {}),
                              " + i] = ", partial_name(one), "[i];"));
    });
  }

 private:
  using Fragment = RowFragment;

  RowRegisters registers() const {
    return {layout_, share_, fragments_, fragment_of_, context_.target};
  }

  // True if all loops go over one row of known length, and local rows are accessed only in these
  // loops, each element by the thread that owns it.
  bool has_plain_rows() const {
    if (!length_.is_number()) return false;
    for (const Vector<Loop>& loops : layout_.stages) {
      if (loops.size() > 1 || (!loops.empty() && !same(loops[0].extent, length_))) return false;
    }
    for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
      const Instruction& one = layout_.kernel.instructions[i];
      if (one.code != Code::load && one.code != Code::store) continue;
      if (argument(one).access != Access::local) continue;
      const auto id = static_cast<ValueId>(i);
      const auto& loops = layout_.stages[dependence(id).stage];
      if (loops.empty() || !same(one.index, loops[0].variable) || !is_row_access(id)) return false;
    }
    return true;
  }

  // How threads share rows, and which fragments they hold.

  // True if `id` accesses a contiguous row, unguarded, in a loop that threads share.
  bool is_row_access(ValueId id) const {
    const Instruction& one = at(id);
    if (one.code != Code::load && one.code != Code::store && one.code != Code::combine)
      return false;
    const Dependence& value = dependence(id);
    return !layout_.stages[value.stage].empty() && value.depth == layout_.depth(value.stage) &&
           !one.accumulate && packs_.are_neighbours(id) && packs_.is_unguarded(id);
  }

  // True if all rows of the grid read the same elements, which are in a cache after the first row.
  bool is_row_invariant(ValueId id) const {
    const LoopSet grid = loop_at(layout_.grid_depth()) - 1;
    return (layout_.loops_of(at(id).index, dependence(id).stage) & grid) == 0;
  }

  // True if a thread holds one pack of `one` at a time. If rows are not in registers, row-invariant
  // fragments are loaded with the others.
  bool is_transient(const Fragment& one) const {
    return share_.steps > 1 && one.may_be_transient() && (!one.row_invariant || in_registers());
  }

  bool is_transient(const Fragment& one, int stage) const {
    return is_transient(one) && contains(one.stages, stage);
  }

  // A strict floating sum or product, which is computed in element order.
  bool is_ordered(ValueId id) const {
    return context_.strict && at(id).code == Code::reduce && is_rounded(at(id));
  }

  bool has_ordered() const {
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        if (is_ordered(id) && shares_loop(dependence(id).stage)) return true;
      }
    }
    return false;
  }

  // Assigns accesses to fragments. Loads of the same elements share one: across all stages if rows
  // are held `whole`, else within a stage.
  void find_fragments(bool whole) {
    fragments_.clear();
    fragment_of_.assign(layout_.kernel.instructions.size(), -1);
    std::vector<Extent> places;  // per fragment: its index, with one loop variable for all stages
    Extent element = 0;
    for (std::size_t number = 0; number < layout_.stages.size(); ++number) {
      const int stage = static_cast<int>(number);
      for (const ValueId id : layout_.kernel.stages[number].body) {
        if (!is_row_access(id)) continue;
        const schedule::Argument& of = argument(at(id));
        const bool local = whole && of.access == Access::local, stored = at(id).code == Code::store;
        const bool combined = at(id).code == Code::combine;
        if (!local && !packs_.may_be_moved(id)) continue;
        if (!local && !stored && !combined && whole && of.access != Access::read) continue;
        const Extent variable = layout_.vector_variable(stage);
        if (same(element, 0)) element = variable;
        const Extent place = substitute(at(id).index, variable, element);
        std::size_t i = 0;
        for (; i < fragments_.size(); ++i) {
          const Fragment& one = fragments_[i];
          const bool same_row = local ? one.name == names_.argument_name(at(id).argument)
                                      : one.access >= 0 && !stored && !one.stored &&
                                            at(one.access).argument == at(id).argument &&
                                            same(places[i], place);
          if (same_row && (whole || one.stage == stage)) break;
        }
        if (i == fragments_.size()) {
          const std::string name =
              local ? names_.argument_name(at(id).argument) : text(stored ? "y" : "x", id);
          const bool shared = !stored && !combined && !layout_.grid.empty() && is_row_invariant(id);
          fragments_.push_back(
              {name, local ? -1 : id, first_stage(id, whole), of.dtype, stored, shared, combined});
          places.push_back(place);
        }
        fragments_[i].stages.push_back(stage);
        fragment_of_[id] = static_cast<std::int32_t>(i);
        layout_.values[id].has_base = false;
      }
    }
  }

  // The stage that loads `id`. Global loads of whole rows all move to the first loop stage, to
  // overlap their latencies, unless their index is itself read from memory.
  int first_stage(ValueId id, bool whole) const {
    const int stage = dependence(id).stage;
    if (!whole || at(id).code != Code::load || argument(at(id)).access == Access::local)
      return stage;
    if (layout_.has_bind(at(id).index)) return stage;
    int first = 0;
    while (layout_.stages[first].empty()) ++first;
    return first;
  }

  std::int32_t fragment_of(ValueId id) const {
    return fragment_of_.empty() ? -1 : fragment_of_[id];
  }

  // Elements in 16 bytes of the widest row. Row-invariant rows, such as gains, count only if there
  // is no other: they are cached.
  int widest_lanes() const {
    std::size_t own = 0, any = 0;
    for (const schedule::Stage& stage : layout_.kernel.stages) {
      for (const ValueId id : stage.body) {
        if (!is_row_access(id) || argument(at(id)).access == Access::local) continue;
        if (at(id).code == Code::combine) continue;
        const std::size_t size = info(argument(at(id)).dtype).size;
        any = std::max(any, size);
        if (!is_row_invariant(id)) own = std::max(own, size);
      }
    }
    const std::size_t widest = own != 0 ? own : any;
    return widest == 0 ? 1 : static_cast<int>(16 / std::max<std::size_t>(widest, 2));
  }

  // Packs that a thread loads before it computes; narrower packs, of unaligned rows, are more.
  int steps_at_once() const {
    const int elements = std::min(context_.target.cuda.row_packs * widest_lanes(),
                                  context_.target.cuda.row_elements);
    return std::max(1, elements / share_.lanes);
  }

  // Keeps rows of known length in registers, if they fit: a part of a warp for a short row, a warp,
  // or a block for a long one. With `transient`, only one pack of transient fragments is counted,
  // so that a thread may hold more of a row.
  void share_whole_rows(std::int64_t length, bool transient) {
    find_fragments(true);
    const int lanes = share_.lanes;
    const std::int64_t packs = (length + lanes - 1) / lanes;
    const schedule::CudaLimits& limits = context_.target.cuda;
    const auto fits = [&](std::int64_t more, int words) {
      return more <= context_.target.multiprocessors.block_threads &&
             registers().fragment_words(static_cast<int>(more) * lanes, true, transient) <= words;
    };
    std::int64_t steps = steps_at_once();
    while (steps > 1 && !fits(steps, limits.few_row_words)) steps /= 2;
    const bool alone = layout_.grid.empty();
    std::int64_t threads = alone || ordered_ ? warp_threads : 1;
    const std::int64_t asked = std::max(context_.tuning.row_threads, 1);
    const bool tuned = context_.tuning.row_threads >= threads && !ordered_ &&
                       fits((packs + asked - 1) / asked, limits.most_row_words);
    while (threads < warp_threads && threads * steps < packs) threads *= 2;
    if (packs > threads * steps && packs <= threads * steps * 2 &&
        fits(2 * steps, limits.few_row_words)) {
      steps *= 2;  // a warp with twice the steps rather than a block
    }
    if (tuned) threads = asked, steps = (packs + asked - 1) / asked;
    if (packs > threads * steps && ordered_) {
      steps = (packs + threads - 1) / threads;
    } else if (packs > threads * steps) {
      while (packs > steps * limits.threads_of_row && fits(2 * steps, limits.most_row_words))
        steps *= 2;
      threads = ((packs + steps - 1) / steps + warp_threads - 1) / warp_threads * warp_threads;
    }
    if (!fits(steps, limits.most_row_words) ||
        threads > context_.target.multiprocessors.block_threads)
      return;
    const int words = registers().fragment_words(static_cast<int>(steps) * lanes, true);
    if (threads > limits.many_threads && words > limits.most_words_of_many) return;
    const auto number = [](std::int64_t value) { return static_cast<int>(value); };
    if (!registers().fits_registers(number(threads), number(steps))) return;
    const std::int64_t rows =
        alone || threads > warp_threads ? 1 : limits.threads_of_rows / threads;
    share_ = {number(threads), number(rows), lanes, number((packs + threads - 1) / threads), true};
  }

  // Rows of unknown length, or too long for registers: loop over them, and load them in each stage.
  void share_long_rows(std::int64_t most) {
    find_fragments(false);
    share_.steps = steps_at_once();
    const schedule::CudaLimits& limits = context_.target.cuda;
    const auto fits = [&] {
      const int words = registers().fragment_words(share_.steps * share_.lanes, false);
      return words * widest_words(layout_.kernel) <= limits.most_row_words;
    };
    while (share_.steps > 1 && !fits()) share_.steps /= 2;
    if (ordered_) return;
    const std::int64_t packs = most / share_.lanes / share_.steps;
    const int words =
        registers().stage_words(share_.steps * share_.lanes) * widest_words(layout_.kernel);
    const bool light =
        words <= limits.few_row_words &&
        registers().longest_stage() * widest_words(layout_.kernel) <= limits.most_stage_of_many;
    const int enough = light ? limits.many_threads : limits.threads_of_row;
    const bool is_long = most != unbounded && packs > limits.packs_for_many;
    const int limit = is_long ? enough : limits.threads_of_row;
    while (share_.threads < limit && share_.threads < packs) share_.threads *= 2;
    const int asked = context_.tuning.row_threads;
    if (asked >= warp_threads && asked <= enough) share_.threads = asked;
  }

  void declare_fragment(const Fragment& one) {
    const int steps = is_transient(one) ? 1 : share_.steps;
    out_.line({CudaPacks::pack_type(one.dtype, share_.lanes), " ", one.name, "[", steps, "];"});
  }

  // Declares the resident fragments of `stage`; of all stages if it is -1.
  void declare_fragments(int stage) {
    for (const Fragment& one : fragments_) {
      if ((stage < 0 || one.stage == stage) && !is_transient(one)) declare_fragment(one);
    }
  }

  // Loads or stores `one`, from the element `begin` on.
  void write_transfer(const Fragment& one, int stage, bool stores, const std::string& begin) {
    const Extent length = layout_.loop(stage, layout_.depth(stage) - 1).extent;
    const Instruction& access = at(one.access);
    const int of = dependence(one.access).stage;
    const Extent index = one.combined ? index_in_partial(access) : access.index;
    const Extent base = without(index, layout_.vector_variable(of));
    std::string from = one.combined ? partial_name(access) : names_.argument_name(access.argument);
    if (!same(base, 0)) from += text(" + ", names_.c_index(base, of, {}));
    const std::string type = share_.lanes == 1 ? CudaPacks::memory_name(one.dtype)
                                               : CudaPacks::pack_type(one.dtype, share_.lanes);
    out_.line({stores ? "store" : "load", "_row_", type, "<", share_.threads * share_.lanes, ">(",
               stores ? from : one.name, ", ", stores ? one.name : from, ", ", begin, ", ",
               names_.c_index(length, stage, {}), ");"},
              access.remark);
  }

  // Loads of resident fragments before `stage`, or stores after it.
  void write_transfers(int stage, bool stored) {
    for (const Fragment& one : fragments_) {
      const bool fits = one.combined || one.stored == stored;
      if (one.access < 0 || one.stage != stage || !fits || is_transient(one)) continue;
      write_transfer(one, stage, stored, "first");
    }
  }

  // Loads of transient fragments before a step of `stage`, or stores after it.
  void write_transient_fragments(int stage, bool stored, const std::string& begin) {
    for (const Fragment& one : fragments_) {
      const bool fits = one.combined || one.stored == stored;
      if (fits && is_transient(one, stage)) write_transfer(one, stage, stored, begin);
    }
  }

  // Loops are fully unrolled, so that arrays stay in registers.
  void write_steps(int stage, int position, const std::string& integer) {
    const Extent length = layout_.loop(stage, position).extent;
    const std::string end = names_.c_index(length, stage, {});
    const int stride = share_.threads * share_.lanes;
    const bool all = in_registers() && same(length, std::int64_t{stride} * share_.steps);
    write_transfers(stage, false);
    if (share_.steps > 1) {
      const std::string begin = text("first + step * ", stride);
      out_.line("#pragma unroll");
      const auto loop = out_.block({"for (int step = 0; step < ", share_.steps, "; ++step)"});
      if (!all) out_.line({"if (", begin, " >= ", end, ") break;"});
      for (const Fragment& one : fragments_) {
        if (is_transient(one, stage)) declare_fragment(one);
      }
      write_transient_fragments(stage, false, begin);
      write_pack(stage, position, begin, integer);
      write_transient_fragments(stage, true, begin);
    } else if (in_registers() && !all) {
      const auto inside = out_.block({"if (first < ", end, ")"});
      write_pack(stage, position, "first", integer);
    } else {
      write_pack(stage, position, "first", integer);
    }
    write_transfers(stage, true);
  }

  void write_pack(int stage, int position, const std::string& begin, const std::string& integer) {
    const std::string name = names_.loop_name(stage, position);
    const auto write_element = [&](const std::string& element) {
      out_.line({"const ", integer, " ", name, " = ", element, ";"});
      names_.frames.push_back({name, 1, 1});
      reductions_.write_innermost(stage);
      names_.frames.pop_back();
    };
    if (share_.lanes == 1) return write_element(begin);
    const Extent length = layout_.loop(stage, position).extent;
    const bool divides = proven_divisible(length, share_.lanes);
    out_.line("#pragma unroll");
    const auto loop = out_.block({"for (int lane = 0; lane < ", share_.lanes, "; ++lane)"});
    if (!divides) {
      out_.line({"if (", begin, " + lane >= ", names_.c_index(length, stage, {}), ") break;"});
    }
    write_element(begin + " + lane");
  }

  // The first element of a row that belongs to this thread: "threadIdx.x % 32 * 4".
  std::string first_element() const {
    if (share_.threads == 1) return "0";
    return text("threadIdx.x", share_.rows > 1 ? text(" % ", share_.threads) : "",
                share_.lanes > 1 ? text(" * ", share_.lanes) : "");
  }

  // "x4[step].lane[lane]"
  std::string fragment_element(ValueId id) const {
    const Fragment& one = fragments_[fragment_of(id)];
    const bool by_steps = share_.steps > 1 && !is_transient(one);
    return text(one.name, by_steps ? "[step]" : "[0]", share_.lanes > 1 ? ".lane[lane]" : "");
  }

  // "__shared__ float parts5[8];"
  std::string declare_shared_partials(const std::string& name, const std::string& type) {
    out_.line({"__shared__ ", type, " ", name, "[", share_.threads / 32, "];"});
    return name;
  }

  // "c5": the partial result for argument 5.
  static std::string partial_name(const Instruction& one) { return text("c", one.argument); }

  // Bytes of a partial result, for each of the rows that a block computes at once.
  Extent partial_bytes(const Instruction& one) const {
    const Extent bytes = one.bound * static_cast<std::int64_t>(info(one.dtype).size) * share_.rows;
    return ceil_div(bytes, detail::partial_alignment) * detail::partial_alignment;
  }

  Extent index_in_partial(const Instruction& one) const {
    return one.index - layout_.grid[0].variable * one.bound;
  }

  void for_each_combine(FunctionRef<void(const Instruction&)> visit) const {
    for (const Instruction& one : layout_.kernel.instructions) {
      if (one.code == Code::combine) visit(one);
    }
  }

  // "for (int i = threadIdx.x; i < 768; i += 256) c5[i] = 0.0f;"
  void write_partial_loop(const std::string& integer, const Instruction& one,
                          const std::string& statement) {
    const std::string first =
        share_.rows == 1 ? "threadIdx.x" : text("threadIdx.x % ", share_.threads);
    out_.line({"for (", integer, " i = ", first, "; i < ", names_.c_index(one.bound, 0, {}),
               "; i += ", share_.threads, ") ", statement});
  }

  Values& values_;
  Memory& memory_;
  Reductions& reductions_;
  CudaPacks& packs_;
  bool by_rows_ = false;
  bool ordered_ = false;  ///< A warp sums each row in element order (strict).
  RowShare share_{};
  Extent length_ = 0;  ///< Length of the rows, if all stages have the same.
  Vector<Fragment> fragments_{};
  Vector<std::int32_t> fragment_of_{};  ///< For each value: its fragment; -1 if none.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
