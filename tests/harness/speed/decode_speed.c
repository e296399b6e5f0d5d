/* What the loader adds to decoding: photos through images:DIR with decode, resize=224, normalize and one worker, against
 * libjpeg-turbo's own decoding of the same files: of files, as djpeg does it (-f), or of what is in memory already.
 *
 *     decode_speed [-f] [-l LIMIT] [-b BLOCKS] [-n BATCH] [DIR]
 *
 * The pipeline is a trial as the harness starts it. A turn of either side is one pass over all files, on the same CPU;
 * the sides take turns in the order decode, pipeline, pipeline, decode, and the ratio is taken within each such block: what
 * else goes on in the machine hits both. The trial is stopped while the decoder has its turn, as the harness does it, since
 * a worker would go on to fill its slots. Shown are the medians over the blocks with their order-statistic intervals,
 * of wall time and of CPU time (decoder: its thread; pipeline: worker and consumer). Without DIR: pictures made for the
 * purpose. With LIMIT the exit status is 1 when the whole interval of the wall ratio lies above it. */
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/trial.h"
#include "photos.h"
#include "results/stats/order_statistic.h"

enum { OWN_PHOTOS = 60, BLOCKS_MAX = 999 };

struct options {
    double limit;
    bool from_files;
    int blocks, batch;
    const char *directory;
};

struct trial {
    pid_t pid;
    FILE *to, *from;
    int64_t batches; /* of a turn */
};

struct cost {
    double wall_ns, cpu_ns; /* of a photo */
    double item_ns;         /* of it inside the dataset and the transforms */
};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "decode_speed: %s: %s\n", what, why);
    exit(2);
}

static int nth_cpu(int n)
{
    cpu_set_t set;
    int last = 0;
    if (sched_getaffinity(0, sizeof set, &set))
        die("affinity", strerror(errno));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) {
            last = cpu;
            if (n-- == 0)
                break;
        }
    return last;
}

static void pin_self(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        die("affinity", strerror(errno));
}

static json_t *answer(struct trial *t, const char *key)
{
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, t->from) < 0)
        die("trial", "it ended");
    json_t *o = json_loads(line, 0, NULL), *found = json_incref(json_object_get(o, key));
    if (!found)
        die("trial", line);
    json_decref(o);
    free(line);
    return found;
}

static void start_trial(struct trial *t, const struct options *opt, int photos, int worker_cpu, int main_cpu)
{
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        die("pipe", strerror(errno));
    t->pid = fork();
    if (t->pid == 0) {
        setpgid(0, 0);
        close(in[1]);
        close(out[0]);
        _exit(harness_trial_run(in[0], out[1], NULL) ? 1 : 0);
    }
    close(in[0]);
    close(out[1]);
    t->to = fdopen(in[1], "w");
    t->from = fdopen(out[0], "r");
    t->batches = (photos + opt->batch - 1) / opt->batch;
    char worker[16], consumer[16], data[4096];
    snprintf(worker, sizeof worker, "%d", worker_cpu);
    snprintf(consumer, sizeof consumer, "%d", main_cpu);
    snprintf(data, sizeof data, "images:%s", opt->directory);
    json_t *spec = json_pack(
        "{s:{s:i, s:{s:s, s:s, s:s, s:i}, s:{s:i, s:i, s:i, s:s, s:s}, s:i, s:i, s:{s:b, s:s, s:[s]}}}",
        "spec", "protocol", 1, "workload", "data", data, "transform", "decode,resize=224,normalize",
        "sampler", "sequential", "batch_size", opt->batch, "setting", "workers", 1, "threads", 1,
        "prefetch_factor", 2, "affinity", "compact", "backend", "process", "seed", 0, "spawned_ns", 0,
        "placement", "bound", 1, "main", consumer, "workers", worker);
    json_dumpf(spec, t->to, JSON_COMPACT);
    fprintf(t->to, "\n");
    fflush(t->to);
    json_decref(spec);
    json_decref(answer(t, "ready"));
    kill(-t->pid, SIGSTOP);
}

static void end_trial(struct trial *t)
{
    kill(-t->pid, SIGCONT);
    fclose(t->to);
    fclose(t->from);
    waitpid(t->pid, NULL, 0);
}

static void pipeline_turn(struct trial *t, struct cost *sum)
{
    kill(-t->pid, SIGCONT);
    fprintf(t->to, "{\"turn\": {\"warm_batches\": 2, \"batches\": %lld}}\n", (long long)t->batches);
    fflush(t->to);
    json_t *turn = answer(t, "turn");
    kill(-t->pid, SIGSTOP);
    double samples = json_number_value(json_object_get(turn, "samples"));
    sum->wall_ns += json_number_value(json_object_get(turn, "wall_ns")) / samples;
    sum->cpu_ns += json_number_value(json_object_get(turn, "cpu_ns")) / samples;
    sum->item_ns += json_number_value(json_object_get(turn, "item_ns")) / samples;
    json_decref(turn);
}

