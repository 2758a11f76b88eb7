#pragma once

#include <dlfcn.h>  // dlopen, dlsym, dlclose, dlerror

#include <sinter/device/library.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Library::Library(const std::initializer_list<std::string>& paths) {
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) break;
    const char* const error = dlerror();
    if (reason_.empty()) reason_ = error == nullptr ? path + ": cannot be opened" : error;
  }
  if (handle_ != nullptr) reason_.clear();
}

SINTER_INLINE Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

SINTER_INLINE void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace sinter::inline SINTER_ABI
