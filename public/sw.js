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
