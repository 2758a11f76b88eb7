// Compilers that are missing, refuse, crash or write garbage: nothing changes, and the message is
// printed once.

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "jit/support.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

// A fake compiler: runs `script`, which should write $out.
fs::path scripted_compiler(const std::string& name, const std::string& script) {
  const fs::path path = fs::path(SINTER_TEST_DIR) / "compiler_failures" / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in\n"
                         "*'###'*) echo 'scripted version 1'; exit 0;;\nesac\n"
                         "for word; do [ \"$before\" = -o ] && out=$word; before=$word; done\n"
                      << script << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

const auto step = [](Tensor& state, const Tensor& x) {
  state = state * 0.5f + rand({3}) * 0.0f + x;
  return sum(state);
};

// Removes the source file that the message says is kept.
void remove_kept_text(const std::string& message) {
  const auto start = message.find("text  ");
  if (start == std::string::npos) return;
  const std::string kept = message.substr(start + 6, message.find('\n', start) - start - 6);
  unlink(kept.c_str());
  rmdir(kept.substr(0, kept.rfind('/')).c_str());
}

}  // namespace

TEST_CASE("compiler_failures: a compiler that fails is an InternalError, and nothing changes") {
  const std::pair<const char*, const char*> compilers[]{
      {"refuses", "echo 'not today' >&2; exit 3"},
      {"crashes", "kill -11 $$"},
      {"silent", "exit 0"},
      {"nonsense", "echo 'this is no library' > $out"},
      {"foreign", "head -c 64 /dev/zero > $out"},
  };
  for (const auto& [name, script] : compilers) {
    INFO(std::string(name));
    const ScopedFreshCache fresh;
    reset();
    const auto f = compile(step);
    Tensor state = vector({1, 2, 3});
    const float* const address = state.data<float>();
    const Tensor x = vector({1, 1, 1});
    random::set_state({.seed = 3, .offset = 7});
    {
      const ScopedVariable chosen("SINTER_CXX", scripted_compiler(name, script).c_str());
      for (int again = 0; again < 10; ++again) {
        std::string message;
        try {
          f(state, x);
        } catch (const InternalError& error) {
          message = error.what();
        }
        CHECK(message.find("internal error: ") == 0);
        remove_kept_text(message);
        CHECK(near(state, {1, 2, 3}));
        CHECK(state.data<float>() == address);
        CHECK(random::state().offset == 7);
        CHECK_FALSE(is_recording());
        CHECK(f.stats().calls == 0);
      }
    }
    CHECK(near(f(state, x), {6}));
    CHECK(near(state, {1.5, 2, 2.5}));
    CHECK(f.stats().kernels_compiled >= 1);  // failures do not count towards the recompile limit
  }
}

TEST_CASE("compiler_failures: without a compiler there is one message, and calls run eagerly") {
  const ScopedFreshCache fresh;
  reset();
  const ScopedVariable chosen("SINTER_CXX", "/nonexistent/compiler");
  Tensor state = vector({1, 2, 3});
  const std::string text = said([&] {
    const auto f = compile(step);
    for (int i = 0; i < 3; ++i) f(state, vector({0, 0, 0}));
    const auto g = compile([](const Tensor& x) { return x * 2.0f; });
    CHECK(near(g(vector({1, 2})), {2, 4}));
    CHECK(f.stats().kernels_compiled == 0);
    CHECK(f.stats().recordings == 1);
  });
  CHECK(near(state, {0.125, 0.25, 0.375}));
  CHECK(count(text, "no C++ compiler: SINTER_CXX=/nonexistent/compiler is not a C++ compiler") <=
        1);
  CHECK(count(text, "\n") <= 1);
}

TEST_CASE("compiler_failures: a repaired compiler is used by the next recording") {
  const ScopedFreshCache fresh;
  reset();
  const auto twice = [](const Tensor& x) { return x + x; };
  {
    const ScopedVariable chosen("SINTER_CXX", "/nonexistent/compiler");
    said([&] { compile(twice)(vector({1, 2, 3, 4})); });
  }
  const auto f = compile(twice);
  CHECK(near(f(vector({1, 2, 3, 4})), {2, 4, 6, 8}));
  CHECK(f.stats().kernels_compiled == 1);
}
