/* cmocka with the headers it wants before itself. */
#ifndef TESTING_CMOCKA_H
#define TESTING_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASES(list) cmocka_run_group_tests(list, NULL, NULL)

#endif
