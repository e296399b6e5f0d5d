/* Tables of the numeric fields, and moving them between structs and JSON. */
#include "io_fields.h"

#include "results/json.h"

#define FIELD(type, member)                                                                                  \
    {                                                                                                        \
#member, offsetof(struct type, member)                                                               \
    }

const struct io_field io_turn_fields[] = {
    FIELD(turn, wall_ns),
    FIELD(turn, seen_ns),
    FIELD(turn, untimed_ns),
    FIELD(turn, cost_ns),
    FIELD(turn, item_ns),
    FIELD(turn, cpu_ns),
    FIELD(turn, overhead_ns),
    FIELD(turn, other_cpu_ns),
    FIELD(turn, steal_ns),
    FIELD(turn, voluntary_switches),
    FIELD(turn, involuntary_switches),
    FIELD(turn, stall_ratio),
    FIELD(turn, migrations),
    FIELD(turn, page_faults),
};
const size_t io_turn_nfields = sizeof io_turn_fields / sizeof *io_turn_fields;

const struct io_field io_trial_fields[] = {
    FIELD(trial, start_ns),
    FIELD(trial, first_batch_ns),
    FIELD(trial, work_flops),
    FIELD(trial, peak_bytes),
};
const size_t io_trial_nfields = sizeof io_trial_fields / sizeof *io_trial_fields;

const struct io_field io_invocation_fields[] = {
    FIELD(invocation, fixed_work_before_ns),
    FIELD(invocation, fixed_work_after_ns),
    FIELD(invocation, took_ns),
    FIELD(invocation, block_ns),
    FIELD(invocation, ended_ns),
};
const size_t io_invocation_nfields = sizeof io_invocation_fields / sizeof *io_invocation_fields;

const struct io_field io_pilot_fields[] = {
    FIELD(pilot, invocation_variance),
    FIELD(pilot, block_variance),
    FIELD(pilot, turn_variance),
    FIELD(pilot, start_ns),
    FIELD(pilot, block_ns),
    FIELD(pilot, turn_ns),
    FIELD(pilot, gain),
    FIELD(pilot, target_ns),
};
const size_t io_pilot_nfields = sizeof io_pilot_fields / sizeof *io_pilot_fields;

void io_put_fields(json_t *object, const void *base, const struct io_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        json_object_set_new(object, fields[i].name,
                            result_json_real(*(const double *)((const char *)base + fields[i].offset)));
}

void io_get_fields(const json_t *object, void *base, const struct io_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(double *)((char *)base + fields[i].offset) = result_json_get_real(object, fields[i].name);
}
