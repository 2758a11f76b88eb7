#pragma once
// What a library gives to a stream, as a graph.

#include <functional>  // std::function
#include <memory>      // std::unique_ptr

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// What `give` gives to the stream that it is called with, as a graph that can be a child of
/// others; nothing of it runs. Of a GPU, one thread captures at a time. Throws what `give` throws,
/// and DeviceError if the driver does not capture it.
std::unique_ptr<CudaGraph> captured(CudaContext& context,
                                    const std::function<void(CudaDriver::Handle)>& give,
                                    Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/capture.ipp>
#endif
