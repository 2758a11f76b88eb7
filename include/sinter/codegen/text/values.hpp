#pragma once
// Writes the values of a kernel, each once, at the depth where all that it depends on is known.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class Values : public Names {
 public:
  Values(const Kernel& kernel, int lanes, bool strict);
  virtual ~Values() = default;

 protected:
  /// Writes what belongs to `depth`: of `stage`, or of all stages (-1) outside of their loops.
  void write_depth(int depth, int stage);
  /// Writes `id`, which is not a reduction, for all unrolled neighbours.
  void write(ValueId id);
  /// `id` for the reader: by name, as a literal, or with `vector` repeated in all lanes.
  std::string operand(ValueId id, const Instance& instance, bool vector) const;
  /// Declares `name` as `value`, and as a vector if vectors are made from it.
  void declare(ValueId id, const Instance& instance, const std::string& value);
  /// `number` in all lanes of a vector of `dtype`.
  std::string splat(const std::string& number, DType dtype) const;
  /// `value`, rounded to `dtype` where every operation rounds.
  std::string rounded(const std::string& value, DType dtype, bool vector) const;
  /// The number of lanes that count: "16", or "lanes" in a tail.
  std::string live_lanes() const;
  /// Writes what quotients by `id`, which was just written, are multiplied by instead.
  void write_reciprocal(ValueId id, const Instance& instance);
  /// True if values that are computed from `id` are vectors.
  bool splatted(ValueId id) const { return splats_[static_cast<std::size_t>(id)]; }

  /// The elementwise `op` of operands of type `from`, in the language of the text.
  virtual std::string computed(Op op, std::span<const std::string> operands, const ValueType& from,
                               const ValueType& to) const {
    return apply(op, operands, from, to);
  }
  virtual void write_load(ValueId id, const Instance& instance) = 0;
  virtual void write_store(ValueId id, const Instance& instance) = 0;
  virtual void write_running(ValueId id, const Instance& instance) = 0;
  virtual void write_combine(ValueId id, const Instance& instance) = 0;
  virtual void write_sort(ValueId id, const Instance& instance) = 0;
  /// Writes pointers to the rows of arguments that are known at `depth`.
  virtual void write_bases(int depth, int stage) = 0;

  /// Declares `id` and computes its lanes one by one from `value`, which names the lane.
  void write_lanes(ValueId id, const Instance& instance, const std::string& value);

  /// True if `extent` grows by the same number from each lane of `stage` to the next.
  bool grows_evenly(Extent extent, int stage) const;
  /// True if `extent` grows by `step` from each lane of `stage` to the next.
  bool grows_by(std::int64_t step, Extent extent, int stage) const;
  /// True if the guards of `id` hold for all lanes wherever they hold for the first and the last.
  bool affine_guards(ValueId id) const;
  /// The condition that the guards of `id`, which are affine, hold for no lane; if it does not
  /// hold, they may still.
  std::string outside(ValueId id, const Instance& instance) const;

  /// True if `op` of a vector takes dozens of instructions.
  bool is_long(Op op) const;
  /// How many unrolled neighbours differ by `loops`.
  int copies(LoopSet loops) const;

  Writer out_;
  bool strict_ = false;
  Tuning tuning_{};

 private:
  void find_splats();
  void find_unread_positions();
  void find_reciprocals();
  /// True if `id` is a quotient whose divisor is known outside of the innermost loop, and is
  /// computed as a product with its reciprocal.
  bool is_product(ValueId id) const;
  std::string product_text(ValueId id, const Instance& instance) const;
  /// True if the lanes of `id` are i64 numbers that follow each other.
  bool counts_lanes(ValueId id) const;
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

  std::vector<bool> splats_{};
  std::vector<bool> reciprocals_{};  ///< Divisors of which quotients take the reciprocal.
  std::vector<bool> unread_{};       ///< Positions that are only compared, by lane number.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/values.ipp>
#endif
