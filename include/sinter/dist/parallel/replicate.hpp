#pragma once
// Broadcasts the state of a model from one rank to all.

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/trace/module/parameter.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Replaces `x` by its value on rank `root`, unless it is a part of a sharded parameter.
void replicate(Tensor& x, int root, dist::Group group, Where where);

}  // namespace detail

namespace dist {

/// Gives all ranks the buffers of rank `root`, such as the running statistics of a batch norm. Call
/// it in a training step, or before the model is evaluated or saved.
///
/// Throws as broadcast
template <class M>
void broadcast_buffers(M& model, int root = 0, Group group = {}, Where where = Where::current()) {
  nn::for_each_buffer(model, [&](const std::string&, Tensor& buffer) {
    detail::replicate(buffer, root, group, where);
  });
}

/// Gives all ranks the parameters and buffers of rank `root`. Does not change the parts of a
/// sharded model.
///
/// Throws as broadcast
template <class M>
requires sinter::detail::HasModule<M>
void broadcast(M& model, int root = 0, Group group = {}, Where where = Where::current()) {
  nn::for_each_parameter(model, [&](const std::string&, Tensor& parameter) {
    detail::replicate(parameter, root, group, where);
  });
  broadcast_buffers(model, root, group, where);
}

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/replicate.ipp>
#endif
