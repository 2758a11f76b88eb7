#pragma once
// Guards of recorded arguments, and calls to match against them.

#include <sinter/guard/failure.hpp>
#include <sinter/guard/guard.hpp>

#include <initializer_list>
#include <string>
#include <vector>

#include "trace/testing.hpp"

namespace guarded_calls {

using namespace testing;

// Arguments of a call, f32 and named "a", "b", ...
struct Arguments {
  std::vector<Tensor> tensors;
  std::vector<std::string> names{};
  Vector<guard::Leaf> leaves{};

  explicit Arguments(std::vector<Tensor> values) : tensors(std::move(values)) {
    for (Tensor& tensor : tensors) {
      names.push_back(std::string(1, static_cast<char>('a' + names.size())));
      leaves.push_back({.tensor = &tensor});
    }
  }
};

inline const Hash structure = hash_of("structure");

// The guard of a recording of tensors with these shapes.
inline guard::Guard guard_of(const Recorder& recorder, std::initializer_list<Shape> shapes) {
  Vector<TensorType> types;
  std::vector<std::string> names;
  for (const Shape& shape : shapes) {
    types.push_back({f32, shape});
    names.push_back(std::string(1, static_cast<char>('a' + names.size())));
  }
  guard::Guard result = guard::make_guard(recorder, types, names);
  result.structure = structure;
  return result;
}

inline bool fits(const guard::Guard& guard, std::vector<Tensor> values) {
  const Arguments arguments(std::move(values));
  std::vector<std::int64_t> symbols(guard.symbols.size());
  return matches(guard, structure, arguments.leaves, symbols);
}

inline std::string failure(const guard::Guard& guard, std::vector<Tensor> values) {
  const Arguments arguments(std::move(values));
  return to_string(guard::first_failure(guard, structure, arguments.leaves, arguments.names, {}));
}

inline Tensor zeros_of(Shape shape) { return zeros(shape); }

}  // namespace guarded_calls
