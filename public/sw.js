// What a browser shows when a page can't be fetched: one page that says so. Nothing else is ever kept here, so that
// no decision and no content is read from anywhere but the server.
//
// Raise the number with every change of one of these files.
const CACHE = "impri-offline-1";
const FILES = ["/offline.html", "/offline.css", "/offline.js", "/favicon.svg"];

self.addEventListener("install", (event) => {
  const keep = async () => (await caches.open(CACHE)).addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  };
  event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(async () => (await caches.match("/offline.html")) ?? Response.error()));
  } else if (FILES.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(async () => (await caches.match(request, { ignoreSearch: true })) ?? Response.error()));
  }
});

// A notification of ours is shown and, if somebody presses it, its card is opened: here, and nowhere else.

const text = (value, otherwise) => (typeof value === "string" && value ? value : otherwise);

/** A page of the inbox of this origin, whatever address was sent. */
function inboxPath(url) {
  try {
    const { pathname } = new URL(url, self.location.origin);
    return pathname.startsWith("/inbox/") ? pathname : "/inbox";
  } catch {
    return "/inbox";
  }
}

self.addEventListener("push", (event) => {
  let said = {};
  try {
    said = event.data.json();
  } catch {
    // Browsers want a notification for every message, whatever is in it.
  }
  const options = {
    body: text(said?.body, "Something waits in the inbox."),
    tag: text(said?.tag, "impri"),
    icon: "/icon-192.png",
    data: { path: inboxPath(said?.url) },
  };
  event.waitUntil(self.registration.showNotification(text(said?.title, "Impri"), options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const open = async () => {
    const { href } = new URL(event.notification.data?.path ?? "/inbox", self.location.origin);
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    // Only a window that shows it already: in another one somebody may be typing.
    const there = windows.find(({ url }) => url === href);
    return there ? there.focus() : self.clients.openWindow(href);
  };
  event.waitUntil(open());
});
