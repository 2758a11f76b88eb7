#pragma once
// Guards as text: their conditions, the first condition that a call fails, and how to fix it.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

/// Why a call does not fit a guard.
struct Failure {
  std::string leaf{};  ///< "argument 2", "self.up.weight"
  std::string expected{};
  std::string found{};
  std::string fix{};
  Where where{};                      ///< The line that made the assumption.
  const std::string* path = nullptr;  ///< The path of the module that ran there, if any.
};

/// Where the assumption was made, as "model.cpp:14, in encoder.layers.3".
std::string assumed_at(const Failure& failure);

/// "argument 1: expected size(0) == 64, found 48; mark_dynamic(x, 0) makes one recording serve all"
std::string to_string(const Failure& failure);

/// The first condition of `guard` that the call fails. `names` and `plain` belong to the call.
Failure first_failure(const Guard& guard, const Hash& structure, Span<const Leaf> leaves,
                      Span<const std::string> names, Span<const PlainValue> plain);

/// One line per condition.
std::vector<std::string> describe(const Guard& guard);

}  // namespace sinter::inline SINTER_ABI::detail::guard

#ifdef SINTER_DEFINITIONS
#include <sinter/guard/failure.ipp>
#endif
