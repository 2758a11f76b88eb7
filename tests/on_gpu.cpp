// Runs host tests on a GPU: with SINTER_TEST_DEVICE=cuda, every test case creates its tensors on an
// emulated or real GPU, and its checks must hold there too.

#include <doctest/doctest.h>

#include <cstdio>   // std::printf, std::fflush
#include <cstdlib>  // std::_Exit
#include <optional>
#include <string>
#include <vector>

#include <sinter/device/host/scoped_device.hpp>

#include "cuda_emulator/gpus.hpp"
#include "listener.hpp"
#include "moved.hpp"

namespace {

struct OnGpu : sinter_test::Listener {
  explicit OnGpu(const doctest::ContextOptions&) {}

  void test_run_start() override {
    if (!sinter_test::on_gpu()) return;
    const std::string missing = emulator::missing_gpus(1);
    if (missing.empty()) return;
    std::printf("skipped: %s\n", missing.c_str());
    std::fflush(stdout);
    std::_Exit(77);
  }
  void test_case_start(const doctest::TestCaseData& test) override {
    name_ = test.m_name;
    begin();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {
    end();
    begin();
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override { end(); }

 private:
  void begin() {
    if (!sinter_test::on_gpu()) return;
    gpus_.emplace();
    scope_.emplace(sinter::cuda());
    for (const auto& call : sinter_test::calls_at_start()) call();
  }
  void end() {
    if (!gpus_) return;
    for (const auto check : sinter_test::checks_at_end()) fail(check());
    for (const auto& call : sinter_test::calls_at_end()) call();
    fail(gpus_->reports());
    scope_.reset();
    gpus_.reset();
  }
  // For doctest the test case has ended, so CHECK cannot fail it.
  void fail(const std::vector<std::string>& reports) const {
    for (const std::string& report : reports) {
      std::printf("ERROR: %s: %s\n", name_.c_str(), report.c_str());
      ++sinter_test::late_failures;
    }
  }

  std::string name_{};
  std::optional<emulator::Gpus> gpus_{};
  std::optional<sinter::ScopedDevice> scope_{};
};

REGISTER_LISTENER("on gpu", 1, OnGpu);

}  // namespace
