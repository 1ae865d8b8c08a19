// Tells of new actions while a tab is open and nobody looks at it: by a notification, by a sound, or both.
//
// Each browser is asked for itself, because each has to permit it; so the choice stays in the browser. What is told is
// that something waits, never what: a lock screen is no place for it. Of several tabs one tells, and none does while
// another is looked at.

const CHOICES = { notify: "impri.notify", sound: "impri.sound" };
const LOOKED_AT = "impri-looked-at";
const TELLS = "impri-tells";
/** What comes within this time is told once. */
const REST_MS = 3_000;

const canNotify = "Notification" in window;
const canAgree = "locks" in navigator;
let audio = null;

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

function isOn(name) {
  try {
    return localStorage.getItem(CHOICES[name]) === "on";
  } catch {
    return false;
  }
}

function choose(name, value) {
  try {
    if (value) localStorage.setItem(CHOICES[name], "on");
    else localStorage.removeItem(CHOICES[name]);
  } catch {
    // A browser that keeps nothing gets no notices.
  }
}

/** Two short tones. A browser plays them only where somebody has clicked or typed before. */
async function play() {
  audio ??= new AudioContext();
  // A browser that nobody has touched since the page came plays nothing, and may not even say so.
  if (audio.state === "suspended") await Promise.race([audio.resume(), rest(REST_MS)]);
  if (audio.state !== "running") return;
  const gain = audio.createGain();
  gain.connect(audio.destination);
  [660, 880].forEach((pitch, index) => {
    const from = audio.currentTime + index * 0.16;
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(gain);
    gain.gain.setValueAtTime(0.0001, from);
    gain.gain.exponentialRampToValueAtTime(0.15, from + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.0001, from + 0.14);
    tone.start(from);
    tone.stop(from + 0.15);
  });
}

async function notify() {
  if (!canNotify || Notification.permission !== "granted") return;
  const words = { body: "Something new waits in the inbox.", tag: "impri-new", renotify: true, icon: "/apple-touch-icon.png" };
  try {
    const notice = new Notification("Impri", words);
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
  } catch {
    // Phones show notifications of service workers only, and those need a click handler there.
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.showNotification("Impri", { ...words, data: { path: "/inbox" } });
  }
}

const isLookedAt = () => document.visibilityState === "visible" && document.hasFocus();

async function tell() {
  if (isLookedAt() || !(isOn("notify") || isOn("sound"))) return;
  const both = () => Promise.allSettled([isOn("notify") && notify(), isOn("sound") && play()]);
  if (!canAgree) return void (await both());
  const { held } = await navigator.locks.query();
  if (held.some(({ name }) => name === LOOKED_AT)) return;
  await navigator.locks.request(TELLS, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    both();
    await rest(REST_MS);
  });
}

/** Lets the other tabs know for as long as this one is looked at. */
let lookAway = null;
function look() {
  if (!canAgree || isLookedAt() === (lookAway !== null)) return;
  if (lookAway) {
    lookAway();
    lookAway = null;
  } else {
    const until = new Promise((done) => (lookAway = done));
    navigator.locks.request(LOOKED_AT, { mode: "shared" }, () => until);
  }
}

/** The choice, where a page has it. */
function offer(place) {
  const state = place.querySelector("[data-notices-state]");
  for (const box of place.querySelectorAll("input[type=checkbox]")) {
    box.checked = isOn(box.name) && (box.name !== "notify" || (canNotify && Notification.permission === "granted"));
    box.addEventListener("change", async () => {
      state.textContent = "";
      if (box.checked && box.name === "notify") {
        const answer = canNotify ? await Notification.requestPermission() : "denied";
        if (answer !== "granted") {
          box.checked = false;
          state.textContent = "This browser does not permit notifications from here. Permit them in its settings for this site, then tick the box again.";
        }
      }
      choose(box.name, box.checked);
      if (box.checked && box.name === "sound") await play().catch(() => {});
    });
  }
  place.hidden = false;
}

// Only pages for somebody signed in follow what happens.
if (document.querySelector("[data-live]")) {
  window.addEventListener("impri:change", ({ detail }) => {
    if (detail.kind === "created") tell();
  });
  for (const event of ["focus", "blur", "pageshow"]) window.addEventListener(event, look);
  document.addEventListener("visibilitychange", look);
  look();
  const place = document.querySelector("[data-notices]");
  if (place) offer(place);
}
