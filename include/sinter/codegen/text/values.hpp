#pragma once
// Writes the values of a kernel, each once, in the outermost loop where its operands are known.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes an elementwise operation in the language of the text: apply() or apply_in_cuda().
using Apply = std::string (*)(Op op, Span<const std::string> operands, const ValueType& from,
                              const ValueType& to);

/// A kernel whose text is being written.
struct KernelContext {
  Names names;
  Apply apply = nullptr;
  bool strict = false;  ///< Round after every operation, keep the order of sums.
  Tuning tuning{};
  schedule::Target target{};  ///< The machine that the text is for.
  Writer out{};
};

/// What the classes that write a part of such a kernel have in common.
class KernelPart {
 protected:
  explicit KernelPart(KernelContext& context) : context_(context) {}
  ~KernelPart() = default;

  const Instruction& at(ValueId id) const { return layout_.at(id); }
  const Dependence& dependence(ValueId id) const { return layout_.dependence(id); }
  const schedule::Argument& argument(const Instruction& one) const { return layout_.argument(one); }

  KernelContext& context_;
  Names& names_{context_.names};
  Layout& layout_{context_.names.layout};
  Writer& out_{context_.out};
};

/// Writes the instructions that access memory or reduce. Their form depends on the loops around
/// them, so the class that writes the whole function implements this interface.
class InstructionWriter {
 public:
  InstructionWriter() = default;
  InstructionWriter(const InstructionWriter&) = delete;
  InstructionWriter& operator=(const InstructionWriter&) = delete;

  /// Writes `id`, a load, store, sort, scan or combination, for one unrolled copy.
  virtual void write_instruction(ValueId id, const Instance& instance) = 0;
  /// Writes the pointer to the row that `id` accesses.
  virtual void write_base(ValueId id) = 0;
  /// Writes what the reduction `id` does in an iteration.
  virtual void write_update(ValueId id, const Instance& instance) = 0;
  /// Writes its result, after its loops.
  virtual void write_result(ValueId id, const Instance& instance) = 0;

 protected:
  ~InstructionWriter() = default;
};

class Values : private KernelPart {
 public:
  Values(KernelContext& context, InstructionWriter& instructions);

  /// Writes the values of `depth`: of `stage`, or, for -1, of all stages outside their loops.
  void write_depth(int depth, int stage);
  /// Writes `id`, which is not a reduction, for all unrolled copies.
  void write(ValueId id);
  /// `id` as an operand: a name or a literal; with `vector`, broadcast to all lanes.
  std::string operand(ValueId id, const Instance& instance, bool vector) const;
  /// Declares `id` as `value`, and its broadcast if vector code uses it.
  void declare(ValueId id, const Instance& instance, const std::string& value);
  /// The same for the reduction `id`, whose results are rounded if numerics are strict.
  void declare_result(ValueId id, const Instance& instance, const std::string& value);
  /// `number`, broadcast to a vector of `dtype`.
  std::string splat(const std::string& number, DType dtype) const;
  /// `value`, rounded to `dtype`.
  std::string rounded(const std::string& value, DType dtype, bool vector) const;
  /// The number of active lanes: "16", or "lanes" in a masked tail.
  std::string live_lanes() const { return names_.masked ? "lanes" : std::to_string(names_.lanes); }
  /// Writes the reciprocal of `id`, which was just written, if quotients multiply by it.
  void write_reciprocal(ValueId id, const Instance& instance);
  /// True if vector code uses the broadcast of `id`.
  bool splatted(ValueId id) const { return splats_[id]; }

  /// Declares `id` and computes it lane by lane from `value`, which refers to `lane`.
  void write_lanes(ValueId id, const Instance& instance, const std::string& value);

  /// True if `extent` grows by the same amount from each lane of `stage` to the next.
  bool has_uniform_stride(Extent extent, int stage) const;
  /// True if `extent` grows by `step` from each lane of `stage` to the next.
  bool has_lane_stride(std::int64_t step, Extent extent, int stage) const;
  /// True if the guards of `id` hold for all lanes whenever they hold for the first and the last.
  bool affine_guards(ValueId id) const;
  /// A sufficient condition that the guards of `id`, which are affine, hold for no lane.
  std::string outside(ValueId id, const Instance& instance) const;

 private:
  /// The number of unrolled copies in `loops`.
  int copies(LoopSet loops) const;
  void find_splats();
  void find_elided_positions();
  void find_reciprocals();
  /// True if `id` is a quotient whose divisor the innermost loop does not change: it is computed as
  /// a product with the reciprocal.
  bool multiplies_by_reciprocal(ValueId id) const;
  std::string reciprocal_product(ValueId id, const Instance& instance) const;
  /// True if the lanes of `id` are consecutive i64 numbers.
  bool is_consecutive(ValueId id) const;
  /// True if `id` compares such lanes with one number.
  bool compares_positions(ValueId id) const;
  std::string compared_positions(ValueId id, const Instance& instance) const;
  void write_one(ValueId id, const Instance& instance);
  void write_compute(ValueId id, const Instance& instance);
  void write_index(ValueId id, const Instance& instance);
  void write_inside(ValueId id, const Instance& instance);
  void write_bind(ValueId id, const Instance& instance);
  void write_divisor(ValueId id, const Instance& instance);
  std::string site(ValueId id, const Instance& instance, std::string_view lane) const;
  void write_random(ValueId id, const Instance& instance);
  std::string positions(Extent extent, int stage, const Instance& instance) const;

  InstructionWriter& instructions_;
  Vector<bool> splats_{};
  Vector<bool> reciprocals_{};       ///< Divisors whose reciprocal is computed once.
  Vector<bool> elided_positions_{};  ///< Positions that are only compared, as lane numbers.
};

/// True if `op` takes dozens of instructions on a vector.
bool is_expensive(Op op);

/// True if a loop of `stage` computes such an operation.
bool has_expensive_op(const Kernel& kernel, int stage);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/values.ipp>
#endif
