// test: alone
#include <doctest/doctest.h>

#include <sinter/dist/backend/nccl/table.hpp>

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <cstddef>
#include <type_traits>
#endif

using namespace sinter::detail::nccl;

// The table is written without the header of NCCL; if that is installed, it checks it.
#if __has_include(<nccl.h>)
namespace {

template <class Ours, class Theirs>
constexpr bool takes_the_same = false;
// Handles are void*, enumerations int, and the structures are UniqueId and Config.
template <class Ours, class Theirs>
constexpr bool passes_as = std::is_same_v<Ours, Theirs> ||
                           (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) ||
                           (std::is_same_v<Ours, int> && std::is_enum_v<Theirs> &&
                            sizeof(Theirs) == sizeof(int)) ||
                           (std::is_same_v<Ours, UniqueId> && std::is_same_v<Theirs, ncclUniqueId>);
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) constexpr bool takes_the_same<R (*)(A...), S (*)(B...)> =
    passes_as<R, S> && (passes_as<A, B> && ...);

#define SAME_FUNCTION(member, function) \
  static_assert(takes_the_same<decltype(Functions::member), decltype(&function)>)
#define SAME_NUMBER(ours, theirs) static_assert(int{Functions::ours} == static_cast<int>(theirs))

SAME_FUNCTION(version, ncclGetVersion);
SAME_FUNCTION(error_string, ncclGetErrorString);
SAME_FUNCTION(last_error, ncclGetLastError);
SAME_FUNCTION(unique_id, ncclGetUniqueId);
SAME_FUNCTION(create, ncclCommInitRankConfig);
SAME_FUNCTION(destroy, ncclCommDestroy);
SAME_FUNCTION(abort, ncclCommAbort);
SAME_FUNCTION(async_error, ncclCommGetAsyncError);
SAME_FUNCTION(group_start, ncclGroupStart);
SAME_FUNCTION(group_end, ncclGroupEnd);
SAME_FUNCTION(all_reduce, ncclAllReduce);
SAME_FUNCTION(reduce, ncclReduce);
SAME_FUNCTION(broadcast, ncclBroadcast);
SAME_FUNCTION(reduce_scatter, ncclReduceScatter);
SAME_FUNCTION(all_gather, ncclAllGather);
SAME_FUNCTION(send, ncclSend);
SAME_FUNCTION(receive, ncclRecv);

SAME_NUMBER(i8, ncclInt8);
SAME_NUMBER(u8, ncclUint8);
SAME_NUMBER(i32, ncclInt32);
SAME_NUMBER(i64, ncclInt64);
SAME_NUMBER(f16, ncclFloat16);
SAME_NUMBER(f32, ncclFloat32);
SAME_NUMBER(f64, ncclFloat64);
SAME_NUMBER(bf16, ncclBfloat16);
SAME_NUMBER(sum, ncclSum);
SAME_NUMBER(max, ncclMax);
SAME_NUMBER(min, ncclMin);
SAME_NUMBER(mean, ncclAvg);
SAME_NUMBER(invalid_argument, ncclInvalidArgument);
SAME_NUMBER(invalid_usage, ncclInvalidUsage);
SAME_NUMBER(remote_error, ncclRemoteError);
SAME_NUMBER(in_progress, ncclInProgress);

#define SAME_PLACE(ours, theirs) \
  static_assert(offsetof(Config, ours) == offsetof(ncclConfig_t, theirs))

static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(Config::unset == NCCL_CONFIG_UNDEF_INT);
static_assert(sizeof(Config) <= sizeof(ncclConfig_t));
SAME_PLACE(size, size);
SAME_PLACE(magic, magic);
SAME_PLACE(version, version);
SAME_PLACE(blocking, blocking);
SAME_PLACE(cluster, cgaClusterSize);
SAME_PLACE(least_blocks, minCTAs);
SAME_PLACE(most_blocks, maxCTAs);
SAME_PLACE(network, netName);
SAME_PLACE(shares_resources, splitShare);

}  // namespace
#endif

TEST_CASE("nccl: all functions are loaded, or there is a reason") {
  const Functions* const table = library();
  if (table == nullptr) {
    MESSAGE("skipped: " << why_no_library());
    CHECK(why_no_library() != "");
    return;
  }
  int version = 0;
  CHECK(table->version(&version) == 0);
  CHECK(version >= 21800);
  CHECK(table->error_string(Functions::invalid_usage) != nullptr);
  CHECK(why_no_library() == "");
}

TEST_CASE("nccl: an emulator can take its place") {
  const Functions emulator{};
  const Functions* const before = replace_library(&emulator);
  CHECK(library() == &emulator);
  CHECK(why_no_library() == "");
  CHECK(replace_library(before) == &emulator);
  CHECK(library() != &emulator);
}
