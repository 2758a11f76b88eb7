#pragma once
// Tracks the public function that the user called, so that errors name it and its line, not the
// functions it is made of.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A call of a public function, as errors name it.
struct CalledFunction {
  const char* name = nullptr;         ///< "matmul", a literal; null if none is noted.
  Where where{};                      ///< The line of the user's program.
  const std::string* path = nullptr;  ///< The module that is running, "encoder.layers.3".
};

inline constinit thread_local CalledFunction call_in_progress{};

/// During its lifetime, UserErrors of this thread name `called`, unless an outer call is noted
/// already: public functions may call each other.
class PublicCall {
 public:
  explicit PublicCall(const CalledFunction& called) : is_outermost_(is_none()) {
    if (is_outermost_) detail::call_in_progress = called;
  }
  PublicCall(const char* name, const Where& where) : PublicCall(CalledFunction{name, where}) {}
  ~PublicCall() {
    if (is_outermost_) detail::call_in_progress.name = nullptr;
  }
  PublicCall(const PublicCall&) = delete;
  PublicCall& operator=(const PublicCall&) = delete;

  /// True if the user called this function directly, not through another public function.
  bool is_outermost() const { return is_outermost_; }

  /// The function noted currently; null if none.
  static const char* name() { return detail::call_in_progress.name; }

 private:
  static bool is_none() { return name() == nullptr; }

  bool is_outermost_;
};

/// During its lifetime, no public function is noted: for user callbacks and the evaluation of
/// earlier recordings.
class OutsidePublicCalls {
 public:
  OutsidePublicCalls() : outer_(detail::call_in_progress) { detail::call_in_progress = {}; }
  ~OutsidePublicCalls() { detail::call_in_progress = outer_; }
  OutsidePublicCalls(const OutsidePublicCalls&) = delete;
  OutsidePublicCalls& operator=(const OutsidePublicCalls&) = delete;

 private:
  CalledFunction outer_;
};

}  // namespace sinter::inline SINTER_ABI::detail
