#pragma once
// What a compiled function keeps: its variants, its statistics, and why it was recorded again.

#include <memory>  // std::shared_ptr, std::unique_ptr
#include <mutex>   // std::mutex
#include <span>    // std::span
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/call.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/variant.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// Why a call is recorded.
struct Miss {
  std::string reason{};  ///< Empty for the first call.
  Varying varying{};     ///< The sizes that changed, in this call or before.
};

class State {
 public:
  State(const CompileOptions& options, Where where);

  /// The variant that serves the call, with the sizes of its symbols; null if it has to be
  /// recorded.
  std::shared_ptr<const Variant> find(const CallSignature& call,
                                      std::vector<std::int64_t>& symbols);
  /// Why `call` fits no variant, and which sizes vary.
  Miss explain_miss(const CallSignature& call, std::span<const std::string> names,
                    std::span<const guard::PlainValue> plain);
  /// Compiles a recording, which `miss` was the reason for. Past the limit it is for this call
  /// only, and interpreted.
  std::shared_ptr<const Variant> add(Recording recording, Miss miss,
                                     std::shared_ptr<const void> result,
                                     std::shared_ptr<const void> arguments, double seconds);
  /// What a call before worked with, or something new.
  std::unique_ptr<Call> take_call();
  /// Keeps `call` for another one, and counts it if it had a variant.
  void give_back(std::unique_ptr<Call> call);

  Stats stats();
  Explanation explain();

  const CompileOptions& options() const { return options_; }
  Where where() const { return where_; }
  /// Held while a signature is recorded, so that each is recorded once.
  std::recursive_mutex& recording_mutex() { return recording_mutex_; }

 private:
  std::string label() const;
  bool is_full() const;
  void note(Miss miss);
  void warn_of_limit();

  CompileOptions options_;
  std::string name_;
  Where where_;
  std::mutex mutex_;
  std::recursive_mutex recording_mutex_;
  std::vector<std::shared_ptr<const Variant>> variants_;
  std::shared_ptr<const Variant> last_;
  std::vector<std::int64_t> last_symbols_;
  std::vector<std::unique_ptr<Call>> idle_;  // one for each call at the same time
  Varying varying_;
  std::vector<std::string> recompiles_;
  Stats stats_;
  bool limit_was_said_ = false;
};

/// A Call on loan.
class CallLoan {
 public:
  explicit CallLoan(State& state) : state_(state), call_(state.take_call()) {}
  CallLoan(const CallLoan&) = delete;
  CallLoan& operator=(const CallLoan&) = delete;
  ~CallLoan() { state_.give_back(std::move(call_)); }

  Call& operator*() const { return *call_; }

 private:
  State& state_;
  std::unique_ptr<Call> call_;
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state.ipp>
#endif
