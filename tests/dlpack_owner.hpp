#pragma once
// Owners of DLPack tensors that call the deleter when they are destroyed, as other libraries do.

#include <memory>

namespace sinter_test {

template <class Managed>
struct Deleter {
  void operator()(Managed* managed) const { managed->deleter(managed); }
};

template <class Managed>
std::unique_ptr<Managed, Deleter<Managed>> owned(Managed* managed) {
  return std::unique_ptr<Managed, Deleter<Managed>>(managed);
}

}  // namespace sinter_test
