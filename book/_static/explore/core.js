"use strict";

// One call of `explore(name, spec)` in NAME.js fills the boxes <figure data-explore="NAME">:
//   formulas  pure functions; the chapter runs them and compares them with the package
//   controls  {key, label, value, min, max, step | stops | options, say, set}, {key, value} (only in the
//             address), or {button, press, grow}; set: (v, s) => changes
//   draw      (state, kit) => {panels, html, says}: pictures, a table below them, one sentence
//   drag      (state, kit, panel number, x, y) => changes of the state; a control must do the same
// Without a document, in the run of a chapter, nothing is drawn.
const explore = (() => {
  const specs = {};

  // ---- numbers
  // SplitMix32: equal streams for equal seeds in every browser.
  function generator(seed) {
    let state = seed >>> 0;
    const word = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state ^ (state >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    const below = (k) => Math.floor((word() / 4294967296) * k);
    const coin = (p) => word() < Math.floor(p * 4294967296);
    const uniform = () => (word() + 0.5) / 4294967296;
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return {word, below, coin, uniform, normal};
  }

  // For reading: three digits, groups of thousands, a real minus.
  function show(x, digits = 3) {
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
    const size = Math.abs(x);
    const places = size === 0 ? 0 : Math.max(0, Math.min(digits - 1 - Math.floor(Math.log10(size)), 8));
    if (size >= 1e-4 || size === 0) {
      const [whole, part] = size.toFixed(places).split(".");
      const tail = part && part.replace(/0+$/, "");
      return (x < 0 ? "−" : "") + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (tail ? "." + tail : "");
    }
    return x.toExponential(digits - 1).replace("-", "−");
  }
  const short = (x) =>
    Math.abs(x) >= 1e9 ? `${show(x / 1e9)}G` : Math.abs(x) >= 1e6 ? `${show(x / 1e6)}M`
      : Math.abs(x) >= 1e4 ? `${show(x / 1e3)}k` : show(x);
  const share = (x, places = 0) => `${(100 * x).toFixed(places).replace("-", "−")} %`;

  function ticks([low, high], log, most = 5) {
    if (log) {
      const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
      if (last - first < 2) return [-1, 0, 1].flatMap((k) => [1, 2, 5].map((m) => m * 10 ** (first + k))).filter((v) => v >= low && v <= high);
      const step = Math.ceil((last - first + 1) / most) || 1;
      return Array.from({length: Math.floor((last - first) / step) + 1}, (_, i) => 10 ** (first + i * step));
    }
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
    return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }

  // ---- pictures
  const esc = (text) => String(text).replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  const tag = (name, attributes, inside = "") =>
    `<${name}${Object.entries(attributes).map(([k, v]) => ` ${k}="${esc(typeof v === "number" ? +v.toFixed(2) : v)}"`).join("")}>${inside}</${name}>`;

  // A picture of 320 by `height` units (pixels, where there is room). With x and y ranges it has
  // axes, and its methods take values; without them they take units from the left upper corner.
  function panel({title, x, y, log = "", xlabel = "", ylabel = "", height = 250, tickx, ticky, shown = short}) {
    const width = 320, left = x && y ? 44 : 0, right = width - 10, top = ylabel ? 38 : 20, bottom = x ? height - 40 : height;
    const flat = (v, on) => (on ? Math.log10(v) : v);
    const scale = (range, on, from, to) => {
      if (!range) return [(v) => v, (u) => u];
      const a = flat(range[0], on), b = flat(range[1], on);
      return [
        (v) => from + ((flat(v, on) - a) / (b - a)) * (to - from),
        (u) => { const v = a + ((u - from) / (to - from)) * (b - a); return on ? 10 ** v : v; },
      ];
    };
    const [px, ux] = scale(x, log.includes("x"), left || 12, right);
    const [py, uy] = scale(y, log.includes("y"), bottom, top + 6);
    const parts = [];
    const put = (markup) => { parts.push(markup); return self; };
    const text = (a, b, string, look = "") => put(tag("text", {x: px(a), y: py(b), class: look}, esc(string)));
    const points = (list) => list.map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(" ");
    const self = {
      title, width, height, px, py, put, text, tag,
      at: (u, v) => [ux(u), uy(v)],
      line: (list, look = "c0") => put(tag("polyline", {points: points(list), class: `line ${look}`})),
      area: (list, look = "c0") => put(tag("polygon", {points: points(list), class: `area ${look}`})),
      dot: (a, b, look = "c0", more = {}) => put(tag("circle", {cx: px(a), cy: py(b), r: 4.5, class: `dot ${look}`, ...more})),
      // From (a, b) to (c, d), corners in any order.
      box: (a, b, c, d, look = "c0", more = {}) => put(tag("rect", {
        x: Math.min(px(a), px(c)), y: Math.min(py(b), py(d)), width: Math.abs(px(c) - px(a)),
        height: Math.abs(py(d) - py(b)), class: `box ${look}`, ...more})),
      bar: (a, half, value, look = "c0", more = {}) => self.box(a - half, Math.max(0, y[0]), a + half, value, look, more),
      upright: (a, look = "quiet", label = "", side = "") => {
        self.line([[a, y[0]], [a, y[1]]], look);
        return label ? put(tag("text", {x: px(a) + (side === "end" ? -5 : 5), y: top + 16, class: side}, esc(label))) : self;
      },
      level: (b, look = "quiet", label = "") => {
        self.line([[x[0], b], [x[1], b]], look);
        return label ? put(tag("text", {x: right, y: py(b) - 5, class: "end"}, esc(label))) : self;
      },
      markup: (number) => {
        const head = title ? tag("text", {x: 0, y: 15, class: "head"}, esc(title)) : "";
        return `<svg viewBox="0 0 ${width} ${height}" role="img" data-panel="${number}"><title></title>${head}${parts.join("")}</svg>`;
      },
    };
    if (x) {
      put(tag("path", {d: `M${left || 12} ${bottom}H${right}`, class: "axis"}));
      const marks = tickx || ticks(x, log.includes("x"), 5).map((v) => [v, shown(v)]);
      for (const [v, label] of marks) put(tag("text", {x: px(v), y: bottom + 16, class: "middle small"}, esc(label)));
      put(tag("text", {x: ((left || 12) + right) / 2, y: height - 6, class: "middle"}, esc(xlabel)));
    }
    if (x && y) {
      const marks = ticky || ticks(y, log.includes("y"), 4).map((v) => [v, shown(v)]);
      for (const [v, label] of marks) {
        put(tag("path", {d: `M${left} ${py(v).toFixed(1)}H${right}`, class: "grid"}));
        put(tag("text", {x: left - 5, y: py(v) + 4, class: "end small"}, esc(label)));
      }
      if (ylabel) put(tag("text", {x: 0, y: 32, class: "small"}, esc(ylabel)));
    }
    return self;
  }

  // Heads and cells are markup already; the first cell of a row names it.
  const table = (caption, heads, rows) =>
    `<div class="explore-table" tabindex="0" role="group" aria-label="${esc(caption)}"><table><caption>${esc(caption)}</caption><thead><tr>${heads
      .map((h) => `<th scope="col">${h}</th>`).join("")}</tr></thead><tbody>${rows.map(([first, ...rest]) =>
      `<tr><th scope="row">${first}</th>${rest.map((c) => `<td>${c}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;

  // ---- state
  function read(control, text) {
    if (control.options) return control.options.some(([v]) => v === text) ? text : control.value;
    const number = Number(text);
    if (text === "" || !Number.isFinite(number)) return control.value;
    if (control.stops) return control.stops.reduce((a, b) => (Math.abs(b - number) < Math.abs(a - number) ? b : a));
    return Math.min(Math.max(number, control.min ?? 0), control.max ?? 4294967295);
  }
  function defaults(spec) {
    return Object.fromEntries(spec.controls.filter((c) => c.key).map((c) => [c.key, c.value]));
  }
  function fromAddress(name, spec, hash) {
    const state = defaults(spec), start = `#explore-${name}:`;
    if (!hash.startsWith(start)) return null;
    const told = new URLSearchParams(hash.slice(start.length));
    for (const c of spec.controls) if (c.key && told.has(c.key)) state[c.key] = read(c, told.get(c.key));
    return state;
  }
  function toAddress(name, spec, state) {
    const moved = spec.controls.filter((c) => c.key && state[c.key] !== c.value);
    return moved.length ? `#explore-${name}:${moved.map((c) => `${c.key}=${state[c.key]}`).join("&")}` : "";
  }

  // ---- a box
  function begin(figure, name, spec) {
    const data = document.querySelector(`script[data-explore-data="${name}"]`);
    const kit = {...tools, data: data && JSON.parse(data.textContent), formulas: spec.formulas};
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const [form, buttons, pictures, below, says] = ["controls", "buttons", "panels", "below", "says"].map((kind) =>
      Object.assign(document.createElement(kind === "says" ? "p" : "div"), {className: `explore-${kind}`}));
    says.setAttribute("role", "status");
    let state = fromAddress(name, spec, location.hash) || defaults(spec);
    let panels = [], said = 0, kept = 0, frame = 0;
    const refresh = [];

    function draw(quiet) {
      const drawn = spec.draw(state, kit);
      panels = drawn.panels || [];
      if (pictures.children.length !== panels.length) pictures.innerHTML = panels.map((p, i) => p.markup(i)).join("");
      else panels.forEach((p, i) => { pictures.children[i].innerHTML = p.markup(i).replace(/^<svg[^>]*>|<\/svg>$/g, ""); });
      panels.forEach((p, i) => { pictures.children[i].querySelector("title").textContent = `${p.title || spec.title || ""}. ${drawn.says}`; });
      if (below.innerHTML !== (drawn.html || "")) below.innerHTML = drawn.html || "";
      refresh.forEach((f) => f());
      const tell = () => { if (says.textContent !== drawn.says) says.textContent = drawn.says; };
      clearTimeout(said);
      if (quiet) tell(); else said = setTimeout(tell, 250);
    }
    function remember() {
      clearTimeout(kept);
      kept = setTimeout(() => history.replaceState(null, "", toAddress(name, spec, state) || location.pathname + location.search), 250);
    }
    function change(news) {
      cancelAnimationFrame(frame);
      state = {...state, ...news};
      draw(false);
      remember();
    }
    function grow(key, goal) {
      cancelAnimationFrame(frame);
      const from = state[key], start = performance.now();
      const step = (now) => {
        const part = Math.min((now - start) / 1200, 1);
        if (part >= 1) return change({[key]: goal});
        state = {...state, [key]: Math.max(from, Math.round(from + part * (goal - from)))};
        draw(false);
        frame = requestAnimationFrame(step);
      };
      if (still.matches) change({[key]: goal}); else frame = requestAnimationFrame(step);
    }

    for (const c of spec.controls) {
      if (c.button) {
        const button = document.createElement("button");
        button.type = "button"; button.textContent = c.button;
        button.addEventListener("click", () => {
          const news = c.press(state, kit);
          if (!c.grow) return change(news);
          change({...news, [c.grow]: Math.min(state[c.grow], news[c.grow])});
          grow(c.grow, news[c.grow]);
        });
        buttons.append(button);
      } else if (c.label) form.append(field(c));
    }
    const reset = document.createElement("button");
    reset.type = "button"; reset.textContent = "Reset"; reset.className = "explore-reset";
    reset.addEventListener("click", () => change(defaults(spec)));
    buttons.append(reset);
    form.append(buttons);

    function field(c) {
      const label = document.createElement("label"), words = document.createElement("span"), output = document.createElement("output");
      const input = document.createElement(c.options ? "select" : "input");
      input.name = c.key; input.id = `explore-${name}-${c.key}`; label.htmlFor = input.id;
      output.htmlFor = input.id; words.textContent = c.label;
      if (c.options) for (const [value, text] of c.options) input.add(new Option(text, value));
      else Object.assign(input, {type: "range", min: c.stops ? 0 : c.min, max: c.stops ? c.stops.length - 1 : c.max, step: c.stops ? 1 : c.step});
      input.addEventListener("input", () => {
        const v = c.options ? input.value : c.stops ? c.stops[input.value] : Number(input.value);
        change(c.set ? c.set(v, state) : {[c.key]: v});
      });
      refresh.push(() => {
        input.value = c.stops ? c.stops.indexOf(state[c.key]) : state[c.key];
        if (c.options) return;
        output.textContent = c.say ? c.say(state[c.key], state) : show(state[c.key]);
        input.setAttribute("aria-valuetext", output.textContent);
      });
      label.append(words, ...(c.options ? [input] : [output, input]));
      return label;
    }

    pictures.addEventListener("click", (event) => {
      const told = event.target.closest("[data-set]");
      if (!told) return;
      const [key, value] = told.dataset.set.split("=");
      change({[key]: read(spec.controls.find((c) => c.key === key), value)});
    });
    const drag = (event) => {
      const svg = event.target.closest("svg");
      if (!spec.drag || !svg || !(event.buttons & 1)) return;
      const to = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const number = Number(svg.dataset.panel), news = spec.drag(state, kit, number, ...panels[number].at(to.x, to.y));
      if (!news) return;
      event.preventDefault();
      if (event.type === "pointerdown") svg.setPointerCapture(event.pointerId);
      change(news);
    };
    pictures.addEventListener("pointerdown", drag);
    pictures.addEventListener("pointermove", drag);
    if (spec.drag) pictures.classList.add("explore-drag");
    window.addEventListener("hashchange", () => {
      const told = fromAddress(name, spec, location.hash);
      if (told) { state = told; draw(false); }
    });

    draw(true);
    figure.querySelector(".explore-static").remove();
    figure.append(form, pictures, says, below);
    figure.classList.add("explore-live");
    if (fromAddress(name, spec, location.hash)) figure.scrollIntoView();
  }

  const tools = {generator, show, short, share, panel, tag, esc, table};
  function define(name, spec) {
    specs[name] = spec;
    if (typeof document === "undefined") return;
    for (const figure of document.querySelectorAll(`figure[data-explore="${name}"]`)) begin(figure, name, spec);
  }
  return Object.assign(define, {specs, generator, tools});
})();
