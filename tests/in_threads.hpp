#pragma once
// Calls a function in many threads at once, for tests of what threads share.

#include <sinter/device/host/scoped_device.hpp>

#include <thread>
#include <vector>

namespace sinter_test {

/// Calls body(i) in thread i, for each of `count` threads whose device is `device`; returns when
/// all have ended.
template <class Body>
void in_threads(int count, sinter::Device device, Body body) {
  std::vector<std::thread> list;
  for (int i = 0; i < count; ++i) {
    list.emplace_back([&body, device, i] {
      const sinter::ScopedDevice scope(device);
      body(i);
    });
  }
  for (std::thread& thread : list) thread.join();
}

/// The same on the device of the calling thread.
template <class Body>
void in_threads(int count, Body body) {
  in_threads(count, sinter::current_device(), body);
}

}  // namespace sinter_test