static void decoder_turn(const struct photos *p, bool from_files, struct cost *sum)
{
    uint64_t cpu_from, cpu_to, from = clock_now_ns();
    clock_cpu_ns(0, &cpu_from);
    if (photos_decode(p, from_files) < 0)
        die("decoder", "no memory, or a file is gone");
    clock_cpu_ns(0, &cpu_to);
    sum->wall_ns += (double)(clock_now_ns() - from) / p->n;
    sum->cpu_ns += (double)(cpu_to - cpu_from) / p->n;
}

static struct interval show(const char *what, double *ratio, int n)
{
    double median = stats_median(ratio, (size_t)n);
    struct interval ci = stats_median_interval(ratio, (size_t)n, 0.95);
    printf("  %-9s %.3f", what, median);
    if (ci.known)
        printf("  95 %% CI %.3f .. %.3f\n", ci.low, ci.high);
    else
        printf("  no interval: at least 6 blocks are needed\n");
    return ci;
}

/* Returns the wall ratio's interval. */
static struct interval measure(const struct options *opt, const struct photos *p, struct trial *t)
{
    static double wall[BLOCKS_MAX], cpu[BLOCKS_MAX], decode_ns[BLOCKS_MAX], pipeline_ns[BLOCKS_MAX],
        item_ns[BLOCKS_MAX];
    for (int i = -1; i < opt->blocks; i++) { /* the first is to warm up */
        struct cost decode = {0}, pipeline = {0};
        decoder_turn(p, opt->from_files, &decode);
        pipeline_turn(t, &pipeline);
        pipeline_turn(t, &pipeline);
        decoder_turn(p, opt->from_files, &decode);
        if (i < 0)
            continue;
        wall[i] = pipeline.wall_ns / decode.wall_ns;
        cpu[i] = pipeline.cpu_ns / decode.cpu_ns;
        decode_ns[i] = decode.wall_ns / 2;
        pipeline_ns[i] = pipeline.wall_ns / 2;
        item_ns[i] = pipeline.item_ns / 2;
    }
    printf("decode + resize=224 + normalize, one worker, batches of %d, against the decoder alone, %s (%d "
           "photos, "
           "%d blocks):\n",
           opt->batch, opt->from_files ? "of the files too" : "of files in memory", p->n, opt->blocks);
    printf("  a photo   %.1f us against %.1f us", stats_median(pipeline_ns, (size_t)opt->blocks) / 1e3,
           stats_median(decode_ns, (size_t)opt->blocks) / 1e3);
    printf(" (file, decoding and transforms %.1f us of it)",
           stats_median(item_ns, (size_t)opt->blocks) / 1e3);
    printf("; in the fastest block %.1f us against %.1f us\n", pipeline_ns[0] / 1e3, decode_ns[0] / 1e3);
    struct interval ci = show("wall time", wall, opt->blocks);
    show("CPU time", cpu, opt->blocks);
    return ci;
}

static int run(const struct options *opt)
{
    struct photos p;
    struct trial t;
    struct err err = {0};
    char spec[4096];
    snprintf(spec, sizeof spec, "images:%s", opt->directory);
    if (photos_read(spec, &p, &err))
        die("photos", err.text);
    int cpu = nth_cpu(0);
    start_trial(&t, opt, p.n, cpu, nth_cpu(1));
    pin_self(cpu);
    struct interval ci = measure(opt, &p, &t);
    end_trial(&t);
    photos_fini(&p);
    return opt->limit > 0 && ci.known && ci.low > opt->limit ? 1 : 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static int run_on_own(struct options *opt)
{
    char directory[] = "/tmp/decode_speed-XXXXXX";
    if (!mkdtemp(directory) || photos_make(directory, OWN_PHOTOS))
        die(directory, strerror(errno));
    opt->directory = directory;
    int status = run(opt);
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

int main(int argc, char **argv)
{
    struct options opt = {.blocks = 21, .batch = 1};
    for (int c; (c = getopt(argc, argv, "fl:b:n:")) != -1;)
        switch (c) {
        case 'f':
            opt.from_files = true;
            break;
        case 'l':
            opt.limit = strtod(optarg, NULL);
            break;
        case 'b':
            opt.blocks = atoi(optarg);
            break;
        case 'n':
            opt.batch = atoi(optarg);
            break;
        default:
            return 2;
        }
    if (opt.blocks < 1 || opt.blocks > BLOCKS_MAX || opt.batch < 1)
        die("usage", "decode_speed [-f] [-l LIMIT] [-b BLOCKS: 1 to 999] [-n BATCH: from 1] [DIR]");
    opt.directory = argv[optind];
    return opt.directory ? run(&opt) : run_on_own(&opt);
}
