#pragma once

#include <dlfcn.h>   // dlopen, dlsym, dlclose, dlerror
#include <unistd.h>  // access

#include <cstdlib>  // std::getenv
#include <vector>   // std::vector

#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail {

// "<value of the variable>/lib64/", or a folder that does not exist.
SINTER_INLINE std::string toolkit_folder(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "/nonexistent/" : std::string(value) + "/lib64/";
}

SINTER_INLINE SharedLibrary::SharedLibrary(const std::string* first, const std::string* last) {
  for (; first != last && handle_ == nullptr; ++first) {
    handle_ = dlopen(first->c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) break;
    const char* const error = dlerror();
    if (reason_.empty()) reason_ = error == nullptr ? *first + ": cannot be opened" : error;
  }
  if (handle_ != nullptr) reason_.clear();
}

SINTER_INLINE SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

SINTER_INLINE void* SharedLibrary::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

SINTER_INLINE SharedLibrary toolkit_library(const std::initializer_list<std::string>& names) {
  const std::string folders[]{"", detail::toolkit_folder("CUDA_HOME"),
                              detail::toolkit_folder("CUDA_PATH"), "/usr/local/cuda/lib64/"};
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return SharedLibrary(paths.data(), paths.data() + paths.size());
}

SINTER_INLINE std::string toolkit_file(const std::string& name) {
  for (const std::string& folder :
       {detail::toolkit_folder("CUDA_HOME"), detail::toolkit_folder("CUDA_PATH"),
        std::string("/usr/local/cuda/lib64/")}) {
    if (access((folder + name).c_str(), R_OK) == 0) return folder + name;
  }
  return "";
}

}  // namespace sinter::inline SINTER_ABI::detail
