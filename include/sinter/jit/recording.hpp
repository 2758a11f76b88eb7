#pragma once
// One call of a function with placeholders in place of its tensors, and what became of it.

#include <cstdint>  // std::int64_t
#include <map>      // std::map
#include <set>      // std::set
#include <span>     // std::span
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/call.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Extractor;

namespace schedule {
struct Update;
}  // namespace schedule

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

/// Which dimensions of which leaf are recorded as dynamic, because they changed before.
using Varying = std::set<std::pair<std::size_t, int>>;

/// A host function that every replay calls with the next of the outputs.
struct HostCall {
  std::shared_ptr<const HostFunction> function{};
  std::size_t operands = 0;
};

/// What a recorded function computes, as a graph whose inputs are: the leaves, in order; seed and
/// offset, if it is random; and elements that were made while recording. Its outputs are: the
/// tensors of the result, in order; then the new values of leaves; then operands of host functions.
struct Recording {
  Graph graph{};
  guard::Guard guard{};
  std::size_t leaves = 0;               ///< Inputs that are leaves.
  std::size_t results = 0;              ///< Outputs that are results.
  std::vector<std::int32_t> changed{};  ///< The leaf that each further output is the new value of.
  std::vector<HostCall> host_calls{};   ///< In order; with any, nothing is updated in place.
  /// While gradients are found outside of recordings: the inputs for which they are, and the
  /// outputs that vary with these. The last outputs are then what the gradients need; nothing is
  /// updated in place.
  std::vector<bool> wanted{}, varying{};
  std::vector<Storage> captured{};  ///< The last inputs.
  bool is_random = false;
  std::int64_t draws = 0;  ///< Random draws of a call, those included that no result needs.
  Device device = cpu();   ///< Where it runs.
  /// The function changed which tensors its arguments hold, so new values are put into a copy of
  /// the arguments as they were when it returned.
  bool changes_structure = false;
  /// Then: for each tensor of the arguments afterwards, the leaf that it is, or -1 for the next of
  /// the outputs that are no results.
  std::vector<std::int32_t> kept{};
  std::vector<TensorType> types{};    ///< Of the placeholders of leaves, in terms of these:
  std::vector<SizeSymbol> symbols{};  ///< As they were before the function was called.

  /// The pairs of leaf and output that may share memory.
  std::vector<schedule::Update> updates() const;
};

/// The leaves of the call in progress, for which gradients are being found; null if there are none.
const std::vector<bool>* wanted_leaves();
/// Makes what the gradients that are being found need outputs of `recording`, whose leaves are
/// `leaves`; `placeholders` are those of the call. See WantedScope.
void save_for_gradients(Recording& recording, std::span<const Tensor> leaves,
                        std::span<const Tensor> placeholders);

namespace detail {
// Where one of `arguments` or `results` is on a GPU, there.
Device device_of(const std::vector<Tensor>& arguments, const guard::Leaves& results);
// Throws DeviceError if `elements`, those of `input`, are on a GPU that is not `device`.
void require_readable(const Storage& elements, const Lazy& input, Device device,
                      const Recorder& recorder, Where where);
// A call fits `guard` if its leaves are where `leaves` are.
void note_devices(std::span<const Tensor> leaves, guard::Guard& guard);
}  // namespace detail

/// Puts placeholders into a copy of the arguments, and reads the recording off it.
class RecordingSession : public RecorderHost {
 public:
  /// `real` are the leaves of the call, `names` their names, `where` is the line of compile().
  RecordingSession(const guard::Leaves& real, const LeafNames& names, const CompileOptions& options,
                   Varying varying, Where where);

  Recorder& recorder() { return recorder_; }
  const Recorder& recorder() const { return recorder_; }

  /// Throws GraphBreakError: a recording by itself has no elements.
  void interrupt(std::span<const Tensor> values, Break found) override;
  void interrupt_all(Break found) override { interrupt({}, std::move(found)); }
  TensorType type_of_outside(const Tensor& outside, std::size_t index) override;
  std::string leaf_name(std::size_t leaf) const override;

  /// Unmarked sizes 0 and 1 become what a marked one is found to be. Before begin().
  void let_small_sizes_follow() { small_sizes_follow_ = true; }
  /// True if that may help a recording that needed a number for a marked size.
  bool has_small_marked_size() const;

  /// Every leaf of the copied arguments becomes a placeholder.
  void begin(const guard::Leaves& copies);
  /// The same with the symbols that `recording` began with, which fits the call.
  void begin_again(const guard::Leaves& copies, const Recording& recording);

  /// The recording, after the function returned: `after` are the leaves of the copied arguments
  /// then, `results` those of the result. Tensors of outside are captured as they are now.
  ///
  /// Throws ValueError if the function met a value of another recording.
  Recording finish(const guard::Leaves& after, const std::vector<std::string>& names,
                   const guard::Leaves& results, Hash structure_before, Hash structure_after);

  /// The state that the function created, with what it was first; after finish().
  const std::vector<CreatedState>& created() const { return created_; }

  const guard::Leaves& real() const { return real_; }
  const std::vector<Tensor>& placeholders() const { return placeholders_; }
  /// The names of the leaves.
  const std::vector<std::string>& names() const;
  const LeafNames& name_source() const { return name_source_; }
  Where where() const { return where_; }
  const CompileOptions& options() const { return options_; }

 protected:
  /// Size `dim` of leaf `leaf` is dynamic as well.
  void let_vary(std::size_t leaf, int dim) { varying_.insert({leaf, dim}); }
  /// The placeholder of a leaf after the call; null if the leaf is new and no state.
  const Tensor* placeholder_of(const guard::Leaf& leaf, const std::string& name) const;

 private:
  Extent size_of(const Tensor& real, std::size_t leaf, int dim, bool is_parameter);
  Extent size_of(std::size_t leaf, int dim);
  guard::SizeReason reason_of(const guard::Leaf& leaf, int dim) const;
  void note_leaves(std::span<const Tensor> leaves, guard::Guard& guard) const;
  Extent named_symbol(const std::string& name, std::int64_t hint, const SymbolInfo& known,
                      Where where);
  void add_placeholder(const TensorType& type, const guard::Leaf& copy);
  void require_one_device() const;
  [[noreturn]] void throw_outside(const Tensor& tensor, Where where) const;
  [[noreturn]] void throw_other_size(const std::string& name, std::int64_t size,
                                     std::int64_t other) const;
  std::vector<Tensor> placeholders_after(const guard::Leaves& after,
                                         const std::vector<std::string>& names) const;
  void use_initial_values();
  void add_output(const Tensor& value, Extractor& extractor, Recording& recording) const;
  void add_changed(const guard::Leaves& after, std::span<const Tensor> before, Extractor& extractor,
                   Recording& recording) const;
  void take_captured(const Extractor& extractor, Recording& recording) const;
  void add_host_calls(Extractor& extractor, Recording& recording);
  Storage captured_elements(const Tensor& input, Device device) const;

  const guard::Leaves& real_;
  const LeafNames& name_source_;
  mutable std::vector<std::string> names_{};
  const CompileOptions& options_;
  Varying varying_;
  Where where_;
  bool small_sizes_follow_ = false;
  Recorder recorder_;
  std::vector<SizeSymbol> first_symbols_;
  std::vector<Tensor> placeholders_;
  std::map<std::string, Extent> named_;
  std::vector<CreatedState> created_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/recording.ipp>
#include <sinter/jit/recording_device.ipp>
#include <sinter/jit/recording_sizes.ipp>
#endif
