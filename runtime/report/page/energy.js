// Watts over time, and the front of time and energy with this run beside it.

// A line for each thing whose watts are known, or for those that are alike; the sum of those that add up.
function wattsChart(power) {
    const box = show("watts"), lines = power.lines, n = lines[0].watts.length;
    const all = lines.map((l, i) => ({watts: l.watts, color: colors[i % colors.length], wide: 1.8,
        name: `${l.name}: ${joulesText(l.joules)}` + (l.resolution > 0 ? `, to ${joulesText(l.resolution)}` : "")}));
    if (lines.length > 1)
        all.push({watts: power.sum, color: "--text", wide: 2.6, name: "all that add up"});
    legend(box, all.map(l => [l.color, l.name]));
    toolsOf(box, "watts").saves();
    return () => {
        const W = widthOf(box), H = W < 560 ? 200 : 260, left = 56, bottom = H - 24, top = 8, end = power.seconds;
        const highest = Math.max(...all.flatMap(l => l.watts.map(w => w || 0)), 1e-9);
        const x = c => left + c / n * (W - left - 10), y = v => bottom - v / highest * (bottom - top);
        const marks = ticks(0, end, Math.max(2, W / 130));
        let out = "";
        for (const v of ticks(0, highest, 4))
            out += line(left, y(v), W - 10, y(v), "grid") + words(left - 6, y(v) + 4, short(v) + " W", "end", "quiet");
        for (const t of marks) {
            const at = x(t / end * n);
            out += words(at, H - 6, tickText(t, marks), at > W - 40 ? "end" : "middle", "quiet");
        }
        for (const l of all) {
            let path = "", open = false;
            l.watts.forEach((w, c) => {
                if (w !== null)
                    path += `${open ? "H" : "M"}${x(c).toFixed(1)} ${open ? "V" : ""}${y(w).toFixed(1)}H${x(c + 1).toFixed(1)}`;
                open = w !== null;
            });
            out += `<path d="${path}" style="fill:none;stroke:var(${l.color});stroke-width:${l.wide}"/>`;
        }
        box.innerHTML = svg(W, H, out);
    };
}

function joulesText(j) {
    const size = j >= 1e9 ? [1e-9, "GJ"] : j >= 1e6 ? [1e-6, "MJ"] : j >= 1e3 ? [1e-3, "kJ"] : j >= 1 || j === 0
        ? [1, "J"] : j >= 1e-3 ? [1e3, "mJ"] : [1e6, "µJ"];
    return rounded(j * size[0]) + " " + size[1];
}

function frontChart(front) {
    const box = show("front"), rows = front.rows, ran = front.joules !== null;
    toolsOf(box, "front").saves();
    return () => {
        const W = widthOf(box), H = W < 560 ? 260 : 340, left = 72, right = 20, bottom = H - 28, top = 16;
        const points = ran ? [...rows, front] : rows;
        const limits = key => {
            const values = points.map(p => p[key]), most = Math.max(...values), least = Math.min(...values);
            const around = 0.08 * Math.max(most - least, 0.1 * most);
            return [Math.max(0, least - around), most + around];
        };
        const [t0, t1] = limits("seconds"), [e0, e1] = limits("joules");
        const x = t => left + (t - t0) / (t1 - t0) * (W - left - right), y = e => bottom - (e - e0) / (e1 - e0) * (bottom - top);
        const times = ticks(t0, t1, Math.max(2, W / 130));
        const labels = [];
        let out = "", path = "";
        for (const e of ticks(e0, e1, 5))
            out += line(left, y(e), W - right, y(e), "grid") + words(left - 6, y(e) + 4, joulesText(e), "end", "quiet");
        for (const t of times)
            out += line(x(t), top, x(t), bottom, "grid") + words(x(t), H - 8, tickText(t, times), "middle", "quiet");
        rows.forEach((r, i) => {
            const at = `${x(r.seconds).toFixed(1)} ${y(r.joules).toFixed(1)}`;
            path += i === 0 ? "M" + at : front.steps ? `H${x(r.seconds).toFixed(1)}V${y(r.joules).toFixed(1)}` : "L" + at;
        });
        out += `<path class="curve" d="${path}"/>`;
        const point = (p, text, color, down) => {
            const late = x(p.seconds) > 0.7 * W, place = x(p.seconds) + (late ? -8 : 8);
            out += `<circle cx="${x(p.seconds).toFixed(1)}" cy="${y(p.joules).toFixed(1)}" r="4" style="fill:var(${color})">` +
                `<title>${seconds(p.seconds)}, ${joulesText(p.joules)}</title></circle>`;
            if (text === "")
                return;
            const width = 7 * text.length, from = late ? place - width : place; // of letters, roughly
            let at = y(p.joules) + down - (late ? 10 : 0); // the line falls, so it is higher on the left
            while (labels.some(l => Math.abs(l.at - at) < 14 && from < l.from + l.width && l.from < from + width))
                at += 14; // below the label that is there
            labels.push({at, from, width});
            out += words(place, at, text, late ? "end" : "", color === "--lost" ? "strong" : "");
        };
        rows.forEach(r => point(r, r.marks.join(", "), "--task", -7));
        if (ran)
            point(front, "this run", "--lost", 3); // a run lies above the line
        box.innerHTML = svg(W, H, out);
    };
}

function energyCharts() {
    const energies = data("energies");
    if (energies === null)
        return [];
    return [energies.power && wattsChart(energies.power), energies.front && frontChart(energies.front)];
}
