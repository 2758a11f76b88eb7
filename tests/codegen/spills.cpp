// Compiles with NVRTC all programs that tests compiled: `./tests/run --spills` runs this last.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include <sinter/base/error.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>

#include "../skip.hpp"
#include "nvrtc_check.hpp"

using namespace kernels;

namespace {

namespace fs = std::filesystem;

// The programs saved in `folder`, the slowest first.
std::vector<fs::path> programs_in(const fs::path& folder) {
  std::vector<std::pair<std::uintmax_t, fs::path>> found;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".cu") found.emplace_back(file.file_size(), file.path());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> result;
  for (auto& [size, path] : found) result.push_back(std::move(path));
  return result;
}

// Compiles programs on all cores, and lists those that spill.
class SpillCheck {
 public:
  explicit SpillCheck(const fs::path& folder) : programs_(programs_in(folder)) {
    std::vector<std::jthread> threads(std::max(std::thread::hardware_concurrency(), 1u));
    for (std::jthread& thread : threads) thread = std::jthread([this] { work(); });
  }

  std::size_t size() const { return programs_.size(); }
  const std::string& spilling() const { return spilling_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < programs_.size(); i = next_++) {
      for (const char* const architecture : {"sm_80", "sm_90"}) compile(programs_[i], architecture);
    }
  }
  void compile(const fs::path& path, const std::string& architecture) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::string first = text.substr(0, text.find('\n'));
    const bool contract = first.find("--fmad=true") != std::string::npos;
    std::string log, found;
    try {
      using enum compiler::Contraction;
      const compiler::TranslationUnit unit{.language = Language::cuda,
                                           .architecture = architecture,
                                           .contraction = contract ? fast : off};
      log = compiler::compile_cuda(unit, text, compiler::Resources::listed).log;
      found = spills(log);
    } catch (const std::exception& error) {
      found = error.what();
    }
    const std::scoped_lock lock(mutex_);
    list_registers(log, architecture);
    if (found.empty()) return;
    spilling_ +=
        sinter::detail::text(architecture, " ", path.string(), "\n", first, "\n", found, "\n");
  }

  std::vector<fs::path> programs_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_{};
  std::string spilling_{};
};

}  // namespace

TEST_CASE("spills: NVRTC compiles the programs of all tests for sm_80 and sm_90, without spills") {
  const char* const folder = std::getenv("SINTER_TEST_SPILLS");
  if (folder == nullptr) SINTER_SKIP("SINTER_TEST_SPILLS names no folder of programs");
  if (nvrtc() == nullptr) SINTER_SKIP(nvrtc_missing().c_str());
  const SpillCheck check(folder);
  MESSAGE(check.size(), " programs");
  REQUIRE(check.size() != 0);  // no test ran on the emulator
  std::ofstream(fs::path(folder) / "spills.txt") << check.spilling();
  CHECK(check.spilling() == "");
}
