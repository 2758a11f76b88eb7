#pragma once
// Elements in memory, and the definitions of elementwise operations and reductions.

#include <cstring>
#include <span>
#include <vector>

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>

namespace execute {

using namespace sinter;
using namespace sinter::detail;

struct Block {
  std::byte* data = nullptr;
  std::int64_t elements = 0;
  DType dtype{};

  void check(std::int64_t at) const {
    if (at < 0 || at >= elements) throw InternalError(text("element ", at, " of ", elements));
  }
  std::byte* at(std::int64_t index) const {
    check(index);
    return data + index * static_cast<std::int64_t>(info(dtype).size);
  }
  Constant load(std::int64_t index) const {
    return visit_dtype(dtype, [&]<class T>(T value) {
      std::memcpy(&value, at(index), sizeof(T));
      return constant(value, dtype);
    });
  }
  void store(std::int64_t index, const Constant& number) const {
    visit_dtype(dtype, [&]<class T>(T) {
      const T value = is_floating(dtype) ? convert_element<T>(number.floating())
                                         : convert_element<T>(number.integer());
      std::memcpy(at(index), &value, sizeof(T));
    });
  }
};

inline runtime::interpreter::Array array(const Constant& number) {
  const Storage storage = Storage::allocate(info(number.dtype).size);
  Block{static_cast<std::byte*>(storage.data()), 1, number.dtype}.store(0, number);
  return {.dtype = number.dtype, .storage = storage};
}

/// The elementwise `op`, as the interpreter has it.
inline Constant apply(Op op, std::span<const Constant> operands, DType dtype) {
  Vector<runtime::interpreter::Array> arrays;
  for (const Constant& operand : operands) arrays.push_back(array(operand));
  const auto result = runtime::interpreter::elementwise(op, arrays, dtype, Where::current());
  return Block{result.data(), 1, dtype}.load(0);
}

/// The state of a reduction.
struct Reduction {
  bool started = false;
  Constant best{};
  std::int64_t position = 0;

  void add(Op op, const Constant& number, std::int64_t at) {
    if (op == Op::sum || op == Op::prod) return accumulate(op, number);
    const bool nan = is_floating(number.dtype) && number.floating() != number.floating();
    const bool had_nan = started && is_floating(best.dtype) && best.floating() != best.floating();
    const bool less = is_floating(number.dtype) ? number.floating() < best.floating()
                                                : number.integer() < best.integer();
    const bool more = is_floating(number.dtype) ? number.floating() > best.floating()
                                                : number.integer() > best.integer();
    if (had_nan || (started && !nan && !(op == Op::min ? less : more))) return;
    *this = {true, number, at};
  }

  void accumulate(Op op, const Constant& number) {
    const DType wide = is_floating(number.dtype) ? f64 : number.dtype;
    if (!started) best = constant(op == Op::sum ? 0 : 1, wide);
    const Constant operands[]{best, cast(number, wide)};
    best = apply(op == Op::sum ? Op::add : Op::mul, operands, wide);
    started = true;
  }

  Constant result(Op op, DType operand, DType dtype) const {
    if (op == Op::argmax) return constant(position, i64);
    if (started) return cast(best, dtype);
    if (op == Op::sum || op == Op::prod) return constant(op == Op::sum ? 0 : 1, dtype);
    const double extreme = op == Op::max ? -1e300 * 1e300 : 1e300 * 1e300;
    if (operand == i64) return constant(op == Op::max ? INT64_MIN : INT64_MAX, i64);
    return constant(extreme, dtype);
  }
};

}  // namespace execute
