"use strict";
// Numbers as people read them, pieces of SVG, and files to save charts in.

// A mistake is shown on the page, where a reader, and a test, can see it.
window.onerror = function (message, source, line) {
    const p = document.createElement("p");
    p.className = "error script-error";
    p.textContent = "A chart is missing, by a mistake of this page: " + message + " (line " + line + ")";
    document.body.prepend(p);
};

const byId = id => document.getElementById(id);
const data = id => byId(id) ? JSON.parse(byId(id).textContent) : null;
const escaped = text => String(text).replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");
const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
const valueOf = new Uint8Array(128);
for (let i = 0; i < 64; i++)
    valueOf[digits.charCodeAt(i)] = i;

const rounded = (x, n) => String(+x.toPrecision(n || 3));
function seconds(s, n) {
    const size = Math.abs(s);
    return s === 0 ? "0 s" : size >= 1 ? rounded(s, n) + " s" : size >= 1e-3 ? rounded(s * 1e3, n) + " ms"
         : rounded(s * 1e6, n) + " µs";
}
function short(x) {
    const size = Math.abs(x);
    return size >= 1e9 ? rounded(x / 1e9) + " G" : size >= 1e6 ? rounded(x / 1e6) + " M"
         : size >= 1e4 ? rounded(x / 1e3) + " k" : rounded(x);
}
const percent = part => rounded(100 * part, part < 0.0995 ? 2 : 3) + " %";

// Round numbers from low to high, about n of them.
function ticks(low, high, n) {
    const rough = (high - low) / n, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * [1, 2, 5, 10].find(s => s * power >= rough * 0.999), all = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++)
        all.push(i * step);
    return all;
}
// Times on an axis are written with as many digits as tell them apart.
function tickText(t, all) {
    const step = all.length > 1 ? all[1] - all[0] : t || 1, most = Math.max(...all.map(Math.abs), step);
    const unit = most >= 1 ? [1, "s"] : most >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
    const after = Math.max(0, Math.min(9, -Math.floor(Math.log10(step * unit[0]) + 1e-9)));
    return (t * unit[0]).toFixed(after) + " " + unit[1];
}

const line = (x1, y1, x2, y2, kind) =>
    `<path class="${kind}" d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}"/>`;
const words = (x, y, text, anchor, kind) =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${anchor ? ` text-anchor="${anchor}"` : ""}` +
    `${kind ? ` class="${kind}"` : ""}>${escaped(text)}</text>`;

// The style of all charts, so that a saved one has it, too.
const chartStyle = `
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--text) }
text.quiet { fill: var(--quiet) } text.strong { font-weight: 600 }
.grid { stroke: var(--grid); fill: none } .axis { stroke: var(--line); fill: none }
.lane { fill: var(--panel) } .band { fill: var(--band) }
.task { fill: var(--task) } .stolen { fill: var(--stolen) } .transfer { fill: var(--transfer) }
.solve { fill: var(--solve) } .backup { fill: var(--backup) } .lost { fill: var(--lost) } .all { fill: var(--all) }
.steal { stroke: var(--stolen); fill: none } .steal-head { fill: var(--stolen) }
.given { fill: var(--task) } .ideal { stroke: var(--text); stroke-width: 2 }
.other { fill: var(--quiet) } .power { fill: var(--power) } .sent { fill: var(--pua) } .got { fill: var(--pud) }
.dot { fill: var(--text); stroke: var(--back); stroke-width: 0.5 } .curve { stroke: var(--task); fill: none;
stroke-width: 2 }`;
// Of lines that stand for PUs: no colour has another meaning.
const colors = ["--pua", "--pub", "--puc", "--pud", "--pue", "--puf", "--pug", "--puh"];

function svg(width, height, inside) {
    return `<svg viewBox="0 0 ${width} ${height.toFixed(0)}" role="img"><style>${chartStyle}</style>${inside}</svg>`;
}

// A saved chart has the colours of the page as they are now.
function save(box, name) {
    const picture = box.querySelector("svg").cloneNode(true), look = getComputedStyle(document.documentElement);
    const size = picture.viewBox.baseVal;
    let text = new XMLSerializer().serializeToString(picture);
    text = text.replace(/var\((--[a-z]+)\)/g, (whole, key) => look.getPropertyValue(key).trim());
    text = text.replace(/<svg /, `<svg width="${size.width}" height="${size.height}" ` +
        `style="background:${look.getPropertyValue("--back").trim()}" `);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
    link.download = name + ".svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function button(tools, text, title, act) {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.title = title;
    b.setAttribute("aria-label", title);
    b.onclick = act;
    tools.append(b);
    return b;
}

// A bar of buttons above a chart; each chart can be saved.
function toolsOf(box, name) {
    const tools = document.createElement("div");
    tools.className = "tools";
    box.before(tools);
    tools.saves = () => button(tools, "save SVG", "save this chart as SVG", () => save(box, name));
    return tools;
}

function legend(box, entries) {
    const div = document.createElement("div");
    div.className = "legend";
    div.innerHTML = entries.map(([color, text]) =>
        `<span>${color ? `<i style="background:var(${color})"></i>` : ""}${escaped(text)}</span>`).join("");
    box.before(div);
}

// The section of a chart, which is shown from now on; its place to draw in.
function show(id) {
    const section = byId(id);
    section.hidden = false;
    return section.querySelector(".chart");
}
// A chart that is not seen, but may be saved, is 900 wide.
const widthOf = box => Math.max(280, Math.round(box.clientWidth || 900));

const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);
function say(text, event) {
    tip.hidden = text === null;
    if (text === null)
        return;
    tip.textContent = text;
    const left = event.clientX + 14, width = tip.offsetWidth;
    tip.style.left = Math.max(4, Math.min(left, window.innerWidth - width - 8)) + "px";
    tip.style.top = Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8) + "px";
}
