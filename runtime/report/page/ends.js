// Predicted ends of passes, and the bytes of nodes.

// A point for each solve: the end of the pass that was expected, less its real end.
function predictedEnds(trace) {
    const most = 1500, passes = [], points = [];
    for (let i = 0; i + 2 <= trace.passes.length; i += 2)
        if (trace.passes[i + 1] > 0)
            passes.push(trace.passes.slice(i, i + 2));
    for (let i = 0, p = 0; i + 8 <= trace.events.length; i += 8) {
        const [type, , start, , , rest] = trace.events.slice(i, i + 8);
        if (type !== 3 || rest <= 0)
            continue;
        if (p > 0 && passes[p - 1][1] > start)
            p = 0;
        while (p < passes.length && passes[p][1] <= start)
            p++;
        if (p < passes.length)
            points.push([start * trace.tick, (start + rest - passes[p][1]) * trace.tick]);
    }
    if (points.length < 2)
        return null;
    const box = show("ends"), step = Math.ceil(points.length / most), shown = points.filter((p, i) => i % step === 0);
    toolsOf(box, "ends").saves();
    return () => {
        const W = widthOf(box), H = 200, left = 70, bottom = H - 24, top = 10, end = trace.seconds;
        // The first guesses of a run may be far off: they stand at the edge.
        const sizes = shown.map(p => Math.abs(p[1])).sort((a, b) => a - b);
        const edge = Math.max(2 * sizes[Math.floor(0.9 * (sizes.length - 1))], 1e-3 * end);
        const high = Math.min(edge, Math.max(...shown.map(p => p[1]), 0.2 * edge));
        const low = -Math.min(edge, Math.max(...shown.map(p => -p[1]), 0.2 * edge));
        const x = t => left + t / end * (W - left - 10), y = v => bottom - (v - low) / (high - low) * (bottom - top);
        const sides = ticks(low, high, 4), marks = ticks(0, end, Math.max(2, W / 130));
        let out = "", dots = "";
        for (const v of sides)
            out += line(left, y(v), W - 10, y(v), Math.abs(v) < 1e-9 * end ? "axis" : "grid") +
                words(left - 6, y(v) + 4, (v > 1e-9 * end ? "+" : "") + tickText(v, sides), "end", "quiet");
        for (const t of marks)
            out += words(x(t), H - 6, tickText(t, marks), x(t) > W - 40 ? "end" : "middle", "quiet");
        for (const [t, v] of shown)
            dots += `M${(x(t) - 2.5).toFixed(1)} ${y(Math.max(low, Math.min(high, v))).toFixed(1)}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0`;
        box.innerHTML = svg(W, H, out + `<path class="solve" d="${dots}"/>`);
    };
}

const bytesOf = x => short(x) + (Math.abs(x) < 1e4 ? " B" : "B");

// Bytes that each node sent and received; of many nodes those that sent most.
function traffic(report) {
    const most = 24, total = report.traffic.reduce((sum, t) => sum + t.bytes, 0);
    if (report.traffic.length < 2 || total <= 0)
        return null;
    const box = show("traffic"), rows = [...report.traffic].sort((a, b) => b.bytes - a.bytes).slice(0, most);
    const say = text => { box.previousElementSibling.textContent += text; };
    say(` All nodes sent ${bytesOf(total)}.`);
    if (report.replicated_bytes > 0)
        say(` This includes inputs that every node needs (${bytesOf(report.replicated_bytes)} for each), which were sent before the run began.`);
    if (report.traffic.length > most)
        say(` These are the ${most} of ${report.traffic.length} nodes that sent most.`);
    rows.sort((a, b) => a.node - b.node);
    legend(box, [["--pua", "sent"], ["--pud", "received"]]);
    toolsOf(box, "traffic").saves();
    return () => {
        const W = widthOf(box), narrow = W < 560, left = narrow ? 110 : 200, right = narrow ? 80 : 190, step = 34;
        const longest = Math.max(...rows.map(r => Math.max(r.bytes, r.received)));
        let out = "";
        rows.forEach((r, i) => {
            const y = i * step + 2, wide = bytes => Math.max(1, bytes / longest * (W - left - right));
            const name = `node ${r.node}  ${r.host}`, most = narrow ? 16 : 28;
            const bar = (kind, bytes, y, text) => {
                out += `<rect class="${kind}" x="${left}" y="${y}" width="${wide(bytes).toFixed(1)}" height="12" rx="2"/>` +
                    words(left + wide(bytes) + 8, y + 10, text, "", "quiet");
            };
            out += words(left - 8, y + 18, name.length > most ? name.slice(0, most - 1) + "…" : name, "end");
            bar("sent", r.bytes, y, bytesOf(r.bytes) + (narrow ? "" : ` in ${r.messages} messages`));
            bar("got", r.received, y + 14, bytesOf(r.received));
        });
        box.innerHTML = svg(W, rows.length * step + 2, out);
    };
}
