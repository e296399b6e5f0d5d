#!/bin/sh
# The report in headless Chromium, from file://: no message on the console, sorting and filtering work, by keyboard
# too, nothing scrolls sideways at 360 px, contrast and names hold in both themes.
# Usage: browser.sh PROGRAM RESULT FOLDER     (pages and screenshots go to FOLDER)
# Exit: 0, 1 (a check failed, it is named), 77 (no browser here).
set -eu
program=$1 result=$2 folder=$3

for tool in chromium chromedriver curl; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool (./dev deps browser)"; exit 77; }
done
mkdir -p "$folder"
work=$(mktemp -d)
driver=
session=
finish() {
    [ -z "$session" ] || curl -s -m 20 -X DELETE "$base" >/dev/null || true
    [ -z "$driver" ] || kill "$driver" 2>/dev/null || true
    [ -z "$driver" ] || wait "$driver" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

"$program" report "$result" -o "$folder/report.html"
page=$(cd "$folder" && pwd)/report.html

chromedriver --port=0 --log-level=SEVERE >"$work/driver" 2>&1 &
driver=$!
port=
for _ in $(seq 1 300); do
    port=$(sed -n 's/.*successfully on port \([0-9]*\).*/\1/p' "$work/driver")
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || { echo "chromedriver does not start:"; cat "$work/driver"; exit 1; }

# $1: method, $2: path, $3: JSON body (none for GET). The answer is in $answer.
call() {
    method=$1 url=$2
    shift 2
    [ $# -eq 0 ] || set -- --data-binary "$1"
    answer=$(curl -s -m 120 -X "$method" -H 'Content-Type: application/json' "$url" "$@")
    case $answer in
    *'"error":'*) echo "browser: $answer" | head -c 600; exit 1 ;;
    esac
}

flags='"--headless","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync","--user-data-dir='$work'/profile"'
call POST "http://127.0.0.1:$port/session" \
    '{"capabilities":{"alwaysMatch":{"goog:loggingPrefs":{"browser":"ALL"},"goog:chromeOptions":{"args":['"$flags"']}}}}'
session=$(printf %s "$answer" | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
[ -n "$session" ] || { echo "no session: $answer"; exit 1; }
base=http://127.0.0.1:$port/session/$session

# Runs the body of a function in the page (from standard input). It returns "ok", or what is wrong.
check() {
    body=$(tr '\n' ' ' | sed 's/\\/\\\\/g; s/"/\\"/g')
    call POST "$base/execute/sync" '{"script":"'"$body"'","args":[]}'
    case $answer in
    '{"value":"ok"}') echo "ok: $1" ;;
    *) echo "FAILED: $1: $answer"; exit 1 ;;
    esac
}

screen() { # $1: width, $2: light or dark
    call POST "$base/goog/cdp/execute" '{"cmd":"Emulation.setDeviceMetricsOverride","params":{"width":'"$1"',"height":800,"deviceScaleFactor":1,"mobile":false}}'
    call POST "$base/goog/cdp/execute" '{"cmd":"Emulation.setEmulatedMedia","params":{"features":[{"name":"prefers-color-scheme","value":"'"$2"'"}]}}'
}

picture() { # $1: name; the whole page
    call POST "$base/goog/cdp/execute" '{"cmd":"Page.captureScreenshot","params":{"captureBeyondViewport":true,"format":"png"}}'
    printf %s "$answer" | sed 's/.*"data":"\([^"]*\)".*/\1/' | base64 -d >"$folder/$1.png"
    [ "$(wc -c <"$folder/$1.png")" -gt 20000 ] || { echo "FAILED: screenshot $1 is empty"; exit 1; }
}

screen 1280 light
call POST "$base/url" '{"url":"file://'"$page"'"}'

check 'the filter is there, and says how many there are' <<'JS'
const rows = document.querySelectorAll('#settings-0 tbody tr').length;
const said = document.querySelector('.filter output').textContent;
return !document.querySelector('.filter').hidden && said === `${rows} of ${rows} settings` ? 'ok' : said;
JS
check 'pictures are drawn' <<'JS'
const bad = [...document.images].filter((i) => !i.complete || i.naturalWidth < 300 || i.alt.length < 20);
return document.images.length > 8 && !bad.length ? 'ok' : `${bad.length} of ${document.images.length} are not`;
JS
check 'a click on a head sorts by number, a second one turns it round' <<'JS'
const head = [...document.querySelectorAll('#settings-0 thead th')].find((h) => h.textContent === 'Cost of a sample');
const column = head.cellIndex;
const values = () => [...document.querySelectorAll('#settings-0 tbody tr')].map((r) => Number(r.cells[column].dataset.v));
const sorted = (v, sign) => v.every((x, i) => !i || sign * (x - v[i - 1]) >= 0);
const before = values();
head.querySelector('button').click();
const up = values(), said = head.getAttribute('aria-sort');
head.querySelector('button').click();
const down = values();
if (sorted(before, 1)) return 'the rows were sorted before';
if (!sorted(up, 1) || said !== 'ascending') return `up: ${up} ${said}`;
if (!sorted(down, -1) || head.getAttribute('aria-sort') !== 'descending') return `down: ${down}`;
return up.length === before.length ? 'ok' : 'rows were lost';
JS
check 'words sort by the alphabet, and the other head is no longer marked' <<'JS'
const heads = [...document.querySelectorAll('#settings-0 thead th')];
heads[0].querySelector('button').click();
const names = [...document.querySelectorAll('#settings-0 tbody tr')].map((r) => r.cells[0].textContent);
const marked = heads.filter((h) => h.getAttribute('aria-sort') !== 'none').length;
const sorted = [...names].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
return marked === 1 && String(names) === String(sorted) ? 'ok' : `${marked}: ${names}`;
JS
check 'the filter shows the rows that have all its words' <<'JS'
const input = document.querySelector('.filter input');
input.value = '2 WORKERS';
input.dispatchEvent(new Event('input', { bubbles: true }));
const shown = [...document.querySelectorAll('#settings-0 tbody tr')].filter((r) => r.getClientRects().length);
const all = document.querySelectorAll('#settings-0 tbody tr').length;
const good = shown.length && shown.length < all && shown.every((r) => /workers/.test(r.textContent) && /2/.test(r.textContent));
const said = document.querySelector('.filter output').textContent;
input.value = '';
input.dispatchEvent(new Event('input', { bubbles: true }));
return good && said === `${shown.length} of ${all} settings` ? 'ok' : `${shown.length} of ${all}: ${said}`;
JS

