#pragma once
// The state of a recording: its symbols, its assumptions, and the values outside of it that it
// uses.

#include <cstdint>        // std::int64_t
#include <string>         // std::string
#include <utility>        // std::pair
#include <vector>         // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/size_oracle.hpp>
#include <sinter/trace/core/handle.hpp>
#include <sinter/trace/core/recorder_host.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// How free a symbol is. When two symbols are found equal, the freer one remains.
enum class Freedom : std::uint8_t {
  fixed,      ///< A size of this call: becomes a number unless it equals a freer symbol.
  automatic,  ///< Varied in earlier calls; becomes a number if the program needs one.
  marked      ///< Marked or named by the user: fixing it to a number is a ConstraintError.
};

/// A symbol of a recording.
struct SizeSymbol {
  Extent symbol = 0;
  std::int64_t hint = 0;  ///< The size in this call.
  Freedom freedom{};
  std::string name{};  ///< "batch"; empty if it is only known as size `dim` of leaf `leaf`.
  Where marked{};      ///< The line of the mark_dynamic call.
  Extent value = 0;    ///< Its resolution: itself, a number, or an expression of other symbols.
  Extent found = 0;    ///< The resolution as of line `decided`, before later ones.
  Where decided{};     ///< The line that resolved it,
  const std::string* path = nullptr;  ///< and the module that was running, if any.
  std::int32_t leaf = -1;             ///< The leaf that it is read from.
  std::int32_t dim = 0;
};

/// lhs relation rhs, assumed because the program relied on it at `where`.
struct Assumption {
  Extent lhs, rhs;
  Relation relation{};
  Where where{};
  const std::string* path = nullptr;  ///< The module that was running, if any.
};

/// State created during the recording, such as the moments of an optimizer.
struct CreatedState {
  const Tensor* member = nullptr;  ///< The member that holds it; compared, never read.
  Tensor initial{};
  Tensor placeholder{};
};

/// A tensor used by the recorded program that is not an argument (a captured tensor): it becomes an
/// input too.
struct Outside {
  Tensor tensor{};
  Tensor placeholder{};
  Where where{};
};

class Recorder : public SizeOracle {
 public:
  /// Without a host, captured tensors have fixed sizes, and reads are errors.
  explicit Recorder(RecorderHost* host = nullptr);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  RecordingId id() const { return id_; }
  RecorderHost* host() const { return host_; }
  void set_host(RecorderHost* host) { host_ = host; }

  /// Adds `lazy` to this recording.
  void adopt(const LazyRef& lazy);
  const Tape& tape() const { return tape_; }
  Tape& tape() { return tape_; }

  /// A placeholder for a value that each call supplies.
  Tensor placeholder(const TensorType& type);
  /// The placeholder of a captured tensor.
  const Tensor& import(const Tensor& outside, Where where);
  const Vector<Outside>& outside() const { return outside_; }
  /// The captured tensor behind a placeholder; null for other placeholders.
  const Outside* outside_of(const Lazy& placeholder) const;
  /// The tensor of it.
  const Tensor* source(const Lazy& placeholder) const;

  /// Notes that the program inspected a captured tensor.
  void note_outside_read(const Tensor& tensor, Where where);
  /// Discards the inspections so far: they were not made by the program.
  void forget_outside_read() { outside_read_ = {}; }
  /// The first inspected captured tensor; null if there was none.
  const Outside* outside_read() const {
    return outside_read_.tensor.defined() ? &outside_read_ : nullptr;
  }

  /// Appends a call of a host function to the ordered list of effects.
  void add_effect(Effect effect) { effects_.push_back(std::move(effect)); }
  Vector<Effect> take_effects() { return std::exchange(effects_, {}); }
  const Vector<Effect>& effects() const { return effects_; }

  /// Appends a value whose node has side effects that other processes see. It may end before the
  /// recording does: only its address is kept.
  void add_collective(const Tensor& value) { collectives_.push_back(value.lazy().get()); }
  /// From now on collectives run in the order of the program; else in any that their operands
  /// allow, which is the same on all ranks that record the same.
  void order_collectives() { orders_collectives_ = true; }
  /// Those to be ordered.
  Vector<Lazy*> ordered_collectives() const {
    return orders_collectives_ ? collectives_ : Vector<Lazy*>();
  }

  /// Substitutes `variable` for `value` while a gradient is computed.
  void begin_variable(const Tensor& variable, const Tensor& value);
  void end_variables(std::size_t count) { variables_.resize(variables_.size() - count); }
  /// The active substitutions: {variable, value}.
  Span<const std::pair<Tensor, Tensor>> active_variables() const { return variables_; }
  /// A symbol for a size that is `hint` in this call.
  Extent symbol(const SymbolInfo& known, std::int64_t hint, Freedom freedom, std::string name,
                Where marked = {});
  /// The same for size `dim` of leaf `leaf`, whose name the host knows.
  Extent symbol_of_leaf(const SymbolInfo& known, std::int64_t hint, Freedom freedom,
                        std::int32_t leaf, std::int32_t dim, Where marked = {});

