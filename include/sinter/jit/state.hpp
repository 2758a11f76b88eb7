#pragma once
// What a compiled function keeps: its variants, its statistics, and why it was recorded again.

#include <memory>  // std::shared_ptr
#include <mutex>   // std::mutex
#include <span>    // std::span
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/variant.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// The leaves of one call, with the hash of everything else about it.
struct CallSignature {
  guard::Leaves leaves{};
  Hash structure{};
};

class State {
 public:
  State(const CompileOptions& options, Where where);

  /// The variant that serves the call, with the sizes of its symbols; null if it has to be recorded.
  std::shared_ptr<const Variant> find(const CallSignature& call,
                                      std::vector<std::int64_t>& symbols);
  /// Notes why `call` fits no variant, and which sizes vary.
  void explain_miss(const CallSignature& call, std::span<const std::string> names,
                    std::span<const guard::PlainValue> plain);
  /// Compiles a recording. Past the limit it is for this call only, and interpreted.
  std::shared_ptr<const Variant> add(Recording recording, std::vector<guard::PlainValue> plain,
                                     std::shared_ptr<const void> result,
                                     std::shared_ptr<const void> arguments, double seconds);
  /// Counts a call of `variant`.
  void count_call(const std::shared_ptr<const Variant>& variant,
                  std::span<const std::int64_t> symbols);

  /// What was said of the sizes of earlier calls, for the next recording.
  Varying varying();
  Stats stats();
  Explanation explain();

  const CompileOptions& options() const { return options_; }
  Where where() const { return where_; }
  /// Held while a signature is recorded, so that each is recorded once.
  std::recursive_mutex& recording_mutex() { return recording_mutex_; }

 private:
  std::string label() const;
  bool is_full() const;
  void warn_of_limit();

  CompileOptions options_;
  std::string name_;
  Where where_;
  std::mutex mutex_;
  std::recursive_mutex recording_mutex_;
  std::vector<std::shared_ptr<const Variant>> variants_;
  std::shared_ptr<const Variant> last_;
  std::vector<std::int64_t> last_symbols_;
  Varying varying_;
  std::vector<std::string> recompiles_;
  Stats stats_;
  bool limit_was_said_ = false;
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state.ipp>
#endif
