#pragma once
// Buckets: gradients that are reduced together, in the background.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// The node that starts the reduction `collective` of `gradients`, which have these types. Its
/// results are the number of the job and the bucket, which has the gradients one after another:
/// they are computed there, or else copied.
Node start_bucket(const collective::Collective& collective, Span<const Value> gradients,
                  Span<const TensorType> types);
/// The node that waits for the job that node `start` started. Its results, of `types`, are the
/// reduced gradients.
Node wait_for_bucket(const collective::Collective& collective, NodeId start,
                     Span<const TensorType> types);

/// The node that reduces `gradients` on a GPU while later kernels run. Its results, of `types`, are
/// the reduced gradients.
Node gpu_bucket(const collective::Collective& collective, Span<const Value> gradients,
                Span<const TensorType> types);

/// The bytes of gradients that this process has copied into buckets.
std::int64_t bytes_copied_to_buckets();

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/bucket.ipp>
#endif
