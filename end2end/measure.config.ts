import config from "./playwright.config";

// What scripts/bench-page runs: a report on one slow phone.
export default {
  ...config,
  testDir: "measure",
  reporter: [["line"] as const],
  projects: config.projects?.filter(({ name }) => name === "phone"),
};
