#pragma once

#include <sinter/base/text.hpp>
#include <sinter/device/cuda/driver.hpp>
#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct LoadedCudaDriver {
  SharedLibrary library{};
  CudaDriver table{};
  std::string reason{};
};

SINTER_INLINE bool find_machine(const SharedLibrary& library, CudaDriver& table) {
  return library.find("cuInit", table.init) && library.find("cuDriverGetVersion", table.version) &&
         library.find("cuGetErrorName", table.error_name) &&
         library.find("cuGetErrorString", table.error_string) &&
         library.find("cuDeviceGetCount", table.device_count) &&
         library.find("cuDeviceGet", table.device) &&
         library.find("cuDeviceGetName", table.device_name) &&
         library.find("cuDeviceGetAttribute", table.device_attribute) &&
         library.find("cuDeviceTotalMem_v2", table.device_memory) &&
         library.find("cuDeviceCanAccessPeer", table.can_access_peer) &&
         library.find("cuDevicePrimaryCtxRetain", table.retain_context) &&
         library.find("cuDevicePrimaryCtxRelease_v2", table.release_context) &&
         library.find("cuCtxSetCurrent", table.set_context) &&
         library.find("cuCtxGetCurrent", table.context) &&
         library.find("cuCtxEnablePeerAccess", table.enable_peer_access) &&
         library.find("cuCtxSynchronize", table.synchronize);
}

SINTER_INLINE bool find_modules(const SharedLibrary& library, CudaDriver& table) {
  return library.find("cuModuleLoadData", table.load_module) &&
         library.find("cuModuleUnload", table.unload_module) &&
         library.find("cuModuleGetFunction", table.function) &&
         library.find("cuModuleGetGlobal_v2", table.global) &&
         library.find("cuFuncGetAttribute", table.function_attribute) &&
         library.find("cuFuncSetAttribute", table.set_function_attribute) &&
         library.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", table.occupancy) &&
         library.find("cuLaunchKernel", table.launch);
}

SINTER_INLINE bool find_memory(const SharedLibrary& library, CudaDriver& table) {
  return library.find("cuMemAlloc_v2", table.allocate) &&
         library.find("cuMemFree_v2", table.free) &&
         library.find("cuMemGetInfo_v2", table.memory_info) &&
         library.find("cuMemHostAlloc", table.allocate_host) &&
         library.find("cuMemFreeHost", table.free_host) &&
         library.find("cuMemcpyHtoD_v2", table.copy_to_device) &&
         library.find("cuMemcpyDtoH_v2", table.copy_to_host) &&
         library.find("cuMemcpyHtoDAsync_v2", table.copy_to_device_async) &&
         library.find("cuMemcpyDtoHAsync_v2", table.copy_to_host_async) &&
         library.find("cuMemcpyDtoDAsync_v2", table.copy_on_device_async) &&
         library.find("cuMemcpyPeerAsync", table.copy_to_peer_async) &&
         library.find("cuMemsetD8Async", table.set_bytes_async) &&
         library.find("cuMemsetD32Async", table.set_words_async);
}

SINTER_INLINE bool find_streams(const SharedLibrary& library, CudaDriver& table) {
  return library.find("cuStreamCreate", table.create_stream) &&
         library.find("cuStreamDestroy_v2", table.destroy_stream) &&
         library.find("cuStreamSynchronize", table.synchronize_stream) &&
         library.find("cuStreamQuery", table.query_stream) &&
         library.find("cuStreamWaitEvent", table.wait_event) &&
         library.find("cuEventCreate", table.create_event) &&
         library.find("cuEventDestroy_v2", table.destroy_event) &&
         library.find("cuEventRecord", table.record_event) &&
         library.find("cuEventQuery", table.query_event) &&
         library.find("cuEventSynchronize", table.synchronize_event) &&
         library.find("cuEventElapsedTime", table.elapsed);
}

