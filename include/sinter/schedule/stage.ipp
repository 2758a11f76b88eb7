#pragma once

#include <sys/stat.h>  // mkdir

#include <atomic>  // std::atomic
#include <cstdio>  // std::FILE

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/base/text.hpp>
#include <sinter/schedule/stage.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The files that a thread has written for its current graph.
struct DumpedGraph {
  int number = 0;
  Vector<std::string> names{};
};

}  // namespace detail

SINTER_INLINE void begin_dump() {
  if (!dumps()) return;
  static std::atomic<int> count{0};
  per_thread<detail::DumpedGraph>() = {count++, {}};
}

SINTER_INLINE void dump(std::string_view name, std::string_view content) {
  const std::string directory(env(Env::dump));
  if (directory.empty()) return;
  mkdir(directory.c_str(), 0777);
  detail::DumpedGraph& graph = per_thread<detail::DumpedGraph>();
  const bool is_new = none_of(graph.names, [&](const std::string& one) { return one == name; });
  if (is_new) graph.names.push_back(std::string(name));
  const std::string number = std::to_string(1000 + graph.number).substr(1);
  const std::string path = text(directory, "/", number, "_", name);
  std::FILE* const file = std::fopen(path.c_str(), is_new ? "w" : "a");
  if (file == nullptr) return warn(text("SINTER_DUMP: cannot write ", path));
  std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
