/* Files that get shorter while they are mapped. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "helpers.h"

enum { RECORD = 4096, RECORDS = 8 };

static void write_records(const char *path)
{
    static unsigned char records[RECORDS * RECORD];
    memset(records, 7, sizeof records);
    write_file(path, records, sizeof records);
}

static int64_t sum_of(const struct tensor *t)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < tensor_elements(&t->shape); i++)
        sum += (int64_t)tensor_get(t, i);
    return sum;
}

static struct data_source *open_records(void **state, const char **path)
{
    static char spec[640];
    *path = temp_path(state, "records.bin");
    write_records(*path);
    snprintf(spec, sizeof spec, "raw:%s:%d", *path, RECORD);
    return open_source(spec, NULL, DATA_ON_ERROR_FAIL);
}

/* Sample `index` reads as `sum`, and afterwards is known to be no sample of the file. */
static void assert_cut(struct data_reader *r, int64_t index, int64_t sum, const char *path, const char *says)
{
    struct tensor t;
    struct err err = {0};
    char want[700];
    assert_int_equal(data_reader_get(r, index, &t, NULL), 0);
    assert_int_equal(sum_of(&t), sum);
    assert_int_equal(data_reader_whole(r, &err), -EBADMSG);
    snprintf(want, sizeof want, "%s: %s", path, says);
    assert_string_equal(err.text, want);
}

static void a_file_that_is_cut_while_it_is_mapped_is_named(void **state)
{
    const char *path;
    struct data_source *s = open_records(state, &path);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(data_reader_get(r, 6, &t, NULL), 0);
    assert_int_equal(sum_of(&t), 7 * RECORD);
    assert_int_equal(data_reader_whole(r, NULL), 0);
    assert_int_equal(truncate(path, 2 * RECORD + 100), 0);
    static const char says[] = "offset 8292 of 32768: the file was cut there while it was read";
    assert_cut(r, 2, 7 * 100, path, says); /* the rest of its page: zeros without a signal */
    assert_cut(r, 6, 0, path, says);
    assert_cut(r, 7, 0, path, says);
    data_reader_close(r);
    data_source_close(s);
}

static void a_file_that_was_cut_and_grew_again_is_still_named(void **state)
{
    const char *path;
    struct data_source *s = open_records(state, &path);
    struct data_reader *r = open_reader(s, 0, 1);
    struct tensor t;
    assert_int_equal(truncate(path, RECORD), 0);
    assert_int_equal(data_reader_get(r, 3, &t, NULL), 0);
    assert_int_equal(sum_of(&t), 0);
    write_records(path);
    assert_int_equal(data_reader_whole(r, NULL), -EBADMSG);
    data_reader_close(r);
    data_source_close(s);
}

/* `work` as in a loader's worker: forked after the source was opened, handlers set back to the defaults. Its status. */
static int in_worker(void **state, int (*work)(struct data_source *s, const char *path))
{
    const char *path;
    struct data_source *s = open_records(state, &path);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        _exit(work(s, path));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    data_source_close(s);
    return status;
}

static int reads_behind_the_cut(struct data_source *s, const char *path)
{
    struct data_reader *r;
    struct tensor t;
    if (data_reader_open(s, 0, 1, &r, NULL) || truncate(path, RECORD) || data_reader_get(r, 5, &t, NULL))
        return 1;
    return sum_of(&t) == 0 && data_reader_whole(r, NULL) == -EBADMSG ? 0 : 1;
}

static void a_worker_survives_a_file_that_is_cut(void **state)
{
    assert_int_equal(in_worker(state, reads_behind_the_cut), 0);
}

static void an_array_that_is_cut_is_named(void **state)
{
    static unsigned char file[128 + 2 * 4096];
    static const char header[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4096), }";
    memset(file, ' ', 128);
    memcpy(file, header, sizeof header - 1);
    file[127] = '\n';
    const char *path = temp_path(state, "a.npy");
    write_file(path, file, sizeof file);
    struct data_source *s = open_source(spec_of("npy", path), NULL, DATA_ON_ERROR_FAIL);
    struct data_reader *r = open_reader(s, 0, 1);
    assert_int_equal(truncate(path, 4000), 0);
    assert_cut(r, 1, 0, path, "offset 4000 of 8320: the file was cut there while it was read");
    data_reader_close(r);
    data_source_close(s);
}

static int reads_a_mapping_of_its_own(struct data_source *s, const char *path)
{
    struct data_reader *r;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const volatile unsigned char *p = mmap(NULL, RECORDS * RECORD, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data_reader_open(s, 0, 1, &r, NULL) || p == MAP_FAILED || truncate(path, RECORD))
        return 1;
    return p[5 * RECORD] ? 2 : 3;
}

/* The twin: a fault of somebody else's mapping ends the process as it did before. */
static void a_fault_of_another_mapping_still_kills(void **state)
{
    int status = in_worker(state, reads_a_mapping_of_its_own);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        IN_TEMP(a_file_that_is_cut_while_it_is_mapped_is_named),
        IN_TEMP(a_file_that_was_cut_and_grew_again_is_still_named),
        IN_TEMP(a_worker_survives_a_file_that_is_cut),
        IN_TEMP(an_array_that_is_cut_is_named),
        IN_TEMP(a_fault_of_another_mapping_still_kills),
    };
    return CASES(cases);
}
