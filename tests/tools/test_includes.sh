#!/bin/sh
# The check of who includes whom passes on the tree, and finds each forbidden include planted in a small one.
set -eu
check=$1/tools/includes.sh
sh "$check" "$1"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# $1: found or quiet; $2: file; $3: what it includes.
try() {
    rm -rf "$folder/tree"
    mkdir -p "$folder/tree/$(dirname "$2")" "$folder/tree/base"
    echo '#include "base/err.h"' >"$folder/tree/base/err.c"
    echo "#include $3" >"$folder/tree/$2"
    if sh "$check" "$folder/tree" >"$folder/said"; then result=quiet; else result=found; fi
    if [ "$result" != "$1" ]; then
        echo "$2 including $3: $result instead of $1"
        exit 1
    fi
    [ "$1" = quiet ] || grep -q "^$2:1: " "$folder/said"
}

try found loader/loader.c '"kernels/chain.h"'
try found kernels/gemm.c '"loader/loader.h"'
try found kernels/gemm.c '"harness/trial.h"'
try found results/io.c '"harness/session.h"'
try found results/io.c '<hwloc.h>'
try found results/stats/ratio.c '<jansson.h>'
try found base/text.c '"results/record.h"'
try found plots/draw.c '"bench/option.h"'
try found loader/include/loader/loader.h '<cblas.h>'
try found tests/base/test_err.c '"bench/option.h"'
try found harness/session.c '"plots/plot.h"'
try found harness/probe.c '<cblas.h>'
try quiet kernels/gemm.c '<cblas.h>'
try quiet results/io.c '<jansson.h>'
try quiet results/stats/ratio.c '<gsl/gsl_cdf.h>'
try quiet harness/session.c '"loader/loader.h"'
try quiet bench/tune.c '"plots/plot.h"'
try quiet loader/loader.c '"ring.h"'
try quiet tests/base/test_err.c '"testing/cmocka.h"'
