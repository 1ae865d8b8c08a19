// Starts the page: loads the program and gives each island its element. The build puts the real names in.
import * as program from "GLUE";

/** Brings the islands within an element to life. None of ours stands within another. */
function wake(root) {
  for (const island of root.querySelectorAll("leptos-island")) program[island.dataset.component]?.(island);
}

try {
  await program.default({ module_or_path: new URL("WASM", import.meta.url) });
  program.hydrate();
  wake(document);
  // Parts of a page that came later.
  window.addEventListener("impri:content", ({ target }) => wake(target));
  program.begin();
} catch (error) {
  // The page works without; it is only not live. Who left the page while it loaded is told nothing.
  setTimeout(() => console.warn("The page could not be brought to life:", error), 1_000);
}
