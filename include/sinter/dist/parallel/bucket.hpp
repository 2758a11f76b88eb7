#pragma once
// Buckets: gradients that are reduced together, in the background.

#include <string>  // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// The node that copies `gradients`, values of these types, into a bucket and starts to reduce it
/// as `collective` says. Its result is the number that the other node takes.
Node start_node(const collective::Collective& collective, Span<const Value> gradients);
/// The node that reduces `gradients` on a GPU, beside what comes later. Its results are of `types`.
Node gpu_node(const collective::Collective& collective, Span<const Value> gradients,
              Span<const TensorType> types);
/// The node that waits for it: the gradients of all ranks, of `types`.
Node wait_node(const collective::Collective& collective, Value started,
               Span<const TensorType> types);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/bucket.ipp>
#endif
