#pragma once
// Tensors of any dtype as lists of constants, for tests that compare two programs bit for bit.

#include <sinter/graph/builder.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include <cmath>
#include <cstring>

namespace numbers {

using namespace sinter;
using namespace sinter::detail;

using Constants = std::vector<Constant>;

inline Storage memory_of(const Constants& elements, DType dtype) {
  const Storage result = Storage::allocate(elements.size() * info(dtype).size);
  visit_dtype(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      T element{};
      if constexpr (std::is_floating_point_v<T>) element = static_cast<T>(elements[i].floating());
      if constexpr (std::is_integral_v<T>) element = static_cast<T>(elements[i].integer());
      if constexpr (std::is_class_v<T>) element = T(static_cast<float>(elements[i].floating()));
      std::memcpy(static_cast<T*>(result.data()) + i, &element, sizeof(T));
    }
  });
  return result;
}

inline Constants constants_in(const Storage& memory, DType dtype) {
  Constants result(memory.bytes() / info(dtype).size);
  visit_dtype(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      T element{};
      std::memcpy(&element, static_cast<const T*>(memory.data()) + i, sizeof(T));
      result[i] = constant(element, dtype);
    }
  });
  return result;
}

/// The outputs of `graph`. Input i is inputs[i], of the dtype of the input.
inline std::vector<Constants> run(const Graph& graph, const std::vector<Constants>& inputs,
                                  const std::vector<std::int64_t>& symbols = {}) {
  Vector<Storage> memory;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    memory.push_back(memory_of(inputs[i], graph.type(graph.inputs[i]).dtype));
  }
  const auto outputs = runtime::interpret(graph, memory, symbols);
  std::vector<Constants> result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result.push_back(constants_in(outputs[i], graph.type(graph.outputs[i]).dtype));
  }
  return result;
}

/// The same bits, or both NaN.
inline bool same_number(const Constant& x, const Constant& y) {
  if (x == y) return true;
  return is_floating(x.dtype) && x.dtype == y.dtype && std::isnan(x.floating()) &&
         std::isnan(y.floating());
}

}  // namespace numbers
