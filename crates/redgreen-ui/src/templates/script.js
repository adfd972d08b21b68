// Keeps an open page up to date: when something changes, the page is asked for again and its live parts are put in place.
"use strict";
(() => {
  const { home, follows } = document.body.dataset;
  const clock = () => {
    for (const time of document.querySelectorAll("time[data-since]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000));
      const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      time.textContent = h ? `${h} h ${m} min` : m ? `${m} min ${s} s` : `${s} s`;
    }
  };
  setInterval(clock, 1000);

  // What a person opened stays open, and where they are stays where it is.
  const key = (element) => element.querySelector("summary")?.textContent + "@" + (element.closest("[id]")?.id ?? "");
  const place = (old, fresh) => {
    if (old.innerHTML === fresh.innerHTML) return;
    const open = new Map([...old.querySelectorAll("details")].map((it) => [key(it), it.open]));
    for (const it of fresh.querySelectorAll("details")) {
      if (open.has(key(it))) it.open = open.get(key(it));
    }
    const focus = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    old.replaceChildren(...fresh.childNodes);
    old.className = fresh.className;
    if (focus) [...old.querySelectorAll("a")].find((it) => it.getAttribute("href") === focus)?.focus({ preventScroll: true });
  };

  let asking = false, again = false;
  const update = async () => {
    if (asking) { again = true; return; }
    asking = true;
    try {
      const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const old of document.querySelectorAll("[data-live]")) {
        if (old.parentElement.closest("[data-live]")) continue;
        const now = fresh.getElementById(old.id);
        if (now) place(old, now);
      }
      clock();
    } catch { /* the line below says it */ }
    // A suite of many quick tests would have it asked all the time.
    await new Promise((done) => setTimeout(done, 150));
    asking = false;
    if (again) { again = false; update(); }
  };

  if (!follows) return;
  const link = document.getElementById("link");
  const events = new EventSource(home + "events");
  let known = false;
  events.addEventListener("ready", () => {
    link.textContent = "live";
    link.className = "link on";
    if (known) update();
    known = true;
    document.documentElement.dataset.events = "on";
  });
  events.addEventListener("change", (event) => {
    const sessions = event.data.split(" ");
    if (follows === "*" || event.data === "" || sessions.includes(follows)) update();
  });
  events.onerror = () => {
    link.textContent = "not live";
    link.className = "link off";
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    const pages = { n: "", i: "inbox", f: "figures" };
    if (event.key in pages) location.href = home + pages[event.key];
  });
})();
