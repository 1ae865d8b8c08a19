// Has this browser told of what waits while it is closed, by its push service: switches it on, shows which of the listed
// devices it is, and takes back what was said before it was decided.
//
// The list is the server's; only the browser knows its own subscription. Whoever signs out here is told nothing here.

const canPush = isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
/** Nobody waits longer for a push service that hangs. */
const PATIENCE_MS = 2_000;

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

async function subscription() {
  const worker = await navigator.serviceWorker.getRegistration();
  return (await worker?.pushManager.getSubscription()) ?? null;
}

function bytes(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const raw = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function digest(endpoint) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return text(hash);
}

async function subscribe(key) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: bytes(key) };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // Bound to the key of a server that was here before.
    const other = await pushManager.getSubscription();
    if (!other) throw error;
    await other.unsubscribe();
    return pushManager.subscribe(options);
  }
}

/** The button, where a page has it. */
async function offer(place) {
  const form = place.querySelector("form");
  const state = place.querySelector("[data-push-state]");
  if (!canPush) {
    form.hidden = true;
    state.textContent = isSecureContext
      ? "This browser can't be told while it is closed. On an iPhone or iPad, add Impri to the home screen and open it from there."
      : "This needs a server with an https address.";
    place.hidden = false;
    return;
  }
  const own = await subscription();
  const mark = own && (await digest(own.endpoint));
  const row = mark && document.querySelector(`[data-push-device="${mark}"]`);
  if (row) {
    row.hidden = false;
    form.hidden = true;
    state.textContent = "This device is told, also while the browser is closed.";
    const removing = row.closest("li, .entry")?.querySelector("form[action='/rpc/remove_push_device']");
    removing?.addEventListener("submit", () => void own.unsubscribe().catch(() => {}));
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    state.textContent = "";
    if ((await Notification.requestPermission()) !== "granted") {
      state.textContent = "This browser does not permit notifications from here. Permit them in its settings for this site, then press the button again.";
      return;
    }
    try {
      const made = await subscribe(place.dataset.pushKey);
      form.elements.endpoint.value = made.endpoint;
      form.elements.p256dh.value = text(made.getKey("p256dh"));
      form.elements.auth.value = text(made.getKey("auth"));
    } catch {
      state.textContent = "This browser could not reach its push service. Try it again later, or in another browser.";
      return;
    }
    // Not requestSubmit: this is the submission that was held back.
    form.submit();
  });
  place.hidden = false;
}

/** Notifications about something that is looked at, or over, are of no use any more. */
async function takeBack(tag) {
  const worker = await navigator.serviceWorker.getRegistration();
  for (const notice of (await worker?.getNotifications({ tag })) ?? []) notice.close();
}

function leave() {
  for (const form of document.querySelectorAll("form[action='/rpc/sign_out']")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const end = async () => (await subscription())?.unsubscribe();
      await Promise.race([end().catch(() => {}), rest(PATIENCE_MS)]);
      form.submit();
    });
  }
}

const place = document.querySelector("[data-push]");
if (place) offer(place).catch(() => {});
if (canPush && document.querySelector("[data-live]")) {
  leave();
  const shown = location.pathname.match(/^\/inbox\/(act_[\w-]+)$/);
  if (shown) takeBack(shown[1]).catch(() => {});
  window.addEventListener("impri:change", ({ detail }) => {
    if (detail.id && detail.kind !== "created") takeBack(detail.id).catch(() => {});
  });
}
