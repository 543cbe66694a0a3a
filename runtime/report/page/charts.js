// The other charts, and the order in which all are drawn.

// From the ideal to the makespan, in steps: on narrow pages, where the table has no bars, and to be saved.
function waterfall(report) {
    const box = byId("waterfall");
    if (box === null)
        return null;
    toolsOf(box, "losses").saves();
    return () => {
        const W = widthOf(box), losses = report.losses.filter(l => l.seconds >= 5e-4 * report.makespan_s);
        const rows = [{name: document.querySelector(".waterfall .sum th").textContent, from: 0, to: report.ideal_s, kind: "all"}];
        let at = report.ideal_s;
        for (const l of losses) {
            rows.push({name: l.name, from: at, to: at + l.seconds, kind: "lost", part: l.seconds / report.makespan_s});
            at += l.seconds;
        }
        rows.push({name: "makespan", from: 0, to: report.makespan_s, kind: "all"});
        const left = 120, wide = W - left - 70, step = 22, x = t => left + t / report.makespan_s * wide;
        let out = "";
        rows.forEach((r, i) => {
            const y = 4 + i * step, width = Math.max(1, x(r.to) - x(r.from));
            out += words(left - 8, y + 13, r.name, "end", r.kind === "all" ? "strong" : "");
            out += `<rect class="${r.kind}" x="${x(r.from).toFixed(1)}" y="${y}" width="${width.toFixed(1)}" ` +
                `height="16" rx="2"/>`;
            const text = r.kind === "all" ? seconds(r.to) : percent(r.part);
            out += words(x(r.to) + 6, y + 13, text, "", "quiet");
            if (i + 1 < rows.length)
                out += line(x(r.to), y, x(r.to), y + step + 16, "axis");
        });
        box.innerHTML = svg(W, 4 + rows.length * step, out);
    };
}

const nameOfPu = (pu, most) => {
    const text = `PU ${pu.id}  ${pu.name}`;
    return text.length > most ? text.slice(0, most - 1) + "…" : text;
};

// What each PU did, and what it would have done if all had been at work all the time. Of many PUs those that
// differ most.
function shares(report) {
    const most = 24, powers = report.pus.reduce((sum, pu) => sum + pu.power, 0);
    if (report.pus.length < 2 || report.pus.every(pu => pu.work_share <= 0))
        return null;
    const box = show("shares");
    let rows = report.pus.map(pu => ({pu, given: pu.work_share, ideal: pu.rate_share,
        power: powers > 0 ? pu.power / powers : 0}));
    if (rows.length > most) {
        rows.sort((a, b) => Math.abs(b.given - b.ideal) - Math.abs(a.given - a.ideal));
        rows = rows.slice(0, most).sort((a, b) => a.pu.id - b.pu.id);
        box.previousElementSibling.textContent += ` These are the ${most} of ${report.pus.length} PUs that differ most.`;
    }
    legend(box, [["--task", "share of the work"], ["--text", "share of the rates: the ideal"],
        powers > 0 && ["--power", "given power"]].filter(Boolean));
    toolsOf(box, "shares").saves();
    return () => {
        const W = widthOf(box), narrow = W < 560, left = narrow ? 130 : W < 700 ? 150 : 200, right = narrow ? 92 : 215, step = rows.length > 16 ? 20 : 25;
        const longest = Math.max(...rows.map(r => Math.max(r.given, r.ideal, r.power))), wide = W - left - right;
        let out = "";
        rows.forEach((r, i) => {
            const y = i * step + 8, h = step - 8, x = left + r.ideal / longest * wide;
            out += words(left - 8, y + h / 2 + 4, nameOfPu(r.pu, narrow ? 18 : W < 700 ? 20 : 28), "end");
            out += `<rect class="given" x="${left}" y="${y}" width="${(r.given / longest * wide).toFixed(1)}" ` +
                `height="${h}" rx="2"/>` + line(x, y - 2, x, y + h + 2, "ideal");
            const end = left + Math.max(r.given, r.ideal, r.power) / longest * wide, at = left + r.power / longest * wide;
            if (powers > 0)
                out += `<path class="power" d="M${(at - 5).toFixed(1)} ${y - 7}h10l-5 7z"/>`;
            const [work, rate] = [rounded(100 * r.given), rounded(100 * r.ideal)];
            out += words(end + 8, y + h / 2 + 4, narrow ? `${work} / ${rate} %` : `${work} % of work, ${rate} % of rates`,
                "", "quiet");
        });
        box.innerHTML = svg(W, rows.length * step + 8, out);
    };
}

// Seconds of a task of x units of work, by a curve of the report.
function timeOf(curve, x) {
    const u = x / curve.scale, log = Math.log(Math.max(u, 1e-300)), exp = Math.exp(Math.min(u, 700));
    const values = {"1": 1, "u": u, "u^2": u * u, "u^3": u * u * u, "e^u": exp, "ln u": log, "u e^u": u * exp,
        "u ln u": u * log};
    return curve.terms.reduce((sum, t) => sum + t.seconds * values[t.term], 0);
}

