#pragma once
// The rewrite that reduces gradients in buckets while the backward pass continues.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// The bytes that fill a bucket; the first is small, so that it starts early.
inline constexpr std::int64_t first_bucket_bytes = 1 << 20, bucket_bytes = 25 << 20;

/// Replaces the all_reduces of each dist::all_reduce(gradients) by buckets: nodes that start one as
/// soon as its gradients are computed, and nodes that wait for it. Buckets are filled from the last
/// gradient to the first, about the order of the backward pass, and the same on all ranks. With one
/// rank the all_reduces are removed.
Graph bucket_gradients(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/bucket_gradients.ipp>
#endif
