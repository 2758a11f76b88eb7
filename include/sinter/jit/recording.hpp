#pragma once
// One call of a function with placeholders in place of its tensors, and what became of it.

#include <cstdint>  // std::int64_t
#include <map>      // std::map
#include <set>      // std::set
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// Which dimensions of which leaf are recorded as dynamic, because they changed before.
using Varying = std::set<std::pair<std::size_t, int>>;

/// What a recorded function computes, as a graph whose inputs are: the leaves, in order; seed and
/// offset, if it is random; and elements that were made while recording. Its outputs are: the
/// tensors of the result, in order; then the new values of leaves.
struct Recording {
  Graph graph{};
  guard::Guard guard{};
  std::size_t leaves = 0;            ///< Inputs that are leaves.
  std::size_t results = 0;           ///< Outputs that are results.
  std::vector<std::int32_t> changed{};  ///< The leaf that each further output is the new value of.
  std::vector<Storage> captured{};   ///< The last inputs.
  bool is_random = false;
  /// The function changed which tensors its arguments hold, so new values are put into a copy of
  /// the arguments as they were when it returned.
  bool changes_structure = false;

  /// The pairs of leaf and output that may share memory.
  std::vector<schedule::Update> updates() const;
};

/// Puts placeholders into a copy of the arguments, and reads the recording off it.
class RecordingSession {
 public:
  /// `real` are the leaves of the call, `names` their names.
  RecordingSession(const guard::Leaves& real, std::vector<std::string> names,
                   const CompileOptions& options, Varying varying);

  Recorder& recorder() { return recorder_; }

  /// Every leaf of the copied arguments becomes a placeholder.
  void begin(const guard::Leaves& copies);

  /// The recording, after the function returned: `after` are the leaves of the copied arguments
  /// then, `results` those of the result.
  ///
  /// Throws ValueError if the function met a tensor that is no argument.
  Recording finish(const guard::Leaves& after, const std::vector<std::string>& names,
                   const guard::Leaves& results, Hash structure_before, Hash structure_after);

  /// The state that the function created, with what it was first; after finish().
  const std::vector<CreatedState>& created() const { return created_; }

 private:
  Extent size_of(std::size_t leaf, int dim);
  const Mark* mark_of(std::size_t leaf, int dim) const;
  Extent named_symbol(const std::string& name, std::int64_t hint, const SymbolInfo& known,
                      Where where);
  void require_closed() const;
  /// The placeholder of a leaf after the call; null if the leaf is new and no state.
  const Tensor* placeholder_of(const guard::Leaf& leaf, const std::string& name) const;

  const guard::Leaves& real_;
  std::vector<std::string> names_;
  const CompileOptions& options_;
  Varying varying_;
  Recorder recorder_;
  std::vector<Tensor> placeholders_;
  std::map<std::string, Extent> named_;
  std::vector<CreatedState> created_;
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/recording.ipp>
#endif
