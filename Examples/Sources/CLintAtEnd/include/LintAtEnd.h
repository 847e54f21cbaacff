#ifndef LINT_AT_END_H
#define LINT_AT_END_H

// In Swift: Sources/LintAtEnd.
void lint_begin(void);
void lint_end(void);

#endif
