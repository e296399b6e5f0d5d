#!/bin/sh
# Who may include whom: an arrow between folders only ever points up the list of DESIGN (base at the top, bench at
# the bottom), and a library is used by the folders that are there for it (tests use what they like). Prints each
# include that breaks this.
# Usage: tools/includes.sh [TREE]; exit 1 when there is one.
set -eu
cd "${1:-$(dirname "$0")/..}"

find base kernels loader datasets results harness plots bench tests -name '*.[ch]' 2>/dev/null | sort |
    xargs grep -n -H -E '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' |
    awk -F: '
    function allow(folder, list,    i, n, word) {
        n = split(list, word, " ")
        for (i = 1; i <= n; i++) allowed[folder, word[i]] = 1
    }
    function owner(header,    i) {
        for (i = 1; i <= nlibraries; i++)
            if (header ~ library_pattern[i]) return library_name[i]
        return ""
    }
    function library(name, pattern) {
        library_name[++nlibraries] = name
        library_pattern[nlibraries] = pattern
    }
    BEGIN {
        nfolders = split("base kernels loader datasets results harness plots bench", folder_names, " ")
        for (i = 1; i <= nfolders; i++) {
            is_folder[folder_names[i]] = 1
            allow(folder_names[i], "base " folder_names[i])
        }
        allow("kernels", "openblas")
        allow("datasets", "loader images archive digests")
        allow("results", "jansson gsl digests")
        allow("harness", "loader kernels datasets results jansson hwloc papi digests")
        allow("plots", "results jansson")
        allow("bench", "kernels loader datasets results harness plots jansson yaml digests")
        library("openblas", "^(cblas|openblas|lapack)")
        library("jansson", "^jansson\\.h$")
        library("gsl", "^gsl/")
        library("hwloc", "^hwloc")
        library("papi", "^(papi|sde_lib)")
        library("images", "^(jpeglib|turbojpeg|png)\\.h$")
        library("archive", "^archive")
        library("digests", "^(md5|sha1|sha2|sha256|sha512|xxhash)\\.h$")
        library("yaml", "^yaml\\.h$")
    }
    {
        split($1, path, "/")
        test = path[1] == "tests"
        from = test ? path[2] : path[1]
        if (!(from in is_folder)) next
        line = $0
        sub(/^[^"<]*["<]/, "", line)
        sub(/[">].*/, "", line)
        split(line, part, "/")
        if (part[1] in is_folder && line ~ /\//) to = part[1]
        else to = owner(line)
        if (from == "results" && $1 ~ /results\/stats/ && to == "jansson") to = "jansson, statistics are pure"
        if (to == "" || (from, to) in allowed) next
        if (test && !(to in is_folder)) next
        printf "%s:%s: %s may not include %s (%s)\n", $1, $2, from, line, to
        bad = 1
    }
    END { exit bad }'
