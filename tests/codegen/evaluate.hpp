#pragma once
// Interprets a kernel by its definition, one number at a time, as the reference for generated code.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <sinter/base/constant.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace kernels {

using namespace sinter;
using namespace sinter::detail;

/// The elements of one argument, rounded to its dtype.
struct Data {
  DType dtype{};
  std::vector<Constant> elements{};
};

/// The first check that fails, and the first of its elements.
struct KernelFault {
  std::int64_t site = 0, position = 0, value = 0, bound = 0;

  void note(const KernelFault& other) {
    const bool first = site == 0 || other.site < site;
    if (first || (other.site == site && other.position < position)) *this = other;
  }
};

/// Runs `kernel` for `sizes` on `data`, the elements of its arguments in order.
class Evaluator {
 public:
  Evaluator(const schedule::Kernel& kernel, std::vector<std::int64_t> sizes,
            std::vector<Data>& data);

  KernelFault fault{};

 private:
  using Body = std::function<void()>;

  void loops(const Vector<schedule::Loop>& all, std::size_t depth, const Body& body);
  void point();
  const schedule::Instruction& at(schedule::ValueId id) const;
  Constant& result(schedule::ValueId id) { return values_[static_cast<std::size_t>(id)]; }
  std::int64_t value(Extent extent) const;
  bool inside(const schedule::Instruction& instruction) const;
  void start(schedule::ValueId id);
  void reduce(schedule::ValueId id);
  void sort(const schedule::Instruction& one);
  Data& buffer(std::int32_t of);
  Constant& element(const schedule::Instruction& one);
  void report(schedule::ValueId id, std::int64_t value, std::int64_t bound);
  std::int64_t bind(schedule::ValueId id, std::int64_t index, std::int64_t bound);
  Constant divisor(schedule::ValueId id, const Constant& number);
  void run(schedule::ValueId id);

  const schedule::Kernel& kernel_;
  std::vector<Data>& data_;
  std::vector<int> buffers_{};
  std::vector<Data> rows_{};
  std::vector<Constant> values_{};
  std::map<schedule::ValueId, Constant> best_{};
  std::map<schedule::ValueId, bool> first_{};
  std::map<std::uint64_t, std::int64_t> variables_{};
};

}  // namespace kernels
