#pragma once
// Options of a compiled function that is called while another one is being recorded.

#include <string>  // std::string

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {
class Recorder;
}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// During its lifetime, nodes recorded by the recording in progress keep the options of `state`,
/// the compiled function that is called.
class OptionsScope {
 public:
  explicit OptionsScope(const State& state);
  ~OptionsScope();
  OptionsScope(const OptionsScope&) = delete;
  OptionsScope& operator=(const OptionsScope&) = delete;

 private:
  void note() const;

  Recorder* recorder_ = nullptr;  // null if the options are those of the enclosing function
  const std::string* outer_ = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/options_scope.ipp>
#endif
