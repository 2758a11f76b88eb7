#pragma once
// Launches kernels of a plan on a GPU: grids, sizes and arguments.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The launch geometry of a kernel, in terms of its symbols.
struct CudaGrid {
  Extent blocks = 1;
  int threads = 1;
  Extent shared_bytes = 0;
};

/// The evaluated geometry and sizes of a launch.
struct CudaLaunchConfig {
  std::vector<long> sizes{};  ///< The arguments after the buffers.
  unsigned blocks = 1, shared_bytes = 0;
  std::vector<unsigned> first_blocks{};  ///< Of a batched launch: the first block of each entry.
};

/// Evaluates `grid`, the grid of the kernel of `launch`, for the sizes of a call.
CudaLaunchConfig launch_config(const schedule::Plan& plan, const schedule::Launch& launch,
                               const CudaGrid& grid, Span<const std::int64_t> symbols);

/// The arguments of a launch; of a batched launch the words of the table that is its only argument,
/// see schedule/launch/batched.hpp. `fault` is a fault word, or null.
Vector<std::uint64_t> arguments_of(const schedule::Plan& plan, const schedule::Launch& launch,
                                   const CudaLaunchConfig& now, Span<void* const> buffers,
                                   void* fault);

/// Whether `launch` enqueues the work of a library: see StreamKernel.
bool enqueues(const schedule::Plan& plan, const schedule::Launch& launch);
/// Whether it is a branch or a loop, or calls a function of the host.
bool is_control(const schedule::Plan& plan, const schedule::Launch& launch);

namespace detail {

/// The sizes of a launch, indexed by the symbol ids of its kernel.
std::vector<std::int64_t> by_id(const schedule::Kernel& kernel, const std::vector<long>& sizes);

std::int64_t bytes_of(const schedule::Buffer& buffer, Span<const std::int64_t> symbols);

}  // namespace detail

/// For each buffer of a launch, its index among the arguments.
Vector<std::size_t> positions_of_buffers(const schedule::Plan& plan,
                                         const schedule::Launch& launch);

/// The argument pointers for the driver, which copies the arguments.
Vector<void*> pointers_to(Span<std::uint64_t> arguments, bool has_table);

/// Launches `function` on `stream`, with the block size of `grid`.
void launch_kernel(const CudaContext& context, CudaDriver::Handle stream,
                   CudaDriver::Handle function, const CudaGrid& grid, const CudaLaunchConfig& now,
                   Span<std::uint64_t> arguments, Where where);

/// Allows blocks of `function` to use `bytes` of shared memory, which may exceed the default of 48
/// KiB.
void allow_shared_bytes(const CudaContext& context, CudaDriver::Handle function, unsigned bytes,
                        Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/launch.ipp>
#endif
