#pragma once
// What the tests of the cache share.

#include <atomic>
#include <thread>

#include <dlfcn.h>
#include <sys/mount.h>

#include <sinter/base/error.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/cache/portable_cache.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>

#include "disk_cache_harness.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

// A kernel that gives `value`; its key says no more than that.
[[maybe_unused]] Source kernel(int value, const std::string& name = "") {
  Source source{.language = Language::cpp, .name = name};
  if (name.empty()) source.name = "give_" + std::to_string(value);
  source.text = "extern \"C\" int " + source.name + "() { return " + std::to_string(value) + "; }";
  source.key = {7, static_cast<std::uint64_t>(value)};
  return source;
}

[[maybe_unused]] TranslationUnit unit(Vector<Source> kernels) {
  return {.kernels = std::move(kernels)};
}

[[maybe_unused]] int call(const compiler::Module& module, std::size_t index = 0) {
  return reinterpret_cast<int (*)()>(module.function(index))();
}

// The name that dladdr, and so a profiler, finds for a function.
[[maybe_unused]] std::string name_at(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_sname != nullptr ? info.dli_sname : "";
}

// True if compiling throws InternalError; removes the text that is kept for the report.
[[maybe_unused]] bool fails_to_compile(const TranslationUnit& wrong) {
  try {
    load_or_compile(wrong);
  } catch (const InternalError& error) {
    const std::string message = error.what();
    const auto start = message.find("text  ") + 6;
    const std::string path = message.substr(start, message.find('\n', start) - start);
    return unlink(path.c_str()) == 0 && rmdir(path.substr(0, path.rfind('/')).c_str()) == 0;
  }
  return false;
}

}  // namespace
