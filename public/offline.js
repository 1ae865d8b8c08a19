// Goes back to the page that could not be fetched, when the browser is online again.
addEventListener("online", () => location.reload());
