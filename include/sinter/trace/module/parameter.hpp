#pragma once
// The parameters of a module: its tensors, by dotted name.

#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

template <class Visit>
struct ParameterVisitor : LeafVisitor {
  explicit ParameterVisitor(Visit& v) : visit(v) {}
  template <class T>
  requires std::same_as<std::remove_const_t<T>, Tensor>
  void tensor(T& parameter, const LeafName& name) { visit(to_string(name), parameter); }
  void typed(auto& parameter, const LeafName& name) { visit(to_string(name), parameter.tensor()); }

  Visit& visit;
};

template <class Visit>
struct BufferVisitor : LeafVisitor {
  explicit BufferVisitor(Visit& v) : visit(v) {}
  void buffer(auto& buffer, const LeafName& name) { visit(to_string(name), buffer.value); }

  Visit& visit;
};

struct BufferCollector : LeafVisitor {
  void buffer(const nn::Buffer& buffer, const LeafName& name);

  std::vector<std::pair<std::string, Tensor>> buffers{};
};

}  // namespace detail

namespace nn {

/// Calls visit("hidden.weight", tensor) for each parameter of `module`, depth first, in list order.
/// Saved files use the same order.
template <class M, class Visit>
void for_each_parameter(M& module, Visit visit) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::for_each_parameter(module, visit) requires a module: "
                "list the members of the struct with SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // keeps the static_assert above the only error
    sinter::detail::ParameterVisitor<Visit> visitor(visit);
    sinter::detail::walk(module, visitor, {});
  }
}

/// The same for each buffer.
template <class M, class Visit>
void for_each_buffer(M& module, Visit visit) {
  sinter::detail::BufferVisitor<Visit> visitor(visit);
  sinter::detail::walk(module, visitor, {});
}

/// The parameters with their names, in the order of the module.
template <class M>
std::vector<std::pair<std::string, Tensor>> named_parameters(const M& module) {
  std::vector<std::pair<std::string, Tensor>> result;
  for_each_parameter(module, [&](std::string name, const Tensor& parameter) {
    if (parameter.defined()) result.emplace_back(std::move(name), parameter);
  });
  return result;
}

/// The buffers, state without a gradient, with their names, in the order of the module.
template <class M>
std::vector<std::pair<std::string, Tensor>> named_buffers(const M& module) {
  sinter::detail::BufferCollector visitor;
  sinter::detail::walk(module, visitor, {});
  return std::move(visitor.buffers);
}

/// The total number of elements of all parameters.
template <class M>
std::int64_t parameter_count(const M& module) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters(module)) {
    count += parameter.numel().number();
  }
  return count;
}

}  // namespace nn

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/parameter.ipp>
#endif
