// Goes back to the page that could not be fetched, once the server answers again: whether the browser lost its
// connection or the server was away.
const EVERY_MS = 3_000;

async function look() {
  try {
    if ((await fetch("/healthz", { cache: "no-store" })).ok) location.reload();
  } catch {
    // Not yet.
  }
}

addEventListener("online", look);
setInterval(look, EVERY_MS);
