#pragma once
// One call of a function with placeholders in place of its tensors, from which its recording is
// read.

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
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Extractor;

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Where one of `arguments` or `results` is on a GPU, there.
Device device_of(const std::vector<Tensor>& arguments, const guard::Leaves& results);
// Throws DeviceError if `elements`, those of `input`, are on a GPU that is not `device`.
void require_readable(const Storage& elements, const Lazy& input, Device device,
                      const Recorder& recorder, Where where);
// A call fits `guard` if its leaves are where `leaves` are.
void note_devices(std::span<const Tensor> leaves, guard::Guard& guard);
// How dimension `dim` of `tensor` is marked; null if it is not.
const Mark* mark_of(const Tensor& tensor, int dim);
// The elements that created state starts with, on `device`, where it is then. They are computed by
// themselves, so they must not need arguments of the call.
Tensor evaluate_initial(const CreatedState& state, const Recorder& recorder, Device device);

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
#include <sinter/jit/record/session.ipp>
#endif
