#include <sqlite3.h>

// Functions with a variable number of arguments cannot be called from Swift.
static inline int sqliteSetOption(sqlite3 *_Nonnull database, int option, int isOn) {
  return sqlite3_db_config(database, option, isOn, (int *)0);
}
