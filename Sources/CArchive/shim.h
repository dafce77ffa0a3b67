// The functions of libarchive that are used, by their names without the prefix.
//
// On Linux they are looked up when an archive is read or written: the library brings a dozen others along,
// which take a fifth of the time that a command needs to start.
#include <archive.h>
#include <archive_entry.h>
#ifdef __linux__
#include <dlfcn.h>
#endif

#define ARCHIVE_FUNCTIONS(F)                                                                              \
  F(error_string) F(entry_filetype) F(entry_free) F(entry_hardlink) F(entry_new) F(entry_pathname)        \
  F(entry_set_filetype) F(entry_size) F(entry_symlink) F(read_data_block) F(read_free) F(read_new)        \
  F(read_next_header) F(read_open_fd) F(read_support_filter_zstd) F(read_support_format_tar)              \
  F(write_add_filter_zstd) F(write_close) F(write_data) F(write_free) F(write_header) F(write_new)        \
  F(write_open) F(write_set_bytes_in_last_block) F(write_set_bytes_per_block)                             \
  F(write_set_filter_option) F(write_set_format_raw)

struct ArchiveFunctions {
#define FIELD(name) __typeof__(archive_##name) *name;
  ARCHIVE_FUNCTIONS(FIELD)
#undef FIELD
};

// Finds the functions; returns what is wrong if any is not there, in words that stay valid until the next
// call on this thread.
static inline const char *findArchiveFunctions(struct ArchiveFunctions *functions) {
#ifdef __linux__
  // What of the libraries that it needs nobody calls is not looked for: they are many, and large.
  void *library = dlopen("libarchive.so.13", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name)                                                                                        \
  if (!(functions->name = (__typeof__(archive_##name) *)dlsym(library, "archive_" #name))) return dlerror();
#else
#define FIND(name) functions->name = archive_##name;
#endif
  ARCHIVE_FUNCTIONS(FIND)
#undef FIND
  return 0;
}