// A small chart for one PU of each name: those of one name have about one curve.
function curves(report) {
    const most = 12, seen = new Map();
    for (const pu of report.pus) {
        const all = pu.phases ? pu.phases : [{phase: "", curve: pu.curve}];
        for (const {phase, curve} of all) {
            const key = pu.name + "/" + phase;
            if (curve !== null && curve.samples.length > 1 && !seen.has(key))
                seen.set(key, {pu, phase, curve});
        }
    }
    const shown = [...seen.values()].slice(0, most);
    if (shown.length === 0)
        return null;
    const box = show("curves");
    if (seen.size > most)
        box.previousElementSibling.textContent += ` The first ${most} of ${seen.size} kinds of PUs and phases.`;
    const names = new Set([...seen.values()].map(({pu}) => pu.name));
    const lacking = report.pus.filter(pu => !names.has(pu.name)).map(pu => pu.id);
    if (lacking.length > 0)
        box.previousElementSibling.textContent += " None for " + (lacking.length > 8 ? lacking.length + " others" :
            "PU " + lacking.join(", ")) + ": a curve needs two measured tasks.";
    legend(box, [["--task", "curve"], ["--text", "measured"]]);
    box.classList.add("small");
    const small = shown.map(({pu}) => {
        const whole = document.createElement("div"), div = document.createElement("div");
        whole.append(div);
        box.append(whole);
        toolsOf(div, "curve-" + pu.id).saves();
        return div;
    });
    return () => shown.forEach(({pu, phase, curve}, i) => {
        const W = Math.max(220, small[i].clientWidth), H = 170, left = 52, bottom = H - 32, top = 22;
        // As far as the samples go: the curve may have been fitted to larger tasks, which nobody measures now.
        const largest = Math.max(...curve.samples.map(s => s.work)), points = [];
        const end = Math.max(Math.min(curve.high, 1.3 * largest), curve.low), high = Math.max(end, largest);
        for (let k = 0; k <= 60; k++) {
            const x = curve.low + (end - curve.low) * k / 60;
            points.push([x, Math.max(0, timeOf(curve, x))]);
        }
        const longest = Math.max(...curve.samples.map(s => s.seconds), ...points.map(p => p[1])) || 1;
        const x = v => left + v / high * (W - left - 12), y = v => bottom - v / longest * (bottom - top);
        const times = ticks(0, longest, 3);
        const same = report.pus.filter(other => other.name === pu.name).length;
        let out = words(0, 12, nameOfPu(pu, 24) + (same > 1 ? `, one of ${same}` : "") + (phase ? ", " + phase : ""),
            "", "strong");
        for (const t of times)
            out += line(left, y(t), W - 8, y(t), "grid") + words(left - 5, y(t) + 4, tickText(t, times), "end", "quiet");
        for (const v of ticks(0, high, 3))
            out += words(x(v), bottom + 15, short(v), v > 0.9 * high ? "end" : "middle", "quiet");
        out += words(W - 8, H - 3, "units of average cost in a task", "end", "quiet");
        out += `<path class="curve" d="M${points.map(p => x(p[0]).toFixed(1) + " " + y(p[1]).toFixed(1)).join("L")}"/>`;
        for (const s of curve.samples)
            out += `<circle class="dot" cx="${x(s.work).toFixed(1)}" cy="${y(s.seconds).toFixed(1)}" r="3"/>`;
        small[i].innerHTML = svg(W, H, out);
    });
}

// How long each pass took.
function passes(trace) {
    const all = [];
    for (let i = 0; i + 2 <= trace.passes.length; i += 2)
        if (trace.passes[i + 1] > 0)
            all.push([i / 2, (trace.passes[i + 1] - trace.passes[i]) * trace.tick]);
    if (all.length < 8)
        return null;
    const box = show("each-pass");
    toolsOf(box, "passes").saves();
    return () => {
        const W = widthOf(box), H = 186, left = 60, bottom = H - 36, top = 8, longest = Math.max(...all.map(p => p[1]));
        const low = all[0][0], high = all[all.length - 1][0] + 1, wide = W - left - 10;
        const x = n => left + (n - low) / (high - low) * wide, y = t => bottom - t / longest * (bottom - top);
        const times = ticks(0, longest, 3), step = wide / (high - low);
        let out = "", bars = "";
        for (const t of times)
            out += line(left, y(t), W - 10, y(t), "grid") + words(left - 6, y(t) + 4, tickText(t, times), "end", "quiet");
        for (const [n, t] of all)
            bars += `M${x(n).toFixed(1)} ${bottom}V${y(t).toFixed(1)}h${(step > 4 ? step - 1 : step).toFixed(2)}V${bottom}z`;
        for (const n of ticks(low, high - 1, Math.min(high - low, W / 70)).filter(n => n === Math.round(n) && n < high))
            out += words(x(n + 0.5), H - 21, String(n), "middle", "quiet");
        out += words(W - 10, H - 4, "number of the pass", "end", "quiet");
        box.innerHTML = svg(W, H, out + `<path class="other" d="${bars}"/>`);
    };
}

