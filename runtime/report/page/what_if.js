// The time that the run would have taken with each change: a bar each, the shortest first, and a line where the run ended.
function whatIf(report) {
    const rows = (report.what_if || []).filter(c => c.predicted_s !== null).sort((a, b) => a.predicted_s - b.predicted_s);
    if (rows.length === 0)
        return null;
    const box = byId("what-if").querySelector(".chart");
    toolsOf(box, "what-if").saves();
    return () => {
        const W = widthOf(box), narrow = W < 560, left = narrow ? 0 : 290, most = narrow ? 60 : 44;
        const above = narrow ? 16 : 0, step = 22 + above; // on narrow pages names stand above their bars
        // A change for the worse may take a hundred times as long: its bar is cut.
        const longest = Math.min(Math.max(report.makespan_s, rows[rows.length - 1].predicted_s), 3 * report.makespan_s);
        const wide = W - left - 160, x = t => left + Math.min(t, longest) / longest * wide;
        const cut = text => text.length > most ? text.slice(0, most - 1) + "…" : text;
        let out = words(x(report.makespan_s), 12, `the run: ${seconds(report.makespan_s)}`, "middle", "quiet");
        rows.forEach((c, i) => {
            const y = 20 + i * step + above, kind = c.ratio < 0.99 ? "solve" : c.ratio > 1.01 ? "lost" : "all";
            const change = 100 * (c.ratio - 1), sign = change < 0 ? "−" : "+";
            out += narrow ? words(0, y - 4, cut(c.change)) : words(left - 8, y + 13, cut(c.change), "end");
            out += `<rect class="${kind}" x="${left}" y="${y}" width="${Math.max(1, x(c.predicted_s) - left).toFixed(1)}" ` +
                `height="16" rx="2"/>`;
            out += words(Math.max(x(c.predicted_s), x(report.makespan_s)) + 8, y + 13,
                Math.abs(change) < 0.5 ? "no change" : `${seconds(c.predicted_s)}, ${sign}${rounded(Math.abs(change), 2)} %` +
                    (c.predicted_s > longest ? " (bar cut)" : ""),
                "", "quiet");
        });
        for (let y = narrow ? 34 : 16; y < 20 + rows.length * step; y += step) // not through names
            out += line(x(report.makespan_s), y, x(report.makespan_s), y + (narrow ? 20 : step + 2), "ideal");
        box.innerHTML = svg(W, 24 + rows.length * step, out);
    };
}
