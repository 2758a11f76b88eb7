#pragma once
// Captures the work that a library enqueues on a stream as a graph.

#include <functional>  // std::function

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Captures what `enqueue` submits to the stream that it is given, as a graph that can become a
/// child of other graphs; nothing runs. One thread captures at a time on each GPU. Throws what
/// `enqueue` throws, and DeviceError if the driver cannot capture it.
UniquePtr<CudaGraph> capture_graph(CudaContext& context,
                                   const std::function<void(CudaDriver::Handle)>& enqueue,
                                   Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/capture.ipp>
#endif
