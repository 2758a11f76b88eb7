#include "cache_harness.hpp"

#include <sinter/base/container/shared_ptr.hpp>

TEST_CASE("cache: damaged entries are compiled again, and replaced") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  std::string path, whole;
  for (const std::string& file : files(fresh.directory())) {
    if (content_of(file).find("give_1") != std::string::npos) path = file;
  }
  whole = content_of(path);
  REQUIRE(whole.size() > 1000);
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 4);

  for (const std::string& damaged : {flipped, whole.substr(0, 700), std::string(), "x" + whole}) {
    overwrite(path, damaged);
    forget_kernels();
    const auto module = load_or_compile(unit({kernel(1)}));
    CHECK(call(*module) == 1);
    CHECK(module->work().kernels_compiled == 1);
    CHECK(module->work().disk_hits == 0);
    CHECK(content_of(path) == whole);
  }
}

TEST_CASE("cache: an entry that is whole but does not load is compiled again") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  for (const std::string& file : files(fresh.directory())) {
    auto entry = deserialize(content_of(file)).value();
    if (entry.payload.find("give_1\n") != 0) continue;
    entry.payload = "give_1\nno library";
    overwrite(file, serialize(entry));
  }
  forget_kernels();

  const auto module = load_or_compile(unit({kernel(1)}));

  CHECK(call(*module) == 1);
  CHECK(module->work().kernels_compiled == 1);
}

TEST_CASE("cache: two processes at once get the same kernels") {
  const FreshCache fresh;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto module = load_or_compile(unit({kernel(1), kernel(2)}));
      _exit(module && call(*module, 0) == 1 && call(*module, 1) == 2 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(load_or_compile(unit({kernel(2)}))->work().disk_hits == 1);
}

TEST_CASE("cache: without a directory kernels are compiled, with one message") {
  const std::string errors = errors_of_child([] {
    const FreshCache fresh;
    overwrite(fresh.directory() + "/file", "");
    set_cache_directory(fresh.directory() + "/file/below");
    bool good = true;
    for (const int value : {1, 2, 3}) {
      good = good && call(*load_or_compile(unit({kernel(value)}))) == value;
    }
    forget_kernels();
    const auto module = load_or_compile(unit({kernel(1)}));
    return good && call(*module) == 1 && module->work().kernels_compiled == 1;
  });
  CHECK(errors.find("sinter: compiled kernels are not cached on disk: ") == 0);
  CHECK(errors.find('\n') == errors.size() - 1);
}

TEST_CASE("cache: on a full disk kernels are compiled, with one message") {
  const TemporaryDirectory mount_point;
  if (mount("none", mount_point.path().c_str(), "tmpfs", 0, "size=8k") != 0) {
    MESSAGE("skipped: a small file system cannot be mounted here");
    return;
  }
  const std::string errors = errors_of_child([&] {
    const FreshCache fresh;
    set_cache_directory(mount_point.path());
    chmod(mount_point.path().c_str(), 0700);
    bool good = true;
    for (const int value : {1, 2, 3}) {
      good = good && call(*load_or_compile(unit({kernel(value)}))) == value;
    }
    return good;
  });
  umount(mount_point.path().c_str());
  CHECK(errors.find("No space left on device") != std::string::npos);
  CHECK(errors.find('\n') == errors.size() - 1);
}

TEST_CASE("cache: without a compiler there is no module, and one message; stored kernels work") {
  const FreshCache fresh;
  const TemporaryDirectory directory;
  const std::string saved = directory.path() + "/saved";
  load_or_compile(unit({kernel(1)}));
  compiler::save_cache(saved);

  const std::string errors = errors_of_child([&] {
    const FreshCache nothing;
    setenv("PATH", "/nonexistent", 1);
    unsetenv("SINTER_CXX");
    bool good = load_or_compile(unit({kernel(50)})) == nullptr;
    good = good && load_or_compile(unit({kernel(51)})) == nullptr;
    compiler::load_cache(saved);
    const auto module = load_or_compile(unit({kernel(1)}));
    return good && module && call(*module) == 1 && module->work().disk_hits == 1;
  });

  CHECK(errors.find("sinter: no C++ compiler: there is no c++, g++ or clang++ on PATH") == 0);
  CHECK(errors.find('\n') == errors.size() - 1);
}

TEST_CASE("cache: a fresh cache is empty, and restores the previous one") {
  const FreshCache outer;
  load_or_compile(unit({kernel(1)}));
  {
    const FreshCache inner;
    CHECK(load_or_compile(unit({kernel(1)}))->work().kernels_compiled == 1);
  }
  CHECK(load_or_compile(unit({kernel(1)}))->work().kernels_compiled == 0);
}

TEST_CASE("cache: a module outlives the cache") {
  SharedPtr<const compiler::Module> module;
  {
    const FreshCache fresh;
    module = load_or_compile(unit({kernel(9)}));
  }
  CHECK(call(*module) == 9);
}

TEST_CASE("cache: CUDA kernels are compiled and cached like others") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: " << nvrtc_missing());
    return;
  }
  const FreshCache fresh;
  TranslationUnit cuda = unit({});
  cuda.language = Language::cuda;
  cuda.architecture = "sm_90";
  cuda.kernels.push_back({.language = Language::cuda,
                          .name = "twice",
                          .text = "extern \"C\" __global__ void twice(float* x) { *x *= 2; }",
                          .key = {1, 1}});

  const auto module = load_or_compile(cuda);
  CHECK(module->work().kernels_compiled == 1);
  CHECK(module->kernel(0).binary->bytes().substr(1, 3) == "ELF");
  CHECK(module->kernel(0).symbol == "twice");
  forget_kernels();

  CHECK(load_or_compile(cuda)->work().disk_hits == 1);
  cuda.architecture = "sm_80";
  CHECK(load_or_compile(cuda)->work().kernels_compiled == 1);
}
