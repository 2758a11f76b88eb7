#pragma once
// The interface from a recording to its owner in jit, which evaluates values that the program reads
// during recording and knows the arguments.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

/// A graph break: the recorded function reads on the host, so one graph ends and another begins.
struct Break {
  std::string reason{};
  Where where{};
  std::string fix{};
};

namespace detail {

class RecorderHost {
 public:
  virtual ~RecorderHost() = default;

  /// Computes `values` of the recording, which then continues.
  ///
  /// Throws GraphBreakError where a graph break is not allowed.
  virtual void interrupt(Span<const Tensor> values, Break found) = 0;
  /// Computes all values with references from outside of the recording.
  virtual void interrupt_all(Break found) = 0;
  /// Suspends the recording until resume(): random draws made in between follow those so far.
  virtual void pause() {}
  virtual void resume() {}
  /// The type of captured tensor number `index`, `outside`, in the recording.
  virtual TensorType type_of_outside(const Tensor& outside, std::size_t index) = 0;
  /// True if the function is traced on every call, so that sizes computed on the host may differ
  /// each time.
  virtual bool runs_on_every_call() const { return false; }
  /// `size`, used by an operation at `where` as a size or position: a symbol, if it is a number
  /// that differed between calls. With `of_elements`, the size of a host array that the program
  /// wrote, it becomes a symbol also where it may have to equal a marked size.
  virtual Extent size_of_program(Extent size, bool /*of_elements*/, Where /*where*/) {
    return size;
  }
  /// "argument 1.weight"
  virtual std::string leaf_name(std::size_t leaf) const = 0;
};

/// A host function called with values of the recording on every replay, without a graph break.
class HostFunction {
 public:
  virtual ~HostFunction() = default;
  /// `operands` have elements.
  virtual void operator()(Span<const Tensor> operands) const = 0;
  /// Equal for functions that do the same thing; 0 if unknown.
  virtual Hash identity() const { return {}; }
};

/// A call of a host function in a recording.
struct Effect {
  SharedPtr<const HostFunction> function{};
  std::vector<Tensor> operands{};
  bool has_captures = false;  ///< The function has captures, which may change between calls.
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