  /// `extent` in terms of the unresolved symbols.
  Extent resolve(Extent extent) const;
  Shape resolve(const Shape& shape) const;
  /// A resolved `shape`, with symbols that are not free replaced by the sizes of this call.
  Shape with_fixed_sizes(const Shape& shape) const;
  /// True if some symbol is freer than a size of this call.
  bool has_free_sizes() const;
  /// The number of questions asked about symbolic sizes.
  std::uint64_t questions() const { return questions_; }
  /// True if some symbol has been resolved.
  bool has_replaced() const { return has_replaced_; }
  /// The value of `extent` in this call.
  std::int64_t hint(Extent extent) const;

  /// "argument 1.size(0), marked at model.cpp:3"
  std::string describe(Extent extent) const;

  bool decide(Extent lhs, Relation relation, Extent rhs, Where where) override;
  std::int64_t value(Extent extent, Where where) override;
  std::int64_t shown(Extent extent, Where where) override;
  /// True if the two are equal in this call; then unifies them.
  bool unify(Extent lhs, Extent rhs, Where where);
  /// Fixes `extent` to 1 if it is 1 in this call and nothing forbids that; true if it did.
  bool fix_one(Extent extent, Where where);

  /// Replaces every symbol that is still `fixed` by its number. Ends the recording of sizes.
  void fix_sizes();

  /// The number of the next random draw, and the state that it reads.
  std::int64_t next_draw() { return draws_++; }
  std::int64_t draws() const { return draws_; }
  /// Accounts for draws made outside of the recording while it was in progress.
  void skip_draws(std::int64_t count) { draws_ += count; }
  const Tensor& random_seed();
  const Tensor& random_offset();

  /// Makes the undefined `member` an input whose first value is `initial`.
  void create_state(Tensor& member, Tensor initial);

  /// The dotted name of the running module, for messages; null outside of modules.
  const std::string* path() const { return path_; }
  void set_path(const std::string* path) { path_ = path; }
  /// The name of the module of type `type` at `address`, if it is part of an argument.
  const std::string* module_name(const void* address, const void* type) const;
  void name_module(const void* address, const void* type, const std::string& name);

  const Vector<SizeSymbol>& symbols() const { return symbols_; }
  const Vector<Assumption>& assumptions() const { return assumptions_; }
  const Vector<CreatedState>& created() const { return created_; }
  /// "batch", "argument 1.size(0)": the name in messages.
  std::string name_of(const SizeSymbol& symbol) const;
  bool is_random() const { return seed_.defined(); }

 private:
  /// What asks whether two sizes are equal: an operation that requires it, or an `if`.
  enum class Asked : std::uint8_t { needed, compared };

  void assume(const Assumption& assumption);
  void make_equal(Extent lhs, Extent rhs, Asked asked, Where where);
  Extent without_common_factors(Extent equation) const;
  void replace(std::size_t index, Extent value, Asked asked, Where where);
  bool has_fixed(Extent extent) const;
  void fix_least_free(Extent extent, Where where);
  [[noreturn]] void throw_constraint(const SizeSymbol& symbol, Extent value, Where where) const;

  RecordingId id_;
  RecorderHost* host_ = nullptr;
  Tape tape_;
  Vector<SizeSymbol> symbols_;
  bool has_replaced_ = false;  // some symbol is resolved
  Vector<Assumption> assumptions_;
  Vector<CreatedState> created_;
  Vector<Outside> outside_;
  HashMap<std::uint64_t, std::size_t> outside_index_;
  Outside outside_read_;
  Vector<Effect> effects_;
  Vector<Lazy*> collectives_;
  bool orders_collectives_ = false;
  std::vector<std::pair<Tensor, Tensor>> variables_;
  SortedMap<std::pair<const void*, const void*>, const std::string*> modules_;
  const std::string* path_ = nullptr;
  std::uint64_t questions_ = 0;
  std::int64_t draws_ = 0;
  Tensor seed_, offset_;
};

/// The sizes or positions used by an operation at `where`, with symbols for numbers that differed
/// between calls; unchanged unless may_vary_in_recording().
Shape sizes_in_recording(const Shape& shape, Where where);
inline Extent size_in_recording(Extent size, Where where) {
  return sizes_in_recording({size}, where)[0];
}
/// True while recording a function that is traced on every call.
bool may_vary_in_recording();
/// A tensor of `elements` written by the host program. Its sizes are numbers, unless
/// may_vary_in_recording().
Tensor made_on_host(const TensorType& type, Storage elements, Where where);

/// Adds the running module, if any, to the facts of an error.
void add_module(std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/recorder.ipp>
#endif
