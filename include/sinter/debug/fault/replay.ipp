#pragma once

#include <cstdio>   // std::printf
#include <utility>  // std::move

#include <sinter/base/constant.hpp>
#include <sinter/debug/fault/replay.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

template <class From>
Storage elements_from(DType dtype, std::size_t count, const From* from, std::size_t step) {
  const Storage result = Storage::allocate(count * info(dtype).size);
  visit_dtype(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<T*>(result.data())[i] = convert_element<T>(from[i * step]);
    }
  });
  return result;
}

}  // namespace detail

SINTER_INLINE Replay::Replay(Graph graph, FailureKind fault) : fault_(fault) {
  problem_.graph = std::move(graph);
}

SINTER_INLINE TensorType Replay::next_type() const {
  Problem sizes;
  sizes.symbols = symbols;
  return concrete(sizes, problem_.graph.type(problem_.graph.inputs[problem_.inputs.size()]));
}

SINTER_INLINE void Replay::floats(std::initializer_list<double> elements) {
  problem_.inputs.push_back(
      detail::elements_from(next_type().dtype, elements.size(), elements.begin(), 1));
}
SINTER_INLINE void Replay::integers(std::initializer_list<std::int64_t> elements) {
  problem_.inputs.push_back(
      detail::elements_from(next_type().dtype, elements.size(), elements.begin(), 1));
}
SINTER_INLINE void Replay::floats_like(double element) {
  const TensorType type = next_type();
  const auto count = static_cast<std::size_t>(numel(type.shape).number());
  problem_.inputs.push_back(detail::elements_from(type.dtype, count, &element, 0));
}
SINTER_INLINE void Replay::integers_like(std::int64_t element) {
  const TensorType type = next_type();
  const auto count = static_cast<std::size_t>(numel(type.shape).number());
  problem_.inputs.push_back(detail::elements_from(type.dtype, count, &element, 0));
}

SINTER_INLINE int Replay::run() {
  problem_.options = options;
  problem_.symbols = symbols;
  std::printf("%s", to_string(problem_.graph).c_str());
  std::fflush(stdout);
  const std::string failure = failure_of(problem_, fault_);
  if (failure.empty()) {
    std::printf("it does not fail\n");
    return 0;
  }
  std::printf("%s: %s\n", to_string(fault_).c_str(), failure.c_str());
  return 1;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
