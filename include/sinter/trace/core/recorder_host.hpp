#pragma once
// Who began a recording, and what it does for it: computes what the program reads while it is
// recorded, and knows the arguments.

#include <memory>  // std::shared_ptr
#include <span>    // std::span
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

/// A place where a recorded function reads on the host, so that its graph ends and another begins.
struct Break {
  std::string reason{};
  Where where{};
  std::string fix{};
};

namespace detail {

class RecorderHost {
 public:
  virtual ~RecorderHost() = default;

  /// Computes `values`, which belong to the recording; it goes on afterwards.
  ///
  /// Throws GraphBreakError where the recording may not be interrupted.
  virtual void interrupt(std::span<const Tensor> values, Break found) = 0;
  /// Computes all values that something beside the recording holds.
  virtual void interrupt_all(Break found) = 0;
  /// Code outside of the recording runs until resume(): its random draws come after those so far.
  virtual void pause() {}
  virtual void resume() {}
  /// The type by which the recording knows `outside`, the tensor number `index` that it met and
  /// that is no argument.
  virtual TensorType type_of_outside(const Tensor& outside, std::size_t index) = 0;
  /// True if the function runs on every call, so that sizes computed on the host may differ each
  /// time.
  virtual bool runs_on_every_call() const { return false; }
  /// `size`, which an operation at `where` uses as a size or position: a symbol, if it is a number
  /// that has differed between calls. One `of_elements` that the program wrote becomes a symbol
  /// also where it may have to equal a marked size.
  virtual Extent size_of_program(Extent size, bool /*of_elements*/, Where /*where*/) {
    return size;
  }
  /// "argument 1.weight"
  virtual std::string leaf_name(std::size_t leaf) const = 0;
};

/// What a program does on the host with values of the recording, on every replay, without a break.
class HostFunction {
 public:
  virtual ~HostFunction() = default;
  /// `operands` have elements.
  virtual void operator()(std::span<const Tensor> operands) const = 0;
};

/// A call of a host function in a recording.
struct Effect {
  std::shared_ptr<const HostFunction> function{};
  std::vector<Tensor> operands{};
  bool is_open = false;  ///< The function has captures, which change between calls.
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
