#pragma once
// Traces one call of a function: placeholders take the place of its tensors, and the recording is
// extracted when the function returns.

#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/record/size_symbols.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Extractor;

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The GPU of the first of `arguments`, then `results`, that is on one; otherwise the host.
Device device_of(const std::vector<Tensor>& arguments, const guard::Leaves& results);
// Throws DeviceError if `elements`, the elements of `input`, are on a GPU other than `device`.
void require_readable(const Storage& elements, const Lazy& input, Device device,
                      const Recorder& recorder, Where where);
// Makes `guard` require the devices of `leaves`.
void note_devices(Span<const Tensor> leaves, guard::Guard& guard);
// Evaluates the initial value of created state on `device`, where the state is placed. It must not
// depend on arguments of the call.
Tensor evaluate_initial(const CreatedState& state, const Recorder& recorder, Device device);

}  // namespace detail

/// Puts placeholders into a copy of the arguments and extracts the recording afterwards.
class Tracer : public RecorderHost {
 public:
  /// `real` are the leaves of the call, `names` gives their names, `where` is the line of
  /// compile().
  Tracer(const guard::Leaves& real, const LeafNames& names, const CompileOptions& options,
         Varying varying, Where where);

  Recorder& recorder() { return recorder_; }
  const Recorder& recorder() const { return recorder_; }

  /// Throws GraphBreakError: a recording has no elements to read.
  void interrupt(Span<const Tensor> values, Break found) override;
  void interrupt_all(Break found) override { interrupt({}, std::move(found)); }
  TensorType type_of_outside(const Tensor& outside, std::size_t index) override;
  std::string leaf_name(std::size_t leaf) const override;

  /// Lets unmarked sizes 0 and 1 be unified with marked sizes. Call before begin().
  void let_small_sizes_follow() { sizes_.let_small_sizes_follow(); }
  /// True if that may help after a recording failed because a marked size had to be a number.
  bool has_small_marked_size() const;

  /// Replaces every leaf of the copied arguments by a placeholder.
  void begin(const guard::Leaves& copies);
  /// The same with the initial symbols of `recording`, which fits the call.
  void begin_like(const guard::Leaves& copies, const Recording& recording);

  /// The recording, after the function returned. `after` are the leaves of the copied arguments,
  /// `results` those of the result. Captured tensors are read now.
  ///
  /// Throws ValueError if the function used a value of another recording.
  Recording make_recording(const guard::Leaves& after, const std::vector<std::string>& names,
                           const guard::Leaves& results, Hash structure_before,
                           Hash structure_after);

  /// The state that the function created, with its initial values; after make_recording().
  const Vector<CreatedState>& created() const { return created_; }

  const guard::Leaves& real() const { return real_; }
  const std::vector<Tensor>& placeholders() const { return placeholders_; }
  /// The names of the leaves.
  const std::vector<std::string>& names() const;
  const LeafNames& name_source() const { return name_source_; }
  Where where() const { return where_; }
  const CompileOptions& options() const { return options_; }

 protected:
  /// Makes size `dim` of leaf `leaf` dynamic as well.
  void let_vary(std::size_t leaf, int dim) { sizes_.let_vary(leaf, dim); }
  /// The placeholder of a leaf after the call; null if the leaf is new and not created state.
  const Tensor* placeholder_of(const guard::Leaf& leaf, const std::string& name) const;

 private:
  void note_leaves(Span<const Tensor> leaves, guard::Guard& guard) const;
  void add_placeholder(const TensorType& type, const guard::Leaf& copy);
  void require_one_device() const;
  [[noreturn]] void throw_outside(const Tensor& tensor, Where where) const;
  std::vector<Tensor> placeholders_after(const guard::Leaves& after,
                                         const std::vector<std::string>& names) const;
  void use_initial_values();
  void add_output(const Tensor& value, Extractor& extractor, Recording& recording) const;
  void add_changed(const guard::Leaves& after, Span<const Tensor> before, Extractor& extractor,
                   Recording& recording) const;
  void add_results(const guard::Leaves& results, Extractor& extractor, Recording& recording) const;
  void add_collectives(const guard::Leaves& after, const guard::Leaves& results,
                       Extractor& extractor) const;
  void take_captured(const Extractor& extractor, Recording& recording) const;
  void add_host_callbacks(Extractor& extractor, Recording& recording);
  Storage captured_elements(const Tensor& input, Device device) const;

  const guard::Leaves& real_;
  const LeafNames& name_source_;
  mutable std::vector<std::string> names_{};
  const CompileOptions& options_;
  Where where_;
  Recorder recorder_;
  SizeSymbols sizes_;
  Vector<SizeSymbol> first_symbols_;
  std::vector<Tensor> placeholders_;
  Vector<CreatedState> created_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/record/tracer.ipp>
#endif
