#pragma once
// A driver that runs no kernels and takes no lock for them, so that the thread sanitizer, which
// cannot follow kernels, finds races in host code.

#include <atomic>

#include <sinter/device/cuda/driver.hpp>

#include "emulator.hpp"

namespace emulator {

/// Wraps the driver of `machine` while it lives. Its destructor drops reports of reads of memory
/// that kernels would have written.
class IdleDriver {
 public:
  explicit IdleDriver(Emulator& machine)
      : machine_(machine), before_(sinter::detail::cuda_driver()) {
    static sinter::detail::CudaDriver table;
    table = *before_;
    launched() = 0;
    table.launch = [](auto...) { return ++launched(), 0; };
    table.launch_graph = [](auto...) { return ++launched(), 0; };
    idle(table.set_kernel_node), idle(table.set_set_node), idle(table.set_bytes_async);
    idle(table.copy_on_device_async), idle(table.synchronize_stream);
    idle(table.record_event), idle(table.wait_event);
    sinter::detail::replace_cuda_driver(&table);
  }
  IdleDriver(const IdleDriver&) = delete;
  IdleDriver& operator=(const IdleDriver&) = delete;
  ~IdleDriver() {
    sinter::detail::replace_cuda_driver(before_);
    (void)machine_.reports();
  }

  /// Launches of kernels and graphs.
  int launches() const { return launched(); }

 private:
  template <class... A>
  static void idle(int (*&function)(A...)) {
    function = [](A...) { return 0; };
  }
  static std::atomic<int>& launched() {
    static std::atomic<int> instance{0};
    return instance;
  }

  Emulator& machine_;
  const sinter::detail::CudaDriver* before_;
};

}  // namespace emulator
