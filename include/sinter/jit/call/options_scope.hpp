#pragma once
// The options of a compiled function that is called while another is recorded.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// While it lives, what the recording in progress records keeps the options of `state`, a function
/// that was compiled by itself.
class OptionsScope {
 public:
  explicit OptionsScope(const State& state);
  ~OptionsScope();
  OptionsScope(const OptionsScope&) = delete;
  OptionsScope& operator=(const OptionsScope&) = delete;

 private:
  void note() const;

  Recorder* recorder_ = nullptr;  // null where nothing changes
  const std::string* outer_ = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/options_scope.ipp>
#endif
