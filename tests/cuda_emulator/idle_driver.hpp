#pragma once
// The driver of an emulated machine that runs nothing, and holds no lock where it does nothing:
// what races in the host's own part shows to the thread sanitizer, which cannot follow kernels.

#include <atomic>

#include <sinter/device/cuda/driver.hpp>

#include "emulator.hpp"

namespace emulator {

/// Stands before the driver of `machine` while it lives. What kernels would have written is read
/// all the same; reports of that are dropped at its end.
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

  /// Of kernels and of graphs.
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