SINTER_INLINE bool find_graphs(const SharedLibrary& library, CudaDriver& table) {
  library.find("cuGraphConditionalHandleCreate", table.create_condition);
  library.find("cuGraphAddNode", table.add_node);
  return library.find("cuGraphCreate", table.create_graph) &&
         library.find("cuGraphDestroy", table.destroy_graph) &&
         library.find("cuGraphAddKernelNode", table.add_kernel_node) &&
         library.find("cuGraphAddMemcpyNode", table.add_copy_node) &&
         library.find("cuGraphAddMemsetNode", table.add_set_node) &&
         library.find("cuGraphAddChildGraphNode", table.add_child_node) &&
         library.find("cuGraphInstantiateWithFlags", table.instantiate_graph) &&
         library.find("cuGraphExecDestroy", table.destroy_executable) &&
         library.find("cuGraphLaunch", table.launch_graph) &&
         library.find("cuGraphExecKernelNodeSetParams", table.set_kernel_node) &&
         library.find("cuGraphExecMemcpyNodeSetParams", table.set_copy_node) &&
         library.find("cuGraphExecMemsetNodeSetParams", table.set_set_node) &&
         library.find("cuGraphExecChildGraphNodeSetParams", table.set_child_node) &&
         library.find("cuStreamBeginCapture_v2", table.begin_capture) &&
         library.find("cuStreamEndCapture", table.end_capture);
}

SINTER_INLINE bool find_functions(const SharedLibrary& library, CudaDriver& table) {
  return find_machine(library, table) && find_modules(library, table) &&
         find_memory(library, table) && find_streams(library, table) && find_graphs(library, table);
}

SINTER_INLINE std::string cuda_error_text(const CudaDriver& table, int result) {
  const char* words = nullptr;
  if (table.error_string != nullptr) table.error_string(result, &words);
  return words == nullptr ? text("error ", result) : words;
}

SINTER_INLINE LoadedCudaDriver load_cuda_driver() {
  LoadedCudaDriver result;
  result.library = SharedLibrary({"libcuda.so.1"});
  if (!result.library) {
    result.reason = "the CUDA driver was not found: " + result.library.reason();
  } else if (!find_functions(result.library, result.table)) {
    result.reason = "the CUDA driver on this machine is older than CUDA 11.4";
  } else if (const int error = result.table.init(0); error != 0) {
    result.reason =
        text("the CUDA driver does not start: ", cuda_error_text(result.table, error), " (", error,
             error == CudaDriver::no_device ? ": no GPU, or none that this process may use)" : ")");
  }
  return result;
}

SINTER_INLINE const LoadedCudaDriver& loaded_cuda_driver() {
  static const auto& instance = *new LoadedCudaDriver(load_cuda_driver());
  return instance;
}

SINTER_INLINE std::atomic<const CudaDriver*>& cuda_driver_replacement() {
  static auto& instance = *new std::atomic<const CudaDriver*>(nullptr);
  return instance;
}

SINTER_INLINE std::atomic<void (*)()>& cuda_driver_change() {
  static auto& instance = *new std::atomic<void (*)()>(nullptr);
  return instance;
}

SINTER_INLINE const CudaDriver* cuda_driver() {
  if (const CudaDriver* const table = detail::cuda_driver_replacement().load()) return table;
  const detail::LoadedCudaDriver& loaded = detail::loaded_cuda_driver();
  return loaded.reason.empty() ? &loaded.table : nullptr;
}

SINTER_INLINE const std::string& cuda_missing() {
  static const auto& nothing = *new std::string;
  if (detail::cuda_driver_replacement().load() != nullptr) return nothing;
  return detail::loaded_cuda_driver().reason;
}

SINTER_INLINE const CudaDriver* replace_cuda_driver(const CudaDriver* table) {
  if (const auto close = detail::cuda_driver_change().load()) close();
  return detail::cuda_driver_replacement().exchange(table);
}

}  // namespace sinter::inline SINTER_ABI::detail
