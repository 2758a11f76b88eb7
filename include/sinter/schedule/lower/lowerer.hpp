#pragma once
// Lowers nodes to instructions: movement operations become indices, other operations become
// instructions, and reductions become stages.

#include <initializer_list>  // std::initializer_list

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/lower/kernel_builder.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class Lowerer {
 public:
  /// Builds a kernel of `group` with loops over `rows` at each point of `grid`.
  Lowerer(const FusionResult& fusion, std::int32_t group, const Index& grid, const Index& rows,
          const Shape& row_shape);

  /// The element `index` of `asked`, for use in `slot`; read only where the guards hold.
  ValueId value(Value asked, const Index& index, const Guards& guards, Slot slot);

  /// Computes member `of` at its index, after the reductions that it depends on.
  ValueId member(NodeId of);
  /// The same, and stores it to the memory of `of`.
  void store(NodeId of);
  /// Stores `stored` to element `index` of the memory of `of`.
  void store(NodeId of, Extent index, ValueId stored, Slot slot, bool accumulate = false);

  /// Combines the contribution of each grid point to member `of`, a partial reduction.
  void combine(NodeId of);

  /// Sorts the rows of member `of`.
  void sort(NodeId of);

  /// A variable with the value of an index, plus `bound` if it is negative. The index is the
  /// element `at` of a tensor of `shape`; it is no fault if that has no elements.
  Extent bind(NodeId of, ValueId index, Extent bound, const Index& at, const Shape& shape,
              Guards guards, Slot slot);

  /// `divisor` with a check that it is not 0, unless it is a constant.
  ValueId checked_divisor(NodeId of, ValueId divisor, const Index& index, const Guards& guards,
                          Slot slot);

  /// The number of row loops of the group that reduce before `of`.
  int level(NodeId of) const;

  KernelBuilder builder;

 private:
  const Node& node(NodeId of) const { return fusion_.graph[of]; }
  const TensorType& type(NodeId of) const { return node(of).results[0]; }
  const Placement& placement(NodeId of) const { return fusion_.groups.placements[of]; }
  bool is_loaded(NodeId of) const;
  bool combines(NodeId of) const;
  int level_after(NodeId of) const { return level(of) + (combines(of) ? 1 : 0); }
  Vector<NodeId> computed() const;
  void find_levels();
  Slot slot_outside_row(Slot first, Slot slot) const;
  Slot member_slot(NodeId of) const;
  Slot slot_of(NodeId of, const Index& index, const Guards& guards, Slot slot) const;

  Instruction instruction(Code code, NodeId of, DType dtype) const;
  ValueId compute(NodeId of, Op op, DType dtype, std::initializer_list<ValueId> operands,
                  Slot slot);
  ValueId cast(NodeId of, ValueId value, DType from, DType to, Slot slot);
  ValueId constant(NodeId of, const Constant& number, Slot slot);
  ValueId position(NodeId of, Extent index, Slot slot);
  ValueId load(NodeId of, const Index& index, const Guards& guards, const Constant& fill,
               Slot slot);

  ValueId pad(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId computed(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId as_stored(NodeId of, ValueId value);
  ValueId evaluate(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId elementwise(NodeId of, const Index& index, const Guards& guards, Slot slot);
  Slot hoist(Instruction& instruction, Slot slot);
  Extent gather_position(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId gather(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId concatenate(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId random_bits(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId reduce(NodeId of, Slot slot);
  ValueId scan(NodeId of, Slot slot);
  ValueId one_hot_element(NodeId of, ValueId id, Slot slot);
  ValueId dot_general(NodeId of, Slot slot);
  ValueId combine(NodeId of, Op op, ValueId operand, DType dtype, Slot slot);
  ValueId sum_of_single(NodeId of, ValueId element, DType dtype, Slot slot);

  struct Computed {
    Slot slot = 0;
    ValueId value = 0;
    std::int32_t scratch = -1;
  };
  bool has_contiguous_rows() const;
  bool is_kept(NodeId of, const Computed& first, Slot slot) const;
  ValueId from_scratch(NodeId of, Computed& first, Slot slot);

  const FusionResult& fusion_;
  std::int32_t group_;
  Index rows_;
  Shape row_shape_;
  HashMap<NodeId, int> levels_{};                // the level() of each node that is computed
  int last_level_ = 0;                           // the level after all reductions
  HashMap<Hash, ValueId, HashOfHash> values_{};  // by slot, node and index
  HashMap<Hash, Computed, HashOfHash> first_{};  // the first loop that computes a value
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/lowerer.ipp>
#endif
