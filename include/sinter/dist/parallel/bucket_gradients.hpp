#pragma once
// The rewrite that lets gradients be reduced in buckets while the backward pass goes on.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// The bytes that fill a bucket; the first is small, so that it starts soon.
inline constexpr std::int64_t first_bucket_bytes = 1 << 20, bucket_bytes = 25 << 20;

/// `graph` with the all_reduces of dist::all_reduce(gradients) in buckets: nodes that start one as
/// soon as its gradients are computed, and nodes that wait for it. The last gradients of a module
/// come first, for the backward pass computes these first: the order is that of the list, so that
/// it is the same on all ranks. With one rank they are gone.
Graph bucket_gradients(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/bucket_gradients.ipp>
#endif
