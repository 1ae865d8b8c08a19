// Keeps every tab up to date over one event stream per browser.
//
// The tabs agree on one that holds the stream: whoever has the lock. It tells the others over a channel. A tab that
// comes to the front takes the lock over, because browsers put hidden tabs to sleep. Where there are no locks or no
// channels, each tab holds its own stream.
//
// What a page hears, as events on `window`:
//   impri:change  {kind, id}   something happened to an action; "created" has no id, "resync" after a gap neither: read
//                              again what is shown
//   impri:link    {online}     the stream went up or down
// A page says `impri:hello` when it begins to listen and is told how things stand.

const LOCK = "impri-live";
const RESYNC = { kind: "resync" };
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

// A link can break without a word. The server says something every twenty seconds; after this long without, it is gone.
const SILENCE_MS = 45_000;
// Timers don't run while a computer sleeps, so the clock is looked at this often.
const LOOK_MS = 5_000;

const channel = "BroadcastChannel" in window ? new BroadcastChannel(LOCK) : null;
const canShare = channel !== null && "locks" in navigator;

let source = null;
let online = null;
let heardAt = 0;
let failures = 0;
let timer = 0;
let leads = false;
let waiting = null;

function tell(name, detail) {
  window.dispatchEvent(new CustomEvent(name, { detail }));
}

function setOnline(value) {
  if (online === value) return;
  online = value;
  tell("impri:link", { online });
}

/** What the tab with the stream hears goes to this page and to the other tabs. */
function hear(change) {
  tell("impri:change", change);
  channel?.postMessage({ change });
}

function share(value) {
  setOnline(value);
  channel?.postMessage({ online: value });
}

function open() {
  clearTimeout(timer);
  source?.close();
  heardAt = Date.now();
  source = new EventSource("/events");
  source.onopen = () => {
    heardAt = Date.now();
    failures = 0;
    share(true);
    // Whatever happened before the stream was up is in no event.
    hear(RESYNC);
  };
  source.addEventListener("alive", () => (heardAt = Date.now()));
  source.onmessage = ({ data }) => {
    heardAt = Date.now();
    let change;
    try {
      change = JSON.parse(data);
    } catch {
      return;
    }
    hear(change);
  };
  source.onerror = () => {
    share(false);
    // The browser comes back to a stream that broke, but not to one that was refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    // Refused is what a session that ended looks like: whoever reads anew finds out.
    if (failures === 0) hear(RESYNC);
    timer = setTimeout(open, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] * (0.75 + Math.random() / 2));
  };
}

/** Opens the stream anew if it should have said something by now. One that was refused has its own time. */
function check() {
  const silence = Date.now() - heardAt;
  // A clock that was set back says nothing about how long it was.
  if (!source || source.readyState === EventSource.CLOSED || (silence >= 0 && silence <= SILENCE_MS)) return;
  share(false);
  open();
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

/** Queues for the lock, or takes it from whichever tab has it. */
function lead(steal) {
  if (leads) return;
  waiting?.abort();
  waiting = steal ? null : new AbortController();
  let held = false;
  navigator.locks
    .request(LOCK, steal ? { steal } : { signal: waiting.signal }, () => {
      held = leads = true;
      waiting = null;
      open();
      // Held until the tab goes or another tab takes over.
      return new Promise(() => {});
    })
    .catch(() => {
      if (!held) return;
      leads = false;
      close();
      lead(false);
    });
}

function start() {
  if (!canShare) {
    open();
  } else {
    channel.onmessage = ({ data }) => {
      if (leads) {
        if (data.hello) channel.postMessage({ online: online === true });
      } else if (data.change) {
        tell("impri:change", data.change);
      } else if ("online" in data) {
        setOnline(data.online);
      }
    };
    lead(document.visibilityState === "visible");
    channel.postMessage({ hello: true });
  }

  setInterval(check, LOOK_MS);

  // For a page that listens already; one that comes later says hello.
  tell("impri:change", RESYNC);
  window.addEventListener("impri:hello", () => {
    if (online !== null) tell("impri:link", { online });
    tell("impri:change", RESYNC);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    if (canShare && !leads) lead(true);
    else check();
    tell("impri:change", RESYNC);
  });
  window.addEventListener("offline", () => setOnline(false));
  window.addEventListener("online", () => {
    if (leads || !canShare) open();
    else channel.postMessage({ hello: true });
  });
  // A page that comes back from the browser's memory has missed everything since.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    if (canShare && !leads) lead(true);
    else open();
    tell("impri:change", RESYNC);
  });
}

// Shows a page of our own where there is no connection; see there for what it keeps. Not every browser may, and none has to.
if (isSecureContext && "serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(() => {});

// Only a page for somebody signed in has this element, and only they may have the stream.
if (document.querySelector("[data-live]")) start();
