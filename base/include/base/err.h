/* What went wrong, in one line for a person: a negative errno and a text that names the value and the limit.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* Owner: the caller; all-zero means "no error". The first failure wins: later err_set calls leave it alone.
 */
struct err {
    int code; /* 0, or a negative errno */
    char text[512];
};

/* Records a failure and returns its code, so that `return err_set(err, -EINVAL, "...")` reads well.
 * err may be NULL. code must be negative. Line breaks and control characters in the text become spaces (utf8.h). */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, and appends ": " and the text of errno value `-code`; for EMFILE and EAGAIN the limit on
 * files, on processes too, where there is one. */
int err_set_errno(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text of a failure that is already there; returns its code (0 when there is
 * none). */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