// Units per second over time; a line for each PU, or for the mean of those of one name.
function rates(report, trace) {
    const most = 8, n = trace.rateColumns, groups = new Map();
    trace.rates.forEach(([fastest, text], p) => {
        if (text === "")
            return;
        const key = report.pus.length > most ? report.pus[p].name : "PU " + p + "  " + report.pus[p].name;
        const group = groups.get(key) || {name: key, pus: 0, sum: new Float64Array(n), known: new Float64Array(n)};
        group.pus++;
        for (let c = 0; c < n; c++) {
            const part = 64 * valueOf[text.charCodeAt(2 * c)] + valueOf[text.charCodeAt(2 * c + 1)];
            if (part > 0) {
                group.sum[c] += fastest * part / 4095;
                group.known[c]++;
            }
        }
        groups.set(key, group);
    });
    const all = [...groups.values()].sort((a, b) => b.pus - a.pus), shown = all.slice(0, most);
    if (shown.length === 0)
        return null;
    const box = show("rates");
    if (report.pus.length > most)
        box.previousElementSibling.textContent += " A line is the mean of the PUs of one name" +
            (all.length > most ? `; these are ${most} of ${all.length} names.` : ".");
    legend(box, shown.map((g, i) => [colors[i], g.pus > 1 ? `${g.name} (${g.pus} PUs)` : g.name]));
    toolsOf(box, "rates").saves();
    return () => {
        const W = widthOf(box), H = W < 560 ? 200 : 260, left = 56, bottom = H - 24, top = 8, end = trace.seconds;
        const value = (g, c) => g.known[c] > 0 ? g.sum[c] / g.known[c] : null;
        const highest = Math.max(...shown.flatMap(g => Array.from(g.sum, (_, c) => value(g, c) || 0)));
        const x = c => left + c / n * (W - left - 10), y = v => bottom - v / highest * (bottom - top);
        const marks = ticks(0, end, Math.max(2, W / 130));
        let out = "";
        for (const v of ticks(0, highest, 4))
            out += line(left, y(v), W - 10, y(v), "grid") + words(left - 6, y(v) + 4, short(v), "end", "quiet");
        for (const t of marks) {
            const at = x(t / end * n);
            out += words(at, H - 6, tickText(t, marks), at > W - 40 ? "end" : "middle", "quiet");
        }
        shown.forEach((g, i) => {
            let path = "", open = false;
            for (let c = 0; c < n; c++) {
                const v = value(g, c);
                if (v !== null)
                    path += `${open ? "L" : "M"}${x(c + 0.5).toFixed(1)} ${y(v).toFixed(1)}`;
                open = v !== null;
            }
            out += `<path d="${path}" style="fill:none;stroke:var(${colors[i]});stroke-width:1.8${i > 3 ? ";stroke-dasharray:6 3" : ""}"/>`;
        });
        box.innerHTML = svg(W, H, out);
    };
}

// On wide pages neighbours share a row. One that is left over has a row of its own.
function pairCharts() {
    const halves = ["each-pass", "shares", "ends", "rates", "traffic", "watts", "front"];
    let open = null;
    for (const section of document.querySelectorAll("body > section:not([hidden])")) {
        const half = halves.includes(section.id);
        if (half && open !== null) {
            open.classList.add("half");
            section.classList.add("half");
        }
        open = half && open === null ? section : null;
    }
}

(function drawAll() {
    const report = data("report"), trace = data("trace");
    const charts = [waterfall(report), trace && gantt(report, trace), trace && passes(trace), shares(report), curves(report),
        trace && predictedEnds(trace), trace && rates(report, trace), traffic(report), whatIf(report),
        ...energyCharts()].filter(Boolean);
    pairCharts();
    let width = 0;
    const draw = () => {
        if (document.documentElement.clientWidth === width)
            return;
        width = document.documentElement.clientWidth;
        charts.forEach(chart => chart());
        document.querySelectorAll(".wide").forEach(box => box.classList.toggle("cut", box.scrollWidth > box.clientWidth));
    };
    draw();
    window.addEventListener("resize", draw);
    // For tests: that all was drawn, how long it took, and that nothing was fetched.
    Object.assign(document.documentElement.dataset, {drawn: "yes", ms: Math.round(performance.now()),
        fetched: performance.getEntriesByType("resource").length});
})();
