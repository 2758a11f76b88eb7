#pragma once
// What a recording knows: its symbols, what it assumed, and what it met.

#include <cstdint>        // std::int64_t
#include <map>            // std::map
#include <memory>         // std::unique_ptr
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::pair
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/symbol/extent/size_oracle.hpp>
#include <sinter/trace/core/handle.hpp>
#include <sinter/trace/core/recorder_host.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// How free a symbol is. Of two that turn out to be equal, the freer one stays.
enum class Freedom : std::uint8_t {
  fixed,      ///< A size of this call: a number in the end, unless it equals a freer one.
  automatic,  ///< Varied before; a number if the program needs one.
  marked      ///< Marked or named: a number in the program is a ConstraintError.
};

/// A symbol of a recording.
struct SizeSymbol {
  Extent symbol = 0;
  std::int64_t hint = 0;  ///< The size in this call.
  Freedom freedom{};
  std::string name{};  ///< "batch"; empty for one that is only size `dim` of leaf `leaf`.
  Where marked{};      ///< The line of mark_dynamic.
  Extent value = 0;    ///< What it was found to be: itself, a number, other symbols.
  Extent found = 0;    ///< What the line below made of it, before that was found to be others.
  Where decided{};     ///< The line that made it so,
  const std::string* path = nullptr;  ///< and the module that ran then, if one did.
  std::int32_t leaf = -1;             ///< Where it is read.
  std::int32_t dim = 0;
};

/// lhs relation rhs, which the program relied on at `where`.
struct Assumption {
  Extent lhs, rhs;
  Relation relation{};
  Where where{};
  const std::string* path = nullptr;  ///< Of the module that ran then, if one did.
};

/// State that the program created while it was recorded, as the moments of an optimizer.
struct CreatedState {
  const Tensor* member = nullptr;  ///< Where it was put; compared, never read.
  Tensor initial{};
  Tensor placeholder{};
};

/// A tensor that is no argument, which the program met while it was recorded: an input as well.
struct Outside {
  Tensor tensor{};
  Tensor placeholder{};
  Where where{};
};

class Recorder : public SizeOracle {
 public:
  /// Without a host, sizes of tensors of outside are numbers, and reads are errors.
  explicit Recorder(RecorderHost* host = nullptr);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  RecordingId id() const { return id_; }
  RecorderHost* host() const { return host_; }
  void set_host(RecorderHost* host) { host_ = host; }

  /// `lazy` belongs to this recording from now on.
  void adopt(const LazyRef& lazy);
  const Tape& tape() const { return tape_; }
  Tape& tape() { return tape_; }

  /// A value that each call supplies.
  Tensor placeholder(const TensorType& type);
  /// The placeholder of a tensor that is no argument.
  const Tensor& import(const Tensor& outside, Where where);
  const std::vector<Outside>& outside() const { return outside_; }
  /// What a placeholder stands for that is no argument; null for other placeholders.
  const Outside* outside_of(const Lazy& placeholder) const;
  /// The tensor of it.
  const Tensor* source(const Lazy& placeholder) const;

  /// Notes that the program looked at a tensor that is no argument.
  void note_outside_read(const Tensor& tensor, Where where);
  /// What was looked at until now was not the program.
  void forget_outside_read() { outside_read_ = {}; }
  /// The first such; null if there was none.
  const Outside* outside_read() const {
    return outside_read_.tensor.defined() ? &outside_read_ : nullptr;
  }

  /// A call of a host function, at its place in the order of effects.
  void add_effect(Effect effect) { effects_.push_back(std::move(effect)); }
  std::vector<Effect> take_effects() { return std::exchange(effects_, {}); }
  const std::vector<Effect>& effects() const { return effects_; }

  /// While a gradient is found, `variable` is in the place of `value`.
  void begin_variable(const Tensor& variable, const Tensor& value);
  void end_variables(std::size_t count) { variables_.resize(variables_.size() - count); }
  /// The values that variables are in the place of now: first the variable.
  std::span<const std::pair<Tensor, Tensor>> active_variables() const { return variables_; }
  /// A size that is `hint` in this call.
  Extent symbol(const SymbolInfo& known, std::int64_t hint, Freedom freedom, std::string name,
                Where marked = {});
  /// The same for size `dim` of leaf `leaf`, which the host can name.
  Extent symbol_of_leaf(const SymbolInfo& known, std::int64_t hint, Freedom freedom,
                        std::int32_t leaf, std::int32_t dim, Where marked = {});

