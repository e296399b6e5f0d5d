#include "datasets/cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "helpers.h"

enum { BYTES = 1 << 20, TMPFS = 0x01021994 };

static struct data_source *source_of_one_file(void **state)
{
    static char bytes[BYTES];
    const char *path = temp_path(state, "x.bin");
    write_file(path, bytes, BYTES);
    char spec[600];
    snprintf(spec, sizeof spec, "raw:%s:4096", path);
    return open_source(spec, NULL, DATA_ON_ERROR_FAIL);
}

static void warm_files_are_in_memory_and_cold_ones_are_not(void **state)
{
    struct statfs fs;
    if (statfs(*state, &fs) || fs.f_type == TMPFS) {
        print_message("%s lives in memory: nothing can be dropped there\n", (const char *)*state);
        skip();
    }
    struct data_source *s = source_of_one_file(state);
    struct data_cache_report r;
    assert_int_equal(data_cache_apply(s, DATA_CACHE_WARM, &r, NULL), 0);
    assert_true(r.held && r.files == 1 && r.bytes == BYTES && r.resident_bytes == BYTES);
    assert_int_equal(data_cache_apply(s, DATA_CACHE_COLD, &r, NULL), 0);
    if (!r.held) { /* is it us, or does this kernel keep pages? */
        int fd = open(temp_path(state, "x.bin"), O_RDONLY);
        assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
        close(fd);
        assert_int_equal(data_cache_apply(s, DATA_CACHE_AS_IS, &r, NULL), 0);
        data_source_close(s);
        assert_true(r.resident_bytes > 0);
        print_message("this kernel keeps pages that it was told to drop\n");
        skip();
    }
    assert_true(r.held && r.resident_bytes == 0);
    assert_string_equal(r.reason, "");
    assert_int_equal(data_cache_apply(s, DATA_CACHE_AS_IS, &r, NULL), 0);
    assert_true(r.held && r.resident_bytes == 0);
    data_source_close(s);
}

static void what_a_process_has_mapped_does_not_get_cold_and_the_report_says_so(void **state)
{
    struct data_source *s = source_of_one_file(state);
    int fd = open(temp_path(state, "x.bin"), O_RDONLY);
    const volatile char *map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    for (int i = 0; i < BYTES; i += 4096)
        (void)map[i];
    struct data_cache_report r;
    assert_int_equal(data_cache_apply(s, DATA_CACHE_COLD, &r, NULL), 0);
    assert_false(r.held);
    assert_non_null(strstr(r.reason, "stay in memory"));
    munmap((void *)(uintptr_t)map, BYTES);
    close(fd);
    data_source_close(s);
}

static void a_source_without_files_holds_whatever_is_asked(void **state)
{
    (void)state;
    struct data_source *s = open_source("synthetic:4:3", NULL, DATA_ON_ERROR_FAIL);
    struct data_cache_report r;
    for (int want = 0; data_cache_names[want]; want++) {
        assert_int_equal(data_cache_apply(s, (enum data_cache)want, &r, NULL), 0);
        assert_true(r.held && r.files == 0);
    }
    data_source_close(s);
}

static void a_file_that_went_away_is_an_error_that_names_it(void **state)
{
    struct data_source *s = source_of_one_file(state);
    unlink(temp_path(state, "x.bin"));
    struct data_cache_report r;
    struct err err = {0};
    assert_int_equal(data_cache_apply(s, DATA_CACHE_WARM, &r, &err), -ENOENT);
    assert_non_null(strstr(err.text, "x.bin"));
    data_source_close(s);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(warm_files_are_in_memory_and_cold_ones_are_not),
        IN_TEMP(what_a_process_has_mapped_does_not_get_cold_and_the_report_says_so),
        IN_TEMP(a_source_without_files_holds_whatever_is_asked),
        IN_TEMP(a_file_that_went_away_is_an_error_that_names_it),
    };
    return CASES(cases);
}
