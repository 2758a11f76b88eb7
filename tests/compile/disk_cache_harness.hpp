#pragma once
// What the tests of the disk cache share.

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/compile/cache/disk_cache.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::compiler;

namespace {

[[maybe_unused]] Hash key(std::uint64_t number) { return {number, number * 31}; }

[[maybe_unused]] CacheEntry entry(std::uint64_t number, const std::string& payload) {
  return {.environment = "g++ -O1", .keys = {key(number)}, .payload = payload};
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

[[maybe_unused]] void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

[[maybe_unused]] std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[maybe_unused]] void set_age(const std::string& path, std::time_t seconds) {
  const timespec time{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {time, time};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
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

[[maybe_unused]] std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++result;
  return result;
}

}  // namespace
