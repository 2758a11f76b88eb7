#pragma once
// How the kernels of a plan are launched on a GPU: how many blocks, and with which sizes.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// How a kernel is launched, in terms of its symbols.
struct CudaGrid {
  Extent blocks = 1;
  int threads = 1;
  Extent shared_bytes = 0;
};

/// How a launch of it is, in numbers.
struct CudaLaunchConfig {
  std::vector<long> sizes{};  ///< The arguments behind the buffers.
  unsigned blocks = 1, shared_bytes = 0;
  std::vector<unsigned> first_blocks{};  ///< Of a kernel with parts: the first block of each part.
};

/// `grid` is that of the kernel of `launch`.
CudaLaunchConfig launch_config(const schedule::Plan& plan, const schedule::Launch& launch,
                            const CudaGrid& grid, std::span<const std::int64_t> symbols);

/// The arguments of a launch, or the words of the table that is its only one: see
/// schedule/launch/batched.hpp. `fault` is a word for faults, or null.
std::vector<std::uint64_t> arguments_of(const schedule::Plan& plan, const schedule::Launch& launch,
                                        const CudaLaunchConfig& now, std::span<void* const> buffers,
                                        void* fault);

namespace detail {

/// The sizes of a launch by the ids that its kernel gives the symbols.
std::vector<std::int64_t> by_id(const schedule::Kernel& kernel, const std::vector<long>& sizes);

std::int64_t bytes_of(const schedule::Buffer& buffer, std::span<const std::int64_t> symbols);

}  // namespace detail

/// For each buffer of the launch: which of these it is.
std::vector<std::size_t> positions_of_buffers(const schedule::Plan& plan,
                                              const schedule::Launch& launch);

/// What the driver takes for `arguments`, which it copies.
std::vector<void*> pointers_to(std::span<std::uint64_t> arguments, bool has_table);

/// Gives the kernel of `launch` to `stream`, with as many threads in a block as `grid` says.
void launch_kernel(const CudaContext& context, CudaDriver::Handle stream,
                   CudaDriver::Handle function, const CudaGrid& grid, const CudaLaunchConfig& now,
                   std::span<std::uint64_t> arguments, Where where);

/// Lets blocks of `function` have so much shared memory, which may be more than is usual.
void allow_shared_bytes(const CudaContext& context, CudaDriver::Handle function, unsigned bytes,
                        Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/launch.ipp>
#endif
