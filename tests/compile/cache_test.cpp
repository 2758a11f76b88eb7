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
Source kernel(int value, const std::string& name = "") {
  Source source{.language = Language::cpp, .name = name};
  if (name.empty()) source.name = "give_" + std::to_string(value);
  source.text = "extern \"C\" int " + source.name + "() { return " + std::to_string(value) + "; }";
  source.key = {7, static_cast<std::uint64_t>(value)};
  return source;
}

TranslationUnit unit(std::vector<Source> kernels) {
  return {.kernels = std::move(kernels), .fingerprint = "test"};
}

int call(const Module& module, std::size_t index = 0) {
  return reinterpret_cast<int (*)()>(module.function(index))();
}

std::vector<std::string> files(const std::string& directory) {
  std::vector<std::string> result;
  DIR* const open_directory = opendir(directory.c_str());
  while (const dirent* const item = readdir(open_directory)) {
    if (item->d_type == DT_REG) result.push_back(directory + "/" + item->d_name);
  }
  closedir(open_directory);
  return result;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// What a child process writes on standard error while it runs `body`.
std::string errors_of_child(const std::function<bool()>& body) {
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
bool fails_to_compile(const TranslationUnit& wrong) {
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

TEST_CASE("cache: a kernel that occurs in every layer is compiled once") {
  for (const int layers : {4, 64, 256}) {
    const FreshCache fresh;
    std::vector<Source> kernels;
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

TEST_CASE("cache: a second time in one process costs nothing, and text does not matter") {
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
  std::vector<Source> kernels;
  for (int i = 0; i < 40; ++i) kernels.push_back(kernel(100 + i, "same_name"));

  const auto module = load_or_compile(unit(kernels));

  CHECK(module->work().kernels_compiled == 40);
  CHECK(module->work().compiler_runs <= 10);
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

TEST_CASE("cache: options, stages and machine are part of the key") {
  const FreshCache fresh;
  load_or_compile(unit({kernel(1)}));
  TranslationUnit strict = unit({kernel(1)});
  strict.contraction = Contraction::off;
  TranslationUnit newer = unit({kernel(1)});
  newer.fingerprint = "newer stages";
  TranslationUnit loops = unit({kernel(1)});
  loops.vectors = Vectors::by_compiler;

  for (const TranslationUnit& other : {strict, newer, loops}) {
    CHECK(load_or_compile(other)->work().kernels_compiled == 1);
    CHECK(load_or_compile(other)->work().kernels_compiled == 0);
  }
}

TEST_CASE("cache: many threads that ask for one kernel compile it once") {
  const FreshCache fresh;
  const Work before = total_work();
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
  CHECK(total_work().kernels_compiled - before.kernels_compiled == 3);
}

TEST_CASE("cache: what does not compile fails for everybody who asks, and for nobody else") {
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

TEST_CASE("cache: damaged entries are compiled again, and mended") {
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
  CHECK(errors.find("sinter: compiled kernels are not kept on disk: ") == 0);
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
  save_cache(saved);

  const std::string errors = errors_of_child([&] {
    setenv("PATH", "/nonexistent", 1);
    unsetenv("SINTER_CXX");
    bool good = load_or_compile(unit({kernel(50)})) == nullptr;
    good = good && load_or_compile(unit({kernel(51)})) == nullptr;
    load_cache(saved);
    const auto module = load_or_compile(unit({kernel(1)}));
    return good && module && call(*module) == 1 && module->work().disk_hits == 1;
  });

  CHECK(errors.find("sinter: no C++ compiler: there is no c++, g++ or clang++ on PATH") == 0);
  CHECK(errors.find('\n') == errors.size() - 1);
}

TEST_CASE("cache: a saved file gives its kernels without compiling, as often as it is loaded") {
  const TemporaryDirectory directory;
  const std::string saved = directory.path() + "/saved";
  {
    const FreshCache fresh;
    load_or_compile(unit({kernel(1), kernel(2)}));
    load_or_compile(unit({kernel(3)}));
    save_cache(saved);
    save_cache(saved);
  }
  const FreshCache fresh;
  load_cache(saved);
  load_cache(saved);

  const auto module = load_or_compile(unit({kernel(2), kernel(3)}));

  CHECK(module->work().compiler_runs == 0);
  CHECK(module->work().disk_hits == 2);
  CHECK(call(*module, 1) == 3);
}

TEST_CASE("cache: a file that cannot be read, written or understood is an IoError") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/damaged";
  overwrite(path, std::string(100, 'x'));

  CHECK_THROWS_WITH_AS(load_cache(path), doctest::Contains("load_cache: the file is damaged"),
                       IoError);
  CHECK_THROWS_WITH_AS(load_cache("/nonexistent/file"),
                       doctest::Contains("No such file or directory"), IoError);
  CHECK_THROWS_WITH_AS(save_cache("/nonexistent/file"),
                       doctest::Contains("save_cache: the file cannot be written"), IoError);
}

TEST_CASE("cache: a fresh cache is empty, and gives back what there was") {
  const FreshCache outer;
  load_or_compile(unit({kernel(1)}));
  {
    const FreshCache inner;
    CHECK(load_or_compile(unit({kernel(1)}))->work().kernels_compiled == 1);
  }
  CHECK(load_or_compile(unit({kernel(1)}))->work().kernels_compiled == 0);
}

TEST_CASE("cache: a module outlives the cache") {
  std::shared_ptr<const Module> module;
  {
    const FreshCache fresh;
    module = load_or_compile(unit({kernel(9)}));
  }
  CHECK(call(*module) == 9);
}

TEST_CASE("cache: CUDA kernels are compiled and kept like others") {
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
