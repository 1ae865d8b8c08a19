"""Against a real server, and against answers that no server should give."""
