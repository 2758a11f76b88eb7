#pragma once
// What the tests of the cache share.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/base/error.hpp>
#include <sinter/compile/cache.hpp>
#include <sinter/device/nvrtc.hpp>

using namespace sinter;
using namespace sinter::compiler;

namespace {

// A kernel that gives `value`; its key says no more than that.
[[maybe_unused]] Source kernel(int value, const std::string& name = "") {
  Source source{.language = Language::cpp, .name = name};
  if (name.empty()) source.name = "give_" + std::to_string(value);
  source.text = "extern \"C\" int " + source.name + "() { return " + std::to_string(value) + "; }";
  source.key = {7, static_cast<std::uint64_t>(value)};
  return source;
}

[[maybe_unused]] TranslationUnit unit(std::vector<Source> kernels) {
  return {.kernels = std::move(kernels), .fingerprint = "test"};
}

[[maybe_unused]] int call(const Module& module, std::size_t index = 0) {
  return reinterpret_cast<int (*)()>(module.function(index))();
}

[[maybe_unused]] std::vector<std::string> files(const std::string& directory) {
  std::vector<std::string> result;
  DIR* const open_directory = opendir(directory.c_str());
  while (const dirent* const item = readdir(open_directory)) {
    if (item->d_type == DT_REG) result.push_back(directory + "/" + item->d_name);
  }
  closedir(open_directory);
  return result;
}

[[maybe_unused]] std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[maybe_unused]] void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// What a child process writes on standard error while it runs `body`.
[[maybe_unused]] std::string errors_of_child(const std::function<bool()>& body) {
  const File errors = anonymous_file();
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors.descriptor(), 2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0 ? read_all(errors).value_or("?") : "the child failed";
}

// True if compiling fails as an error of ours; removes the text that is kept for the report.
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
