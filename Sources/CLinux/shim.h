// System calls that the C library hides unless _GNU_SOURCE is defined, which the Swift compiler
// does not (in glibc since 2.28, in musl since 1.2.5), and the setting of the allocator that no
// module of the system has. Nothing here on macOS.
#ifdef __linux__
#include <malloc.h>

int renameat2(int source, const char *_Nonnull from, int target, const char *_Nonnull to,
              unsigned int flags);
int syncfs(int descriptor);
int pipe2(int *_Nonnull ends, int flags);
int sched_getaffinity(int process, __SIZE_TYPE__ size, void *_Nonnull processors);
__PTRDIFF_TYPE__ flistxattr(int descriptor, char *_Nullable names, __SIZE_TYPE__ size);
int statx(int directory, const char *_Nonnull name, int flags, unsigned int mask, void *_Nonnull state);

extern char *_Nullable *_Nonnull environ;
static inline char *_Nullable *_Nonnull currentEnvironment(void) { return environ; }

enum { renameNoReplace = 1, renameExchange = 2 };
enum { openToLookOnly = 010000000, openWithoutAccessTime = 01000000 };
enum { attributeImmutable = 0x10, attributeAppend = 0x20 };
#endif
