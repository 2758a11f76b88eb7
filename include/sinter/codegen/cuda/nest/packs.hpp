#pragma once
// Emits vectorised loads and stores: a thread computes a pack of neighbouring elements.

#include <algorithm>  // std::max
#include <string>     // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaPacks : private KernelPart {
 public:
  /// `pack`: neighbours that a thread computes along the loop that threads share.
  CudaPacks(KernelContext& context, Values& values, Memory& memory, int pack = 1)
      : KernelPart(context), values_(values), memory_(memory), pack_(pack) {}

  /// Write the access `id`: as a pack if it is packed, else as any other.
  void write_load(ValueId id, const Instance& instance) {
    if (!packed(id)) return memory_.write_load(id, instance);
    const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
    if (instance[last] != 0) return;
    const std::string pack = text("w", id), type = pack_type(argument(at(id)).dtype, pack_);
    out_.line(text("const ", type, " ", pack, " = load_", type, "(", memory_.address(id, instance),
                   ");"));
    Instance neighbour = instance;
    for (int lane = 0; lane < pack_; ++lane) {
      neighbour[last] = lane;
      values_.declare(id, neighbour, memory_.read(id, text(pack, ".lane[", lane, "]")));
    }
  }

  void write_store(ValueId id, const Instance& instance) {
    if (!packed(id)) return memory_.write_store(id, instance);
    const auto last = static_cast<std::size_t>(layout_.vector_loop(dependence(id).stage));
    if (instance[last] != 0) return;
    const DType dtype = argument(at(id)).dtype;
    std::string values;
    Instance neighbour = instance;
    for (int lane = 0; lane < pack_; ++lane) {
      neighbour[last] = lane;
      const std::string value = values_.operand(at(id).operands[0], neighbour, false);
      values += text(lane == 0 ? "" : ", ", stored(dtype, value));
    }
    const std::string type = pack_type(dtype, pack_);
    out_.line({"store_", type, "(", memory_.address(id, instance), ", ", values, ");"},
              at(id).remark);
  }

  int pack() const { return pack_; }
  void set_pack(int pack) { pack_ = pack; }

  // True if a thread takes 8 points of 16 bits: 16-byte accesses keep more bytes in flight.
  bool takes_eight_points() const {
    Extent points = 1;
    for (const Loop& loop : layout_.grid) points *= loop.extent;
    return proven_divisible(layout_.grid.back().extent, 8) &&
           bounds(points).max >= context_.target.cuda.points_for_eight &&
           layout_.kernel.instructions.size() <= context_.target.cuda.most_instructions_for_eight;
  }

  // Elements per pack: 16 bytes of the widest argument; at most 8 if `eight`, else at most 4.
  int pack_lanes(bool eight) const {
    std::size_t widest = eight ? 2 : 4;
    for (const schedule::Argument& argument : layout_.kernel.arguments) {
      widest = std::max(widest, info(argument.dtype).size);
    }
    const std::int64_t most = bounds(layout_.grid.back().extent).max;
    const int lanes = static_cast<int>(16 / widest);
    return most >= 4 * lanes ? lanes : 1;
  }

  /// "f32", "u16": the type in memory, as in the names of helpers.
  static std::string memory_name(DType dtype) { return is_half(dtype) ? "u16" : to_string(dtype); }

  /// "f32x4", "float": the type of `lanes` neighbours in memory.
  static std::string pack_type(DType dtype, int lanes) {
    return lanes == 1 ? std::string(memory_type(dtype)) : text(memory_name(dtype), "x", lanes);
  }

  /// True if the access is contiguous along the loop that threads share.
  /// An index that is read from memory may differ between neighbours.
  bool are_neighbours(ValueId id) const {
    const int stage = dependence(id).stage, position = layout_.vector_loop(stage);
    if (position < 0 || !memory_.contiguous(id)) return false;
    const Extent rest = without(at(id).index, layout_.loop(stage, position).variable);
    return (layout_.loops_of(rest, stage) >> position & 1) == 0;
  }

  /// True if no condition guards the access `id`.
  /// Decides as names_.condition() does, which cannot be called here: its text needs open loops.
  bool is_unguarded(ValueId id) const {
    for (const Guard& guard : at(id).guards) {
      if (!proven_less_equal(guard.low, guard.value)) return false;
      if (!proven_less(guard.value, guard.high)) return false;
    }
    for (const Extent variable : variables(at(id).index)) {
      const ValueId bind = layout_.bind_of(variable);
      if (bind >= 0 && !proven_less(0, at(bind).bound)) return false;
    }
    return true;
  }

  /// True if `id` accesses a whole pack at once, where its first lane is written.
  bool packed(ValueId id) const {
    const int position = layout_.vector_loop(dependence(id).stage);
    const bool open = position >= 0 && position < static_cast<int>(names_.frames.size());
    return pack_ > 1 && open && names_.frames[position].unroll == pack_ &&
           (dependence(id).loops >> position & 1) != 0 && !at(id).accumulate &&
           are_neighbours(id) && is_unguarded(id);
  }

  /// True if the load `id` may move before its stage, or the store `id` after it: no other access
  /// of the stage conflicts.
  bool may_be_moved(ValueId id) const {
    const bool stores = at(id).code == Code::store;
    const auto& body = layout_.kernel.stages[dependence(id).stage].body;
    return none_of(body, [&](ValueId other) {
      return other != id && at(other).argument == at(id).argument &&
             (stores || at(other).code == Code::store);
    });
  }

 private:
  Values& values_;
  Memory& memory_;
  int pack_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
