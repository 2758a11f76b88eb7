#pragma once
// Helpers shared by the tests of compiled functions.

#include <sinter/compile/cache/varying_sizes.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/sinter.hpp>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "captured_output.hpp"
#include "message_of.hpp"
#include "trace/testing.hpp"

namespace testing {

/// Sizes that varied in earlier runs of the tests must not change the number of recordings.
inline const bool varying_was_kept = compiler::keep_varying(false);

/// Sets an environment variable, or unsets it for null, during its lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value == nullptr ? unsetenv(name_) : setenv(name_, value, 1);
  }

  const char* name_;
  std::optional<std::string> before_{};
};

/// Fixed names of leaves.
class GivenNames : public jit::LeafNames {
 public:
  explicit GivenNames(std::vector<std::string> names) : names_(std::move(names)) {}
  std::vector<std::string> leaves() const override { return names_; }

 private:
  std::vector<std::string> names_;
};

using errors::message_of;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The number of occurrences of `part` in `text`.
inline int count(const std::string& text, const std::string& part) {
  int result = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
}

/// The address of the elements of `x`, on any device.
inline const void* place(const Tensor& x) { return elements_of(x).data(); }

/// All elements equal, bit for bit.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && same(a.shape(), b.shape()) && [&] {
    const Storage &x = elements_of(a), &y = elements_of(b);
    return std::memcmp(host_bytes(x), host_bytes(y), x.bytes()) == 0;
  }();
}

inline Tensor to_host(const Tensor& x) { return x.to(cpu()); }
inline std::vector<Tensor> to_host(std::vector<Tensor> list) {
  for (Tensor& x : list) x = x.to(cpu());
  return list;
}

/// The result of `function` on the host for copies of `arguments`.
template <class Function, class... Arguments>
auto on_host(const Function& function, const Arguments&... arguments) {
  const ScopedDevice host(cpu());
  auto result = function(to_host(arguments)...);
  using Result = decltype(result);  // evaluated here, where the host is
  if constexpr (std::is_same_v<Result, Tensor>) elements_of(result);
  if constexpr (std::is_same_v<Result, std::vector<Tensor>>) {
    for (const Tensor& one : result) elements_of(one);
  }
  return result;
}

/// All elements within `tolerance` of those of `expected`.
inline bool near_tensor(const Tensor& found, const Tensor& expected, double tolerance = 1e-5) {
  return same(found.shape(), expected.shape()) && near(found, numbers(expected), tolerance);
}

}  // namespace testing
