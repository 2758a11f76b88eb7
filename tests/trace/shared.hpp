#pragma once
// Tensors that the cases of a file share.

#include <sinter/device/host/scoped_device.hpp>
#include <sinter/trace/core/tensor.hpp>

#include <functional>
#include <vector>

#include "moved.hpp"

namespace testing {

/// Puts tensors where the cases are that use them: `const Shared shared{x, y};` behind x and y,
/// which are made before any case has a device.
class Shared {
 public:
  template <class... Tensors>
  explicit Shared(Tensors&... tensors) {
    if (sinter_test::on_gpu()) (add(tensors), ...);
  }

 private:
  template <class T>
  static void add(T& tensor) {
    sinter_test::calls_at_start().push_back([&tensor, host = tensor] {
      tensor = T(sinter::Tensor(host).to(sinter::current_device()));
    });
    sinter_test::calls_at_end().push_back([&tensor, host = tensor] { tensor = host; });
  }
};

}  // namespace testing