# By keyboard: the button is reached and Enter sorts.
call POST "$base/execute/sync" '{"script":"document.querySelector(\"#settings-0 thead th:nth-child(4) button\").focus(); return 0","args":[]}'
call POST "$base/actions" '{"actions":[{"type":"key","id":"k","actions":[{"type":"keyDown","value":"\uE007"},{"type":"keyUp","value":"\uE007"}]}]}'
check 'Enter on a head sorts' <<'JS'
const head = document.querySelector('#settings-0 thead th:nth-child(4)');
return head.getAttribute('aria-sort') === 'ascending' ? 'ok' : head.getAttribute('aria-sort');
JS
call POST "$base/actions" '{"actions":[{"type":"key","id":"k","actions":[{"type":"keyDown","value":"\uE004"},{"type":"keyUp","value":"\uE004"}]}]}'
check 'Tab goes on to the next head, which shows where the keyboard is' <<'JS'
const at = document.activeElement;
if (at !== document.querySelector('#settings-0 thead th:nth-child(5) button')) return at.outerHTML;
return parseFloat(getComputedStyle(at).outlineWidth) >= 2 ? 'ok' : 'no outline';
JS
check 'landmarks, heads, labels and levels are there for a screen reader' <<'JS'
const levels = [...document.querySelectorAll('h1,h2,h3')].map((h) => Number(h.tagName[1]));
if (levels.filter((l) => l === 1).length !== 1 || levels.some((l, i) => i && l > levels[i - 1] + 1)) return `levels ${levels}`;
if (document.querySelectorAll('main').length !== 1 || !document.documentElement.lang) return 'no main or language';
for (const s of document.querySelectorAll('section')) if (!document.getElementById(s.getAttribute('aria-labelledby'))) return 'a section without a name';
for (const i of document.querySelectorAll('input')) if (!i.labels.length) return 'an input without a label';
for (const b of document.querySelectorAll('button')) if (!b.textContent.trim()) return 'a button without words';
const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
return new Set(ids).size === ids.length ? 'ok' : 'an id is there twice';
JS

contrast() {
    check "contrast of words is at least 4.5 in the $1 theme" <<'JS'
const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const rgb = (s) => s.match(/[0-9.]+/g).map(Number);
const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
let seen = 0;
for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) return `${e.tagName} ${e.className} ${ratio.toFixed(2)}`;
    seen++;
}
return seen > 50 ? 'ok' : `only ${seen} words`;
JS
}

narrow() {
    check "nothing scrolls sideways at $1 px" <<'JS'
document.querySelectorAll('details').forEach((d) => (d.open = true));
const wide = document.documentElement.scrollWidth, have = document.documentElement.clientWidth;
document.querySelectorAll('details').forEach((d) => (d.open = false));
return wide <= have ? 'ok' : `${wide} px wide in ${have}`;
JS
}

for theme in light dark; do
    screen 1280 $theme
    check "the ground of the $theme theme is $theme" <<JS
const c = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number);
return ('$theme' === 'dark') === (c[0] + c[1] + c[2] < 200) ? 'ok' : String(c);
JS
    contrast $theme
    picture wide-$theme
    screen 360 $theme
    narrow 360
    picture phone-$theme
done

call POST "$base/goog/cdp/execute" '{"cmd":"Page.printToPDF","params":{"printBackground":false,"transferMode":"ReturnAsBase64"}}'
printf %s "$answer" | sed 's/.*"data":"\([^"]*\)".*/\1/' | base64 -d >"$folder/report.pdf"
[ "$(head -c 5 "$folder/report.pdf")" = '%PDF-' ] || { echo "FAILED: no PDF"; exit 1; }
echo "ok: it prints"

# The download is what it says: the rows as CSV.
check 'the raw rows are inside the page' <<'JS'
const link = document.querySelector('a[download]');
const rows = atob(link.href.split(',')[1]).trim().split('\r\n');
return rows.length > 100 && rows[0].startsWith('invocation,look,setting') ? 'ok' : rows[0];
JS

call POST "$base/se/log" '{"type":"browser"}'
[ "$answer" = '{"value":[]}' ] || { echo "FAILED: the console says $answer"; exit 1; }
echo "ok: nothing on the console"

# A twin that must be found: a page that breaks its policy and the width.
sed 's|<main>|<main><div style="width:900px">wide</div><img src="http://127.0.0.1:9/x.png" alt="">|' "$page" >"$work/bad.html"
call POST "$base/url" '{"url":"file://'"$work/bad.html"'"}'
call POST "$base/se/log" '{"type":"browser"}'
[ "$answer" != '{"value":[]}' ] || { echo "FAILED: a forbidden picture went unnoticed"; exit 1; }
call POST "$base/execute/sync" '{"script":"return document.documentElement.scrollWidth > 360","args":[]}'
[ "$answer" = '{"value":true}' ] || { echo "FAILED: a wide page went unnoticed"; exit 1; }
echo "ok: a bad page is found"
