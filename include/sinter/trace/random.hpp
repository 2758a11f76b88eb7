#pragma once
// Random numbers: Philox of a seed, an offset that each call advances, the number of the draw and
// the position of the element, the same on every device.

#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace random {

/// Starts the sequence of this process again, with another seed.
void manual_seed(std::uint64_t seed);

/// The state of this process. Calls of compiled functions read it and move the offset on.
struct State {
  std::int64_t seed = 0;
  std::int64_t offset = 0;
};
State state();
/// The state for one more call, which has an offset of its own.
State next_state();
void set_state(State state);
/// Takes back what next_state() gave, unless another call has drawn since then.
void return_state(State state);

/// The state of one call, which is taken back if the call fails.
class Draw {
 public:
  Draw() : state_(next_state()) {}
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;
  ~Draw() {
    if (!is_kept_) return_state(state_);
  }

  const State& state() const { return state_; }
  void keep() { is_kept_ = true; }

 private:
  State state_;
  bool is_kept_ = false;
};

}  // namespace random

/// Uniform in [0, 1). DTypes f32 and f64; f16 and bf16 are rounded f32.
Tensor rand(Shape shape, DType dtype = f32, Where where = Where::current());
/// Normal with mean 0 and deviation 1.
Tensor randn(Shape shape, DType dtype = f32, Where where = Where::current());
/// Integers, uniform in [low, high); i64.
///
/// Throws ValueError unless low < high
Tensor randint(std::int64_t low, std::int64_t high, Shape shape, Where where = Where::current());
/// 1 with probability `p`, else 0, with the shape and dtype of `p`.
Tensor bernoulli(Operand p);
/// Each element is 0 with probability `p`, else divided by 1 - p.
///
/// Throws ValueError unless 0 <= p <= 1
Tensor dropout(Operand x, double p = 0.5);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/random.ipp>
#endif
