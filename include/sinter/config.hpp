#pragma once
// Version, and the switches of the build: header-only (the default) or compiled once; with code for
// GPUs or without.

#if __cplusplus < 202002L
#error "sinter requires C++20: compile with -std=c++20, or a later standard"
#endif

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0

// Functions that are not templates are declared in a .hpp and defined in the .ipp next to it. What
// only definitions of the same stage use has no .ipp: it is defined in its .hpp.
// Header-only builds include the .ipp, so the definitions must be inline. Sources that define
// SINTER_COMPILED see only declarations, but for the one that also defines SINTER_IMPLEMENTATION.
#ifdef SINTER_COMPILED
#define SINTER_INLINE
#else
#define SINTER_INLINE inline
#endif
#if !defined(SINTER_COMPILED) || defined(SINTER_IMPLEMENTATION)
#define SINTER_DEFINITIONS
#endif

// The code for GPUs is a quarter of the library. jit/cuda/backend.hpp alone brings it, and is
// included with -DSINTER_CUDA=1, the default of the compiled form; never with -DSINTER_CUDA=0; else
// by <sinter/gpu.hpp>, so that header-only programs without GPUs do not compile it.
#if defined(SINTER_COMPILED) && !defined(SINTER_CUDA)
#define SINTER_CUDA 1
#endif

// Every namespace is opened as `namespace sinter::inline SINTER_ABI {`, so that objects built
// against another version, in the other build form, or with -DSINTER_CUDA=0, do not link by
// accident.
#if defined(SINTER_COMPILED) && SINTER_CUDA
#define SINTER_ABI v0_compiled
#elif defined(SINTER_COMPILED)
#define SINTER_ABI v0_compiled_no_gpu
#elif !defined(SINTER_CUDA) || SINTER_CUDA
#define SINTER_ABI v0_header_only
#else
#define SINTER_ABI v0_header_only_no_gpu
#endif
