// System calls that the C library hides unless _GNU_SOURCE is defined, which the Swift compiler
// does not. They have been in glibc since 2.28 and in musl since 1.2.5. Nothing here on macOS.
#ifdef __linux__
int renameat2(int source, const char *_Nonnull from, int target, const char *_Nonnull to,
              unsigned int flags);
int syncfs(int descriptor);

enum { renameNoReplace = 1 };
#endif
