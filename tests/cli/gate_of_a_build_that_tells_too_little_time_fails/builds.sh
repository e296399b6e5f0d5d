# shellcheck shell=sh disable=SC2086,SC2016 # the last argument may be missing; terms are for the build
# Builds that change the times in the answers of an honest one, for the cases that source this.
cat >one.yaml <<'YAML'
arms:
  - {name: a, workers: 0, transform: spin=200us, data: 'synthetic:65536:16'}
YAML
# build NAME WALL MEMBER UNTIMED: tells those, in terms of $w and $u, the true ones
build() {
    cat >"$1" <<SH
#!/bin/sh
loaderbench "\$@" | while IFS= read -r l; do
    case \$l in *'"untimed_ns":'*)
        w=\${l#*\"wall_ns\":} u=\${l#*\"untimed_ns\":}
        w=\${w%%,*} u=\${u%%,*}
        l="\${l%%\"wall_ns\":*}\"wall_ns\":$2,\"$3\":$4\${l#*\"untimed_ns\":\$u}" ;;
    esac
    printf '%s\n' "\$l"
done
SH
    chmod +x "$1"
}
gate() {
    rm -f x.jsonl
    loaderbench gate --baseline-exe "$1" --candidate-exe "$2" --margin 50% --timeout 20s $3 -o x.jsonl one.yaml >said 2>&1
    echo "exit $?"
    grep -o -m 1 -E 'turn: told .*|the (candidate|baseline) takes .*|PASS:|.*its subject does not tell "untimed_ns"' said |
        sed -E 's/[0-9]+(\.[0-9]+)?(e\+[0-9]+)?/N/g'
}
build honest '$w' untimed_ns '$u'
