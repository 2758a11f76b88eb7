#pragma once
// The recording in progress on this thread: its symbols, what it assumed, and what it met.

#include <cstdint>        // std::int64_t
#include <map>            // std::map
#include <memory>         // std::unique_ptr
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::pair
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/symbol/size_oracle.hpp>
#include <sinter/trace/expression_cache.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

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
  std::string name{};  ///< "batch", or "argument 1, dimension 0": for people.
  Where marked{};      ///< The line of mark_dynamic.
  Extent value = 0;    ///< What it was found to be: itself, a number, other symbols.
};

/// lhs relation rhs, which the program relied on at `where`.
struct Assumption {
  Extent lhs, rhs;
  Relation relation{};
  Where where{};
};

/// State that the program created while it was recorded, as the moments of an optimizer.
struct CreatedState {
  const Tensor* member = nullptr;  ///< Where it was put; compared, never read.
  Tensor initial{};
  Tensor placeholder{};
};

class Recorder : public SizeOracle {
 public:
  Recorder();
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  RecordingId id() const { return id_; }

  /// A value that each call supplies.
  Tensor placeholder(const TensorType& type);
  /// A size that is `hint` in this call.
  Extent symbol(const SymbolInfo& known, std::int64_t hint, Freedom freedom, std::string name,
                Where marked = {});

  /// `extent` in terms of the symbols that are left.
  Extent resolve(Extent extent) const;
  Shape resolve(const Shape& shape) const;
  /// The number that `extent` is in this call.
  std::int64_t hint(Extent extent) const;

  bool decide(Extent lhs, Relation relation, Extent rhs, Where where) override;
  std::int64_t value(Extent extent, Where where) override;
  /// True if the two are equal in this call; they are one from now on.
  bool unify(Extent lhs, Extent rhs, Where where);

  /// Makes every symbol that is still `fixed` its number. Ends the recording of sizes.
  void fix_sizes();

  /// The number of the next random draw, and the state that it reads.
  std::int64_t next_draw() { return draws_++; }
  std::int64_t draws() const { return draws_; }
  const Tensor& random_seed();
  const Tensor& random_offset();

  /// `member`, which was undefined, becomes an input whose first value is `initial`.
  void create_state(Tensor& member, Tensor initial);

  /// The expressions of typed tensors that were recorded.
  ExpressionCache& expressions() { return expressions_; }

  /// Notes a value that is no argument. The first such is reported by outside().
  void note_outside(const Tensor& tensor, Where where);

  /// The dotted name of the module that is running, for people; null outside of modules.
  const std::string* path() const { return path_; }
  void set_path(const std::string* path) { path_ = path; }
  /// The name of the module of type `type` at `address`, if it is part of an argument.
  const std::string* module_name(const void* address, const void* type) const;
  void name_module(const void* address, const void* type, const std::string& name);

  const std::vector<SizeSymbol>& symbols() const { return symbols_; }
  const std::vector<Assumption>& assumptions() const { return assumptions_; }
  const std::vector<CreatedState>& created() const { return created_; }
  const std::vector<std::pair<Tensor, Where>>& outside() const { return outside_; }
  bool is_random() const { return seed_.defined(); }

 private:
  void replace(std::size_t index, Extent value, Where where);
  void fix_least_free(Extent extent, Where where);
  [[noreturn]] void throw_constraint(const SizeSymbol& symbol, Extent value, Where where) const;

  RecordingId id_;
  std::vector<SizeSymbol> symbols_;
  std::vector<Assumption> assumptions_;
  std::vector<CreatedState> created_;
  std::vector<std::pair<Tensor, Where>> outside_;
  std::map<std::pair<const void*, const void*>, const std::string*> modules_;
  const std::string* path_ = nullptr;
  ExpressionCache expressions_;
  std::int64_t draws_ = 0;
  Tensor seed_, offset_;
};

/// The recorder of this thread; null outside of recordings.
Recorder*& current_recorder();

/// True while a function is being recorded. What the host does then, it does once.
inline bool is_recording() { return current_recorder() != nullptr; }

/// Makes `recorder` that of this thread, null for none, for the life of this object.
class RecorderScope {
 public:
  explicit RecorderScope(Recorder* recorder);
  ~RecorderScope();
  RecorderScope(const RecorderScope&) = delete;
  RecorderScope& operator=(const RecorderScope&) = delete;

 private:
  Recorder* outer_;
  SizeOracle* outer_oracle_;
};

/// The same text for the life of the process: nodes keep the names of modules by address.
const std::string* intern(const std::string& text);

/// True if the two are equal. In a recording symbols are compared by the sizes of this call, and
/// the answer is assumed from then on.
bool equal_sizes(Extent a, Extent b, Where where);

/// `shape` with the numbers of this call: as errors and eager code see it.
Shape concrete(const Shape& shape);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/recorder.ipp>
#endif
