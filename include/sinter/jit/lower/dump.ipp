#pragma once

#include <sys/stat.h>  // mkdir

#include <atomic>  // std::atomic
#include <cstdio>  // std::FILE

#include <sinter/base/env.hpp>
#include <sinter/base/log.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/lower/dump.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE void write_text(const std::string& path, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return warn(text("SINTER_DUMP: cannot write ", path));
  std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
}

}  // namespace detail

SINTER_INLINE void dump(const Graph& recorded, const Graph& optimized, const schedule::Plan& plan,
                        const compiler::TranslationUnit& unit) {
  const std::string directory(env(Env::dump));
  if (directory.empty()) return;
  mkdir(directory.c_str(), 0777);
  static std::atomic<int> count{0};
  const std::string number = std::to_string(1000 + count++).substr(1);
  const std::string start = text(directory, "/", number, "_");
  detail::write_text(start + "graph.txt", to_string(recorded));
  detail::write_text(start + "optimized.txt", to_string(optimized));
  detail::write_text(start + "plan.txt", to_string(plan));
  const bool is_cuda = unit.language == Language::cuda;
  detail::write_text(start + (is_cuda ? "kernels.cu" : "kernels.cpp"), assemble(unit).text);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
