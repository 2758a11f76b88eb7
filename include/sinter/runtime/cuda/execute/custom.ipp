#pragma once

#include <cstring>  // std::memcmp

#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/execute/custom.hpp>
#include <sinter/runtime/interpreter/custom.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE CudaDriver::Address gpu_address(const void* pointer) {
  return reinterpret_cast<CudaDriver::Address>(pointer);
}

}  // namespace detail

SINTER_INLINE void call_on_host(CudaSubmission& work, const schedule::Control& control,
                                Span<void* const> pointers, Span<const std::int64_t> symbols,
                                Where where) {
  const CudaDriver::Handle stream = work.stream().handle;
  const auto inputs = static_cast<std::size_t>(control.inputs);
  await_others(work.context(), stream, where);
  Vector<Storage> copies;
  Vector<void*> addresses;
  for (std::size_t i = 0; i < control.types.size(); ++i) {
    const TensorType& type = control.types[i];
    const std::size_t bytes =
        static_cast<std::size_t>(evaluate(numel(type.shape), symbols)) * info(type.dtype).size;
    copies.push_back(Storage::allocate(bytes, cpu(), where, "copies for a host function"));
    addresses.push_back(copies.back().data());
    if (i >= inputs || bytes == 0) continue;
    work.check(work.driver().copy_to_host_async(addresses[i], detail::gpu_address(pointers[i]),
                                                bytes, stream),
               "cuMemcpyDtoHAsync");
  }
  await_stream(work.context(), stream, where);
  custom_stages().run(control, addresses.data(), symbols);
  for (std::size_t i = inputs; i < copies.size(); ++i) {
    if (copies[i].bytes() == 0) continue;
    work.check(work.driver().copy_to_device_async(detail::gpu_address(pointers[i]),
                                                  copies[i].data(), copies[i].bytes(), stream),
               "cuMemcpyHtoDAsync");
  }
  await_stream(work.context(), stream, where);
}

SINTER_INLINE GuardedMemory::GuardedMemory(CudaSubmission& work, const schedule::Kernel& kernel,
                                           Span<void* const> pointers,
                                           Span<const std::int64_t> bytes, Where where)
    : work_(work), kernel_(kernel), pointers_(pointers), bytes_(bytes), where_(where) {
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::size_t size = static_cast<std::size_t>(bytes[i]) + 2 * guard_bytes;
    const Storage& block =
        blocks_.emplace_back(Storage::allocate(size, work.context().device(), where, "guards"));
    guarded_.push_back(static_cast<std::byte*>(block.data()) + guard_bytes);
    work.writes(block);
    work.check(work.driver().set_bytes_async(device_address(block), guard_pattern, size,
                                             work.stream().handle),
               "cuMemsetD8Async");
    const bool is_operand = kernel.arguments[i].access == schedule::Access::read;
    if (is_operand) copy_on_device(pointers[i], guarded_[i], bytes[i]);
    before_.push_back(is_operand ? host_copy(i) : Storage());
  }
}

SINTER_INLINE void GuardedMemory::copy_on_device(const void* from, const void* to,
                                                 std::int64_t bytes) const {
  if (bytes == 0) return;
  work_.check(
      work_.driver().copy_on_device_async(detail::gpu_address(to), detail::gpu_address(from),
                                          static_cast<std::size_t>(bytes), work_.stream().handle),
      "cuMemcpyDtoDAsync");
}

SINTER_INLINE Storage GuardedMemory::host_copy(std::size_t argument) const {
  return copied_to(blocks_[argument], cpu(), where_);
}

SINTER_INLINE void GuardedMemory::finish() {
  const CustomCode& code = *kernel_.custom;
  std::int64_t operands = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const bool is_operand = kernel_.arguments[i].access == schedule::Access::read;
    const auto number = static_cast<std::int64_t>(i) - (is_operand ? 0 : operands);
    if (is_operand) ++operands;
    const Storage now = host_copy(i);
    const auto* const first = static_cast<const unsigned char*>(now.data());
    const auto* const last = first + guard_bytes + bytes_[i];
    for (std::size_t k = 0; k < guard_bytes; ++k) {
      if (first[k] == guard_pattern && last[k] == guard_pattern) continue;
      throw_custom_wrote(code.name, is_operand, number, true, code.where);
    }
    if (!is_operand) {
      copy_on_device(guarded_[i], pointers_[i], bytes_[i]);
    } else if (std::memcmp(first, before_[i].data(), now.bytes()) != 0) {
      throw_custom_wrote(code.name, true, number, false, code.where);
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
