#include "LintAtEnd.h"

#include <stdlib.h>

// Before `main`, if the environment asks for it: the examples themselves say nothing of it.
__attribute__((constructor)) static void begin(void) {
  if (getenv("EASYREACT_LINT") == NULL) return;
  lint_begin();
  atexit(lint_end);
}
