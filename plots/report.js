"use strict";
// Sorting and filtering of the tables of settings, and open details on paper. Without it all is still readable.
(() => {
    const value = (row, column) => {
        const cell = row.cells[column];
        return cell.hasAttribute("data-v") ? Number(cell.dataset.v) : cell.textContent;
    };
    // Numbers by size, texts by the alphabet; what has no value goes last, whatever the direction.
    const compare = (a, b, down) => {
        const missing = (v) => typeof v === "number" && Number.isNaN(v);
        if (missing(a) || missing(b)) return missing(a) - missing(b);
        const order = typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
        return down ? -order : order;
    };
    const sortable = (table) => {
        const heads = [...table.tHead.rows[0].cells];
        heads.forEach((head, column) => {
            const button = head.querySelector("button");
            if (!button) return;
            button.addEventListener("click", () => {
                const down = head.getAttribute("aria-sort") === "ascending";
                heads.forEach((h) => h.hasAttribute("aria-sort") && h.setAttribute("aria-sort", "none"));
                head.setAttribute("aria-sort", down ? "descending" : "ascending");
                const body = table.tBodies[0];
                [...body.rows]
                    .sort((a, b) => compare(value(a, column), value(b, column), down))
                    .forEach((row) => body.append(row));
            });
        });
    };
    const filterable = (box) => {
        const input = box.querySelector("input");
        const output = box.querySelector("output");
        const rows = [...document.getElementById(input.getAttribute("aria-controls")).tBodies[0].rows];
        const apply = () => {
            const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
            let shown = 0;
            rows.forEach((row) => {
                const text = row.textContent.toLowerCase();
                row.hidden = !words.every((word) => text.includes(word));
                shown += row.hidden ? 0 : 1;
            });
            output.textContent = `${shown} of ${rows.length} settings`;
        };
        box.hidden = false;
        input.addEventListener("input", apply);
        apply();
    };
    document.querySelectorAll("table.settings").forEach(sortable);
    document.querySelectorAll(".filter").forEach(filterable);
    let closed = [];
    addEventListener("beforeprint", () => {
        closed = [...document.querySelectorAll("details:not([open])")];
        closed.forEach((d) => (d.open = true));
    });
    addEventListener("afterprint", () => closed.forEach((d) => (d.open = false)));
})();
