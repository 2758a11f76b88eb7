#pragma once

#include <exception>  // std::uncaught_exceptions

#include <sinter/dist/backend/mpi/mpi.hpp>
#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket_gradients.hpp>
#include <sinter/dist/world.hpp>
#include <sinter/jit/parts.hpp>  // custom operations
#include <sinter/jit/rewrite/program_rewrite.hpp>

namespace sinter::inline SINTER_ABI::dist {

SINTER_INLINE World::World(WorldOptions options, Where where) {
  auto transport = detail::mpi::begin({options.timeout, options.answer_timeout}, where);
  rank_ = transport->rank();
  size_ = transport->size();
  detail::collective::groups().push_back(std::move(transport));
  detail::jit::program_rewrite() = detail::parallel::bucket_gradients;
}

SINTER_INLINE World::~World() {
  const bool is_thrown = std::uncaught_exceptions() > 0;
  auto* const gpus = detail::collective::gpu_transport();
  if (gpus != nullptr) gpus->end(is_thrown);
  detail::mpi::end(is_thrown ? "an exception ended its World" : "");
  detail::jit::program_rewrite() = nullptr;
  detail::collective::groups().clear();
}

SINTER_INLINE Device World::device() const {
  const detail::collective::GpuTransport* const gpus = detail::collective::gpu_transport();
  const int count = gpus == nullptr ? 0 : cuda_device_count();
  if (count == 0 || !gpus->why_not().empty()) return cpu();
  return cuda(detail::mpi::local_rank() % count);
}

SINTER_INLINE Group World::split(int color, Where where) const {
  return Group(detail::collective::split_group(color, "dist::World::split", where));
}

}  // namespace sinter::inline SINTER_ABI::dist
