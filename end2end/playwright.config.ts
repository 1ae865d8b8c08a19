import { defineConfig, devices } from "@playwright/test";
import { existsSync } from "node:fs";

// The system's browser. Without one Playwright takes the one that it fetched itself.
const chromium = [
  process.env.IMPRI_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
].find((path) => path && existsSync(path));

// The second flag's rule makes every name but this machine's unknown: whatever tries to leave, fails.
const args = [
  "--no-sandbox",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export default defineConfig({
  testDir: "specs",
  outputDir: "test-results",
  forbidOnly: !!process.env.CI,
  fullyParallel: false,
  // One server and one database per worker. More workers than this only make the tests of timing unfair.
  workers: Number(process.env.IMPRI_E2E_WORKERS) || 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"], ["./support/closing-line.ts"]],
  use: {
    ...devices["Desktop Chrome"],
    headless: true,
    locale: "en-GB",
    timezoneId: "UTC",
    // Below 150 ms and so of no use to a test, but there.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: { executablePath: chromium, args },
    screenshot: "only-on-failure",
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
  },
  // A test without a tag runs everywhere. `@hydrated` needs the program in the page; `@plain` is about pages without
  // it; `@desk` needs a wide screen; `@phone` a narrow one; `@once` is about the server and runs in one project.
  projects: [
    { name: "hydrated", use: desktop, grepInvert: /@plain|@phone/ },
    { name: "no-js", use: { ...desktop, javaScriptEnabled: false }, grepInvert: /@hydrated|@phone|@once/ },
    { name: "phone", use: phone, grepInvert: /@plain|@desk|@once/ },
    {
      name: "phone-no-js",
      use: { ...phone, javaScriptEnabled: false },
      grepInvert: /@hydrated|@desk|@once/,
    },
  ],
});