  /// `extent` in terms of the symbols that are left.
  Extent resolve(Extent extent) const;
  Shape resolve(const Shape& shape) const;
  /// `shape`, which is resolved, with the sizes of this call where they are not free.
  Shape with_fixed_sizes(const Shape& shape) const;
  /// True if some symbol is freer than a size of this call.
  bool has_free_sizes() const;
  /// How often something was asked of sizes that are not numbers.
  std::uint64_t questions() const { return questions_; }
  /// False while every symbol stands for itself.
  bool has_replaced() const { return has_replaced_; }
  /// The number that `extent` is in this call.
  std::int64_t hint(Extent extent) const;

  /// "argument 1.size(0), marked at model.cpp:3"
  std::string describe(Extent extent) const;

  bool decide(Extent lhs, Relation relation, Extent rhs, Where where) override;
  std::int64_t value(Extent extent, Where where) override;
  std::int64_t shown(Extent extent, Where where) override;
  /// True if the two are equal in this call; they are one from now on.
  bool unify(Extent lhs, Extent rhs, Where where);
  /// Makes `extent` the number 1 if it is 1 in this call and nothing asks for more; true if it did.
  bool fix_one(Extent extent, Where where);

  /// Makes every symbol that is still `fixed` its number. Ends the recording of sizes.
  void fix_sizes();

  /// The number of the next random draw, and the state that it reads.
  std::int64_t next_draw() { return draws_++; }
  std::int64_t draws() const { return draws_; }
  /// As many draws were made outside of the recording while it went on.
  void skip_draws(std::int64_t count) { draws_ += count; }
  const Tensor& random_seed();
  const Tensor& random_offset();

  /// `member`, which was undefined, becomes an input whose first value is `initial`.
  void create_state(Tensor& member, Tensor initial);

  /// The dotted name of the module that is running, for people; null outside of modules.
  const std::string* path() const { return path_; }
  void set_path(const std::string* path) { path_ = path; }
  /// The name of the module of type `type` at `address`, if it is part of an argument.
  const std::string* module_name(const void* address, const void* type) const;
  void name_module(const void* address, const void* type, const std::string& name);

  const std::vector<SizeSymbol>& symbols() const { return symbols_; }
  const std::vector<Assumption>& assumptions() const { return assumptions_; }
  const std::vector<CreatedState>& created() const { return created_; }
  /// "batch", "argument 1.size(0)": as people know it.
  std::string name_of(const SizeSymbol& symbol) const;
  bool is_random() const { return seed_.defined(); }

 private:
  /// Who asks whether two sizes are equal: an operation that goes on only if they are, or an `if`.
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
  std::vector<SizeSymbol> symbols_;
  bool has_replaced_ = false;  // some symbol is not itself any more
  std::vector<Assumption> assumptions_;
  std::vector<CreatedState> created_;
  std::vector<Outside> outside_;
  std::unordered_map<std::uint64_t, std::size_t> outside_index_;
  Outside outside_read_;
  std::vector<Effect> effects_;
  std::vector<std::pair<Tensor, Tensor>> variables_;
  std::map<std::pair<const void*, const void*>, const std::string*> modules_;
  const std::string* path_ = nullptr;
  std::uint64_t questions_ = 0;
  std::int64_t draws_ = 0;
  Tensor seed_, offset_;
};

/// The sizes or positions that an operation at `where` uses, with symbols for the numbers that have
/// differed between calls; unchanged unless may_vary_in_recording().
Shape sizes_in_recording(const Shape& shape, Where where);
inline Extent size_in_recording(Extent size, Where where) {
  return sizes_in_recording({size}, where)[0];
}
/// True if a function that runs on every call is being recorded.
bool may_vary_in_recording();
/// The tensor of `elements`, which the program wrote on the host. Its sizes are numbers, unless
/// may_vary_in_recording().
Tensor made_on_host(const TensorType& type, Storage elements, Where where);

/// Adds the module that is running, if one is, to the facts of an error.
void add_module(std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/recorder.ipp>
#endif
