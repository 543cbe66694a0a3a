// The chart over time: a row for each PU, or for each group of PUs where there are many.

function gantt(report, trace) {
    const box = show("gantt"), all = 1e7, mostRows = 48, mostArrows = 250, columnWidth = 3;
    const pus = [], solves = [];
    let from = 0, to = all, first = 0, last = trace.pus, drawn = null;

    // ------------------------------------------------------------- reading
    for (let p = 0; p < trace.pus; p++)
        pus.push({events: [], bins: null});
    for (let i = 0; i + 8 <= trace.events.length; i += 8) {
        const [type, pu, start, time, pass, unit, count, owner] = trace.events.slice(i, i + 8);
        const event = {start, end: start + time, pass, unit, count, owner, pu, kind: "task", twice: null};
        event.kind = type === 1 || type === 2 ? "transfer" : type === 3 ? "solve" : owner !== pu ? "stolen" : "task";
        (pu < 0 ? solves : pus[pu].events).push(event);
    }
    for (const row of [solves, ...pus.map(p => p.events)])
        row.sort((a, b) => a.start - b.start);
    for (const [p, text] of Object.entries(trace.bins)) {
        pus[p].bins = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++)
            pus[p].bins[i] = valueOf[text.charCodeAt(i)];
    }
    const passes = [];
    for (let i = 0; i + 2 <= trace.passes.length; i += 2)
        if (trace.passes[i + 1] > 0)
            passes.push({number: i / 2, start: trace.passes[i], end: trace.passes[i + 1]});

    // Units that two PUs executed in a pass: the later task is a backup.
    (function findBackups() {
        const tasks = pus.flatMap(p => p.events).filter(e => e.kind === "task" || e.kind === "stolen");
        tasks.sort((a, b) => a.pass - b.pass || a.unit - b.unit);
        let widest = null;
        for (const e of tasks) {
            if (widest !== null && widest.pass === e.pass && widest.pu !== e.pu && e.count > 0 &&
                e.unit < widest.unit + widest.count) {
                const later = e.start > widest.start ? e : widest;
                later.twice = later === e ? widest : e;
                later.kind = "backup";
            }
            if (widest === null || widest.pass !== e.pass || e.unit + e.count > widest.unit + widest.count)
                widest = e;
        }
    })();
    const tasksStolen = pus.some(p => p.events.some(e => e.kind === "stolen") ||
        (p.bins !== null && p.bins.some((v, i) => i % 3 === 2 && v > 0)));
    const anyBackup = pus.some(p => p.events.some(e => e.kind === "backup"));
    const anyCopy = pus.some(p => p.events.some(e => e.kind === "transfer") ||
        (p.bins !== null && p.bins.some((v, i) => i % 3 === 1 && v > 0)));

    // ------------------------------------------------------------- drawing
    const place = t => drawn.left + (t - from) / (to - from) * drawn.wide;
    const rect = (x, y, w, h) => `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;

    // Tasks of one PU, one by one; neighbours that the eye cannot tell apart are one.
    function drawEvents(events, y, h, paths) {
        const least = 0.4, open = {};
        const close = kind => {
            const o = open[kind];
            if (o)
                paths[kind] = (paths[kind] || "") + rect(o.x, y, Math.max(o.end - o.x, least), h);
            open[kind] = null;
        };
        for (const e of events) {
            if (e.end < from || e.start > to)
                continue;
            const x = Math.max(place(e.start), drawn.left), end = Math.min(place(e.end), drawn.left + drawn.wide);
            const o = open[e.kind];
            // Wide tasks are a little apart, so that one sees where each begins.
            const gap = end - x > 4 ? 0.5 : 0;
            if (o && x - o.end < least && end - x < 2 * least) {
                o.end = end;
                continue;
            }
            close(e.kind);
            open[e.kind] = {x, end: end - gap};
        }
        Object.keys(open).forEach(close);
    }

    // The parts of each column in which PUs p0 to p1 computed, copied and executed units of others.
    function partsOf(p0, p1, columns) {
        const parts = new Float32Array(3 * columns), width = (to - from) / columns, share = 1 / (p1 - p0);
        const add = (start, end, part, amount) => {
            const c0 = Math.max(0, Math.floor((start - from) / width));
            const c1 = Math.min(columns - 1, Math.floor((end - from) / width));
            for (let c = c0; c <= c1; c++) {
                const inside = Math.min(end, from + (c + 1) * width) - Math.max(start, from + c * width);
                if (inside > 0)
                    parts[3 * c + part] += amount * inside / width;
            }
        };
        for (let p = p0; p < p1; p++) {
            const bins = pus[p].bins, bin = all / trace.columns;
            for (const e of pus[p].events)
                if (e.end > from && e.start < to)
                    add(e.start, e.end, e.kind === "transfer" ? 1 : e.kind === "stolen" ? 2 : 0, share);
            if (bins === null)
                continue;
            const end = Math.min(trace.columns, Math.ceil(to / bin));
            for (let b = Math.max(0, Math.floor(from / bin)); b < end; b++)
                for (let part = 0; part < 3; part++)
                    if (bins[3 * b + part] > 0)
                        add(b * bin, (b + 1) * bin, part, share * bins[3 * b + part] / 63);
        }
        return parts;
    }

    // Filled heights: the part of the time, from the bottom: computing, then units of others, then copies.
    function drawParts(p0, p1, y, h, paths) {
        const inView = Math.ceil((to - from) / all * trace.columns);
        const binned = pus.slice(p0, p1).every(p => p.bins !== null);
        const columns = Math.max(1, Math.min(Math.round(drawn.wide / columnWidth), binned ? inView : 1e9));
        const parts = partsOf(p0, p1, columns), step = drawn.wide / columns;
        const order = [[1, 0, 2], [0, 2], [0]], names = ["transfer", "stolen", "task"];
        order.forEach((which, i) => {
            let path = "", before = 0, open = false;
            for (let c = 0; c <= columns; c++) {
                let part = 0;
                if (c < columns)
                    for (const k of which)
                        part += parts[3 * c + k];
                const height = Math.round(Math.min(1, part) * h * 5) / 5;
                if (height === before && c < columns)
                    continue;
                const x = (drawn.left + c * step).toFixed(1), top = (y + h - height).toFixed(1);
                if (height > 0)
                    path += open ? `H${x}V${top}` : `M${x} ${(y + h).toFixed(1)}V${top}`;
                else if (open)
                    path += `H${x}V${(y + h).toFixed(1)}z`;
                if (c === columns && open && height > 0)
                    path += "z";
                open = height > 0;
                before = height;
            }
            paths[names[i]] = (paths[names[i]] || "") + path;
        });
    }

    // Whether single tasks of a PU are too narrow to be seen one by one, or are not there.
    function crowded(p) {
        const events = pus[p].events;
        if (pus[p].bins !== null)
            return true;
        let seen = 0;
        for (const e of events)
            seen += e.end > from && e.start < to;
        return seen > drawn.wide / columnWidth / 1.5;
    }

    function drawPasses(top, bottom) {
        const seen = passes.filter(p => p.end > from && p.start < to);
        if (passes.length < 2 || seen.length > 400)
            return "";
        let free = drawn.left, bands = "", labels = "";
        const wideEnough = drawn.wide / seen.length > 6;
        for (const p of seen) {
            const x = Math.max(place(p.start), drawn.left), w = Math.min(place(p.end), drawn.left + drawn.wide) - x;
            const text = String(p.number), room = 7 * text.length + 10;
            const middle = x + w / 2;
            if (wideEnough && p.number % 2 === 0)
                bands += rect(x, top, w, bottom - top);
            if (middle - room / 2 < free || middle + room / 2 > drawn.left + drawn.wide)
                continue;
            free = middle + Math.max(room / 2, w > 52 ? 0 : 1.5 * room);
            labels += words(middle, top + 11, text, "middle", "quiet");
        }
        const heading = labels === "" ? "" : words(drawn.left - 6, top + 11, "pass", "end", "quiet");
        return `<path class="band" d="${bands}"/>` + heading + labels;
    }

    // From the row of the PU that work was granted to, to that of the PU that executed it.
    function drawArrows() {
        const arrows = [];
        for (let p = first; p < last && drawn.size === 1; p++) {
            let before = null;
            if (crowded(p))
                drawn.crowded = true;
            for (const e of pus[p].events) {
                const of = e.twice !== null ? e.twice.pu : e.kind === "stolen" ? e.owner : -1;
                if (of >= first && of < last && of !== before && e.start >= from && e.start <= to)
                    arrows.push([of, p, e]);
                if (e.kind !== "transfer")
                    before = of >= 0 ? of : null;
            }
        }
        drawn.arrows = arrows.length;
        if (drawn.crowded || arrows.length > mostArrows)
            return "";
        return arrows.map(([a, b, e]) => {
            const x = place(e.start), middle = i => drawn.rows[i - first].y + drawn.rows[i - first].h / 2;
            const y1 = middle(a), y2 = middle(b) + (a < b ? -1 : 1) * drawn.rows[0].h / 2, d = a < b ? -1 : 1;
            return `<path class="steal" d="M${(x - 5).toFixed(1)} ${y1.toFixed(1)}L${x.toFixed(1)} ${y2.toFixed(1)}"` +
                `${e.twice ? " stroke-dasharray=\"3 2\"" : ""}/><path class="steal-head" ` +
                `d="M${x.toFixed(1)} ${y2.toFixed(1)}l-3.5 ${5 * d}h6z"/>`;
        }).join("");
    }

    function nameOf(row) {
        if (row.p1 - row.p0 > 1)
            return drawn.narrow ? `${row.p0}–${row.p1 - 1}` : `PUs ${row.p0}–${row.p1 - 1}`;
        const pu = report.pus[row.p0], text = drawn.narrow ? "PU " + row.p0 : `PU ${row.p0}  ${pu.name}`;
        return text.length > 25 ? text.slice(0, 24) + "…" : text;
    }

    function draw() {
        const W = widthOf(box), narrow = W < 560, left = narrow ? 54 : 170, n = last - first;
        const size = Math.ceil(n / mostRows), count = Math.ceil(n / size);
        const h = count <= 12 ? 24 : count <= 24 ? 17 : 11, gap = count <= 24 ? 4 : 2;
        const top = 20 + (passes.length > 1 ? 14 : 0), master = solves.length > 0 ? 20 : 0;
        drawn = {narrow, left, wide: W - left - 10, size, rows: [], arrows: 0, top, master};
        const bottom = top + master + count * (h + gap), tick = trace.tick;
        const times = ticks(from * tick, to * tick, Math.max(2, W / 110)), marks = times.map(t => t / tick), paths = {};
        let out = drawPasses(top - 14, bottom), labels = "";
        marks.forEach((t, i) => {
            out += line(place(t), top, place(t), bottom, "grid");
            const x = place(t), anchor = x > W - 40 ? "end" : x < left + 25 ? "start" : "middle";
            labels += words(x, 11, tickText(times[i], times), anchor, "quiet");
        });
        if (master > 0) {
            labels += words(left - 6, top + 12, "master", "end", "quiet");
            drawEvents(solves.map(e => ({...e, end: Math.max(e.end, e.start + (to - from) / drawn.wide)})), top + 2,
                12, paths);
        }
        for (let r = 0; r < count; r++) {
            const p0 = first + r * size, p1 = Math.min(last, p0 + size), y = top + master + r * (h + gap) + gap / 2;
            const row = {p0, p1, y, h};
            drawn.rows.push(row);
            out += line(left, y + h + gap / 2, W - 10, y + h + gap / 2, "grid");
            if (p1 - p0 === 1 && !crowded(p0))
                drawEvents(pus[p0].events, y, h, paths);
            else
                drawParts(p0, p1, y, h, paths);
            labels += words(left - 6, y + h / 2 + 4, nameOf(row), "end", size > 1 ? "quiet" : "");
        }
        for (const kind of ["transfer", "stolen", "task", "backup", "solve"])
            if (paths[kind])
                out += `<path class="${kind}" d="${paths[kind]}"/>`;
        box.innerHTML = svg(W, bottom + 4, out + drawArrows() + labels);
        sayState();
    }

    // ------------------------------------------------------------- tools
    const tools = toolsOf(box, "gantt"), note = document.createElement("span");
    const middle = () => (from + to) / 2;
    let waiting = false;
    function redraw() {
        if (!waiting)
            requestAnimationFrame(() => { waiting = false; draw(); });
        waiting = true;
    }
    function look(a, b) {
        const width = Math.min(all, Math.max(b - a, 200));
        from = Math.max(0, Math.min(a, all - width));
        to = from + width;
        redraw();
    }
    const zoom = (factor, at) => look(at - (at - from) * factor, at + (to - at) * factor);
    const move = part => look(from + part * (to - from), to + part * (to - from));
    button(tools, "+", "zoom in", () => zoom(0.5, middle()));
    button(tools, "−", "zoom out", () => zoom(2, middle()));
    button(tools, "◀", "earlier", () => move(-0.4));
    button(tools, "▶", "later", () => move(0.4));
    button(tools, "all", "the whole run, all PUs", () => { first = 0; last = trace.pus; look(0, all); });
    tools.saves();
    note.className = "note";
    tools.append(note);

    function sayState() {
        const binned = pus.slice(first, last).some(p => p.bins !== null), notes = [];
        const together = drawn.size === 1 && pus.slice(first, last).some((p, i) => p.bins === null && crowded(first + i));
        if (drawn.size > 1)
            notes.push(`A row is the mean of ${drawn.size} PUs; click on its name to see them.`);
        if (binned)
            notes.push(`PUs with more than ${trace.limit} events are shown as ${trace.columns} columns of time, ` +
                "filled as far as they were at work; --trace run.json has each task.");
        if (together && !binned)
            notes.push("Many tasks are drawn together: a column is filled as far as its PU was at work; zoom in.");
        if (drawn.arrows > 0 && (drawn.crowded || drawn.arrows > mostArrows))
            notes.push(`Zoom in to see ${drawn.arrows} arrows.`);
        const lost = report.pus.filter((pu, p) => pu.tasks > 0 && pus[p].events.length === 0 && pus[p].bins === null);
        if (lost.length > 0)
            notes.push("The tasks of " + (lost.length > 8 ? lost.length + " PUs" : (lost.length > 1 ? "PUs " : "PU ") + lost.map(pu => pu.id).join(", ")) +
                " were lost with their rank.");
        note.textContent = notes.join(" ");
    }

    const at = event => {
        const r = box.querySelector("svg").getBoundingClientRect(), scale = widthOf(box) / r.width;
        return {x: (event.clientX - r.left) * scale, y: (event.clientY - r.top) * scale};
    };
    const timeAt = x => from + (x - drawn.left) / drawn.wide * (to - from);
    const describe = e => {
        const unit = report.settings && e.count > 0 ? `, ${e.count} units from ${e.unit} on` : "";
        return `${e.kind === "solve" ? "master: solve" : "PU " + e.pu + ": " + (e.kind === "transfer" ? "copy" : "task")}, ` +
            `${seconds((e.end - e.start) * trace.tick)} from ${seconds(e.start * trace.tick, 5)}${unit}` +
            (passes.length > 1 && e.kind !== "solve" ? `, pass ${e.pass}` : "") +
            (e.kind === "solve" && e.unit > 0
                ? `, expects the pass to end at ${seconds((e.start + e.unit) * trace.tick, 4)}` : "") +
            (e.kind === "stolen" ? `, granted to PU ${e.owner}` : "") +
            (e.twice ? `, also executed by PU ${e.twice.pu}` : "");
    };
    function hover(event) {
        const {x, y} = at(event), row = drawn.rows.find(r => y >= r.y && y <= r.y + r.h), t = timeAt(x);
        const near = 2 * (to - from) / drawn.wide;
        const solving = y < drawn.top + drawn.master && y > drawn.top;
        if (x < drawn.left || (!row && !solving))
            return say(null, event);
        const events = solving ? solves : row.p1 - row.p0 === 1 ? pus[row.p0].events : [];
        const e = events.find(e => t >= e.start - near / 2 && t <= e.end + near / 2);
        if (e)
            return say(describe(e), event);
        if (solving || (row.p1 - row.p0 === 1 && pus[row.p0].bins === null))
            return say(null, event);
        const width = (to - from), parts = (() => {
            const keep = [from, to];
            from = t - near;
            to = t + near;
            const p = partsOf(row.p0, row.p1, 1);
            [from, to] = keep;
            return p;
        })();
        say(`${nameOf(row)} at ${seconds(t * trace.tick, 4)}: ${percent(parts[0] + parts[2])} at work, ` +
            `${percent(parts[1])} copying`, event, width);
    }

    let held = null, pinch = 0;
    const fingers = new Map();
    box.onpointerdown = event => {
        fingers.set(event.pointerId, event.clientX);
        held = {x: at(event).x, from, to, moved: false};
        pinch = fingers.size === 2 ? Math.abs([...fingers.values()].reduce((a, b) => a - b)) : 0;
        box.setPointerCapture(event.pointerId);
    };
    box.onpointermove = event => {
        if (fingers.has(event.pointerId))
            fingers.set(event.pointerId, event.clientX);
        if (fingers.size === 2 && pinch > 0) {
            const now = Math.abs([...fingers.values()].reduce((a, b) => a - b));
            zoom(pinch / Math.max(now, 1), timeAt(at(event).x));
            pinch = Math.max(now, 1);
        } else if (held !== null && fingers.size === 1) {
            const by = (held.x - at(event).x) / drawn.wide * (held.to - held.from);
            held.moved = held.moved || Math.abs(held.x - at(event).x) > 4;
            if (held.moved)
                look(held.from + by, held.to + by);
        } else {
            hover(event);
        }
    };
    box.onpointerup = box.onpointercancel = event => {
        fingers.delete(event.pointerId);
        const {x, y} = at(event), row = drawn.rows.find(r => y >= r.y && y <= r.y + r.h);
        if (held !== null && !held.moved && x < drawn.left && row && row.p1 - row.p0 > 1) {
            first = row.p0;
            last = row.p1;
            redraw();
        } else if (held !== null && !held.moved && event.type === "pointerup") {
            hover(event);
        }
        held = null;
    };
    box.onpointerleave = event => say(null, event);
    box.ondblclick = event => zoom(0.4, timeAt(at(event).x));
    box.addEventListener("wheel", event => {
        if (!event.ctrlKey)
            return;
        event.preventDefault();
        zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(at(event).x));
    }, {passive: false});

    legend(box, [["--task", "task"], tasksStolen && ["--stolen", "stolen task"],
        anyBackup && ["--backup", "re-executed task"], anyCopy && ["--transfer", "copy, or wait for a copy"],
        solves.length > 0 && ["--solve", "solve"], ["--back", "idle"],
        (tasksStolen || anyBackup) && [null, "↕ arrow: from the PU to which the work was granted"]].filter(Boolean));
    return draw;
}
