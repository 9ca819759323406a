"use strict";
(() => {
  const all = (query) => [...document.querySelectorAll(query)];
  const lines = all("[data-from]");
  const steps = all("#steps > li");
  const slider = document.getElementById("slider");
  let pinned = null;

  const show = (place) => {
    slider.value = String(place + 1);
    steps.forEach((step, k) => { step.hidden = k !== place; });
    const { step, line } = steps[place].dataset;
    slider.setAttribute("aria-valuetext", steps[place].querySelector(".head").textContent);
    document.getElementById("shown").textContent = "step " + step;
    lines.forEach((one) => one.classList.toggle("shown", one.dataset.from === line));
  };

  const many = (number, what) => number + " " + what + (number === 1 ? "" : "s");

  const light = (line) => {
    const found = all("[data-line]").filter((one) => one.dataset.line === line);
    all(".lit").forEach((one) => one.classList.remove("lit"));
    lines.filter((one) => one.dataset.from === line).concat(found).forEach((one) => one.classList.add("lit"));
    found.map((one) => one.closest("details")).filter(Boolean)
      .forEach((one) => one.querySelector("summary").classList.add("lit"));
    const ticks = document.querySelector(".ticks");
    if (ticks) {
      ticks.replaceChildren(...steps.flatMap((step, k) => {
        if (step.dataset.line !== line) return [];
        const tick = document.createElement("i");
        tick.style.left = "calc(.5rem + (100% - 1rem) * " + k / Math.max(steps.length - 1, 1) + ")";
        return [tick];
      }));
    }
    const of = (query) => found.filter((one) => one.matches(query));
    const own = of("#steps > li").map((one) => one.dataset.step);
    const numbers = own.length ? " (" + own.slice(0, 12).join(", ") + (own.length > 12 ? ", …" : "") + ")" : "";
    document.getElementById("lit").textContent = line === null ? "" : "line " + line + ": "
      + [many(own.length, "step") + numbers, many(of("tr").length, "check"), many(of("pre span").length, "line") + " of loops and C"].join(", ");
  };

  const press = (one) => {
    const line = one.dataset.from;
    pinned = pinned === line ? null : line;
    lines.forEach((other) => other.setAttribute("aria-pressed", String(other.dataset.from === pinned)));
    light(line);
    const first = steps.findIndex((step) => step.dataset.line === line);
    if (pinned !== null && first >= 0) show(first);
  };

  lines.forEach((one) => {
    const enter = () => light(one.dataset.from);
    const leave = () => light(pinned);
    one.addEventListener("pointerenter", enter);
    one.addEventListener("pointerleave", leave);
    one.addEventListener("focus", enter);
    one.addEventListener("blur", leave);
    one.addEventListener("click", () => press(one));
    one.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(one);
    });
  });

  if (steps.length) {
    const at = () => Number(slider.value) - 1;
    slider.closest(".control").hidden = false;
    slider.addEventListener("input", () => show(at()));
    document.getElementById("before").addEventListener("click", () => show(Math.max(at() - 1, 0)));
    document.getElementById("after").addEventListener("click", () => show(Math.min(at() + 1, steps.length - 1)));
    show(0);
  }
})();
