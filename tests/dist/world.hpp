#pragma once
// The World of the tests, which the first of them makes and the end of the program ends. Every rank
// runs the same cases; with one process, or without mpirun, its size is 1.

#include <sinter/dist.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ranks {

/// A rank that waits for others longer than this fails, in seconds.
inline constexpr double timeout = 60;

inline const sinter::dist::World& world() {
  static const sinter::dist::World one({.timeout = timeout});
  return one;
}
inline int rank() { return world().rank(); }
inline int size() { return world().size(); }
inline float number() { return static_cast<float>(rank()); }

/// The largest absolute difference; infinite for other shapes or dtypes.
inline double difference(const sinter::Tensor& a, const sinter::Tensor& b) {
  if (sinter::to_string(a) != sinter::to_string(b)) return 1.0 / 0.0;
  if (a.numel() == 0) return 0;
  const auto x = a.to(sinter::f64), y = b.to(sinter::f64);
  return sinter::max(sinter::abs(x - y)).item<double>();
}

/// Elements that differ from rank to rank; every rank can compute those of all ranks.
inline sinter::Tensor elements(sinter::Shape shape, int of_rank = rank()) {
  const auto count = static_cast<float>(sinter::numel(shape).number());
  const auto x = sinter::arange(count) * 0.37f + 0.9f * static_cast<float>(of_rank + 1);
  return sinter::reshape(sinter::sin(x), shape);
}

/// During its lifetime host functions get the memory of the plan, not copies, under SINTER_CHECK
/// too: to count bytes.
struct Unchecked {
  bool before = sinter::detail::checks_custom();
  Unchecked() { sinter::detail::checks_custom() = false; }
  ~Unchecked() { sinter::detail::checks_custom() = before; }
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;
};

}  // namespace ranks
