#include "disk_cache_harness.hpp"

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/cache/portable_cache.hpp>
#include <sinter/compile/cache/tuning_records.hpp>

namespace {

const TranslationUnit unit{};

}  // namespace

TEST_CASE("tuning_records: a record is found by this process and by later ones") {
  const FreshCache fresh;
  const TuningRecords winners(unit, "threads 2");
  CHECK_FALSE(winners.find(key(1)));
  winners.add(key(1), "unroll 4");
  CHECK(winners.find(key(1)) == "unroll 4");
  forget_kernels();
  CHECK(winners.find(key(1)) == "unroll 4");
  CHECK_FALSE(winners.find(key(2)));
}

TEST_CASE("tuning_records: contraction and the number of threads are part of the key") {
  const FreshCache fresh;
  TuningRecords(unit, "threads 2").add(key(1), "unroll 4");
  TranslationUnit strict = unit;
  strict.contraction = Contraction::off;
  CHECK_FALSE(TuningRecords(strict, "threads 2").find(key(1)));
  CHECK_FALSE(TuningRecords(unit, "threads 1").find(key(1)));
}

TEST_CASE("tuning_records: save_cache writes them") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/cache";
  {
    const FreshCache fresh;
    TuningRecords(unit, "").add(key(1), "default");
    compiler::save_cache(file);
  }
  const FreshCache fresh;
  CHECK_FALSE(TuningRecords(unit, "").find(key(1)));
  compiler::load_cache(file);
  CHECK(TuningRecords(unit, "").find(key(1)) == "default");
}

TEST_CASE("tuning_records: a damaged entry counts as missing, a failed write is no error") {
  const FreshCache fresh;
  const TuningRecords winners(unit, "");
  winners.add(key(1), "unroll 4");
  forget_kernels();
  for (const std::string& path : files(fresh.directory())) {
    const std::string whole = content_of(path);
    overwrite(path, whole.substr(0, whole.size() / 2));
  }
  CHECK_FALSE(winners.find(key(1)));
  const std::string before = set_cache_directory("/dev/null/sinter");
  winners.add(key(2), "default");
  CHECK(winners.find(key(2)) == "default");
  set_cache_directory(before);
}
