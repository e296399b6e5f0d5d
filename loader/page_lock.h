/* Page-locks a piece of memory: by mlock, or for an accelerator through its driver, which is loaded at run time.
 */
#ifndef LOADER_PAGE_LOCK_H
#define LOADER_PAGE_LOCK_H

#include "loader/loader.h"

struct page_lock;

/* Errors: -ENOTSUP with the reason when there is no accelerator. */
int page_lock_open(struct page_lock **out, enum loader_pin how, struct err *err);
/* Locks one piece of memory; called once.
 * Errors: -ENOMEM with the limit (RLIMIT_MEMLOCK), -EIO with the driver's code. */
int page_lock_take(struct page_lock *lock, void *at, size_t bytes, struct err *err);
/* Unlocks what was locked. NULL is fine. */
void page_lock_close(struct page_lock *lock);

#endif
