#include "cache_harness.hpp"

TEST_CASE("cache: kernels are compiled and called") {
  const FreshCache fresh;

  const auto module = load_or_compile(unit({kernel(1), kernel(2)}));

  REQUIRE(module);
  CHECK(call(*module, 0) == 1);
  CHECK(call(*module, 1) == 2);
  CHECK(module->symbol("give_2") == module->function(1));
  CHECK(module->work().compiler_runs == 1);
  CHECK(module->work().kernels_compiled == 2);
  CHECK(module->work().disk_hits == 0);
}

TEST_CASE("cache: dladdr finds the name of a kernel, compiled or loaded from disk") {
  const FreshCache fresh;
  for (const std::int64_t hits : {0, 2}) {
    const auto module = load_or_compile(unit({kernel(1), kernel(2)}));
    CHECK(module->work().disk_hits == hits);
    for (const std::size_t i : {0u, 1u}) CHECK(name_at(module->function(i)) == module->name(i));
    forget_kernels();
  }
}

TEST_CASE("cache: a kernel that occurs in every layer is compiled once") {
  for (const int layers : {4, 64, 256}) {
    const FreshCache fresh;
    Vector<Source> kernels;
    for (int i = 0; i < layers; ++i) {
      kernels.push_back(kernel(10));
      kernels.push_back(kernel(11));
    }
    const auto module = load_or_compile(unit(kernels));

    CHECK(module->work().kernels_compiled == 2);
    CHECK(module->work().compiler_runs == 1);
    CHECK(call(*module, static_cast<std::size_t>(2 * layers - 1)) == 11);
  }
}

TEST_CASE("cache: a second request in one process is free, and depends on keys, not on text") {
  const FreshCache fresh;
  const auto first = load_or_compile(unit({kernel(1), kernel(2)}));
  Source reformatted = kernel(2, "another_name");
  reformatted.text = "// moved\n" + reformatted.text;

  const auto second = load_or_compile(unit({reformatted}));

  CHECK(second->work().compiler_runs == 0);
  CHECK(second->work().disk_hits == 0);
  CHECK(second->function(0) == first->function(1));
  CHECK(second->symbol("another_name") == second->function(0));
}

TEST_CASE("cache: only the kernels that are new are compiled") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1), kernel(2)}));

  const auto module = load_or_compile(unit({kernel(2), kernel(3)}));

  CHECK(module->work().kernels_compiled == 1);
  CHECK(call(*module, 0) == 2);
  CHECK(call(*module, 1) == 3);
}

TEST_CASE("cache: many kernels are compiled in several runs at once, with the same result") {
  const FreshCache fresh;
  Vector<Source> kernels;
  for (int i = 0; i < 40; ++i) {
    kernels.push_back(kernel(100 + i, "same_name"));
    kernels.back().text += std::string(200, '\n');
  }

  const auto module = load_or_compile(unit(kernels));

  CHECK(module->work().kernels_compiled == 40);
  CHECK(module->work().compiler_runs <= 2);
  for (int i = 0; i < 40; ++i) CHECK(call(*module, static_cast<std::size_t>(i)) == 100 + i);
  kernels[39].text = "this does not compile";
  kernels[39].key = {0, 39};
  CHECK(fails_to_compile(unit(kernels)));
}

TEST_CASE("cache: another process starts no compiler, whatever it asks for first") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1), kernel(2)}));
  load_or_compile(unit({kernel(3)}));
  forget_kernels();

  const auto module = load_or_compile(unit({kernel(3), kernel(2)}));

  CHECK(module->work().compiler_runs == 0);
  CHECK(module->work().disk_hits == 2);
  CHECK(call(*module, 0) == 3);
  CHECK(call(*module, 1) == 2);
  CHECK(load_or_compile(unit({kernel(1)}))->work().disk_hits == 0);  // came with its neighbour
}

TEST_CASE("cache: a process without a compiler uses kernels of another one on disk") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1), kernel(2)}));
  forget_kernels();
  setenv("SINTER_CXX", "/nonexistent/compiler", 1);

  const auto module = load_or_compile(unit({kernel(2)}));
  const auto missing = load_or_compile(unit({kernel(4)}));
  unsetenv("SINTER_CXX");

  REQUIRE(module);
  CHECK(call(*module, 0) == 2);
  CHECK(module->work().disk_hits == 1);
  CHECK_FALSE(missing);
}

TEST_CASE("cache: options are part of the key") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  TranslationUnit strict = unit({kernel(1)});
  strict.contraction = Contraction::off;
  TranslationUnit loops = unit({kernel(1)});
  loops.vectors = Vectors::by_compiler;

  for (const TranslationUnit& other : {strict, loops}) {
    CHECK(load_or_compile(other)->work().kernels_compiled == 1);
    CHECK(load_or_compile(other)->work().kernels_compiled == 0);
  }
}

TEST_CASE("cache: many threads that ask for one kernel compile it once") {
  const FreshCache fresh;
  const CompileStats before = total_compile_stats();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;

  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&right, i] {
      const int own = 20 + i % 2;
      const auto module = load_or_compile(unit({kernel(own), kernel(30), kernel(20)}));
      right += call(*module, 0) == own && call(*module, 1) == 30 && call(*module, 2) == 20;
    });
  }
  for (auto& thread : threads) thread.join();

  CHECK(right == 8);
  CHECK(total_compile_stats().kernels_compiled - before.kernels_compiled == 3);
}

TEST_CASE("cache: a compile error fails all requests for that kernel, and no others") {
  const FreshCache fresh;
  Source wrong = kernel(40);
  wrong.text = "extern \"C\" int give_40() { return }";
  std::atomic<int> thrown = 0, right = 0;
  std::vector<std::thread> threads;

  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      thrown += fails_to_compile(unit({wrong}));
      right += call(*load_or_compile(unit({kernel(41)}))) == 41;
    });
  }
  for (auto& thread : threads) thread.join();

  CHECK(thrown == 4);
  CHECK(right == 4);
  CHECK(call(*load_or_compile(unit({kernel(40)}))) == 40);
}

TEST_CASE("cache: a text that lacks its function is an InternalError") {
  const FreshCache fresh;
  Source wrong = kernel(1);
  wrong.name = "not_in_the_text";
  CHECK_THROWS_AS(load_or_compile(unit({wrong})), InternalError);
}
