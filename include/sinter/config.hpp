#pragma once
// Version, and the switch of the build: header-only (the default) or compiled once.

#if __cplusplus < 202002L
#error "sinter requires C++20: compile with -std=c++20, or a later standard"
#endif

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0

// Functions that are not templates are declared in a .hpp and defined in the .ipp next to it.
// Header-only builds include the .ipp, so the definitions must be inline. Sources that define
// SINTER_COMPILED see only declarations, but for the one that also defines SINTER_IMPLEMENTATION.
#ifdef SINTER_COMPILED
#define SINTER_INLINE
#define SINTER_ABI v0_compiled
#else
#define SINTER_INLINE inline
#define SINTER_ABI v0_header_only
#endif
#if !defined(SINTER_COMPILED) || defined(SINTER_IMPLEMENTATION)
#define SINTER_DEFINITIONS
#endif

// Every namespace is opened as `namespace sinter::inline SINTER_ABI {`, so that objects built
// against another version, or in the other build form, do not link by accident.
