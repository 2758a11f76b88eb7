#pragma once
// Values of the graph as instructions: movement operations become indices, operations become
// instructions, reductions become stages.

#include <initializer_list>  // std::initializer_list
#include <unordered_map>     // std::unordered_map
#include <vector>            // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/lower/kernel_builder.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// All that is known of a graph when its kernels are written.
struct Fusion {
  const Graph& graph;
  const Survey& survey;
  const Clusters& clusters;
  const Demand& demand;
  bool host = false;
  bool keeps_any_rows = false;  ///< In scratch memory: rows of unknown sizes, too.
  bool strict = false;          ///< Every operation rounds.
  bool gpu = false;             ///< Blocks are streams: see tile/fuse_rows.hpp.
};

using Guards = std::vector<Guard>;

class Lowerer {
 public:
  /// Writes a kernel of `cluster` that runs `rows` for each point of `grid`.
  Lowerer(const Fusion& fusion, std::int32_t cluster, const Index& grid, const Index& rows,
          const Shape& row_shape);

  /// The element `index` of `asked`, to be used in `slot`; read only where `guards` hold.
  ValueId value(Value asked, const Index& index, const Guards& guards, Slot slot);

  /// Member `of` at its place, after the reductions that it needs.
  ValueId member(NodeId of);
  /// The same, stored into the memory of `of`.
  void store(NodeId of);
  /// Stores `stored` into element `index` of the memory of `of`.
  void store(NodeId of, Extent index, ValueId stored, Slot slot, bool accumulate = false);

  /// Combines what each point of the grid gives for member `of`, a partial result.
  void combine(NodeId of);

  /// Sorts the rows of member `of`.
  void sort(NodeId of);

  /// A variable that takes the value of an index, counted from `bound` if it is negative.
  /// `position` is where the index stands among the others.
  Extent bind(NodeId of, ValueId index, Extent bound, Extent position, const Guards& guards,
              Slot slot);

  /// `divisor`, checked not to be 0 unless it is known.
  ValueId checked(NodeId of, ValueId divisor, const Index& index, const Guards& guards, Slot slot);

  /// How many reductions of the cluster come before `of`.
  int level(NodeId of) const;

  Lowering lowering;

 private:
  const Node& node(NodeId of) const { return fusion_.graph[of]; }
  const TensorType& type(NodeId of) const { return node(of).results[0]; }
  const Placement& placement(NodeId of) const { return fusion_.clusters.placements[of]; }
  bool is_loaded(NodeId of) const;
  bool combines(NodeId of) const;
  int level_after(NodeId of) const;
  std::vector<NodeId> computed() const;
  void find_levels();
  Slot once(Slot first, Slot slot) const;
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
  Extent taken(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId gather(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId concatenate(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId random_bits(NodeId of, const Index& index, const Guards& guards, Slot slot);
  ValueId reduce(NodeId of, Slot slot);
  ValueId cumulate(NodeId of, Slot slot);
  ValueId picked(NodeId of, ValueId id, Slot slot);
  ValueId dot_general(NodeId of, Slot slot);
  ValueId combine(NodeId of, Op op, ValueId operand, DType dtype, Slot slot);
  ValueId sum_of_one(NodeId of, ValueId element, DType dtype, Slot slot);

  struct Computed {
    Slot slot = 0;
    ValueId value = 0;
    std::int32_t scratch = -1;
  };
  bool has_contiguous_rows() const;
  bool is_kept(NodeId of, const Computed& first, Slot slot) const;
  ValueId from_scratch(NodeId of, Computed& first, Slot slot);

  const Fusion& fusion_;
  std::int32_t cluster_;
  Index rows_;
  Shape row_shape_;
  std::unordered_map<NodeId, int> levels_{};  // the reductions before what is computed
  int last_level_ = 0;                        // behind all reductions
  std::unordered_map<Hash, ValueId, HashOfHash> values_{};  // by slot, node and index
  std::unordered_map<Hash, Computed, HashOfHash> first_{};  // the first loop that computed a value
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/lowerer.ipp>
#endif
