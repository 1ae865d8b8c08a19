// The last line of a run: what passed and what failed, in the same words as the other parts of the tests.

import type { FullResult, Reporter, Suite } from "@playwright/test/reporter";

export default class ClosingLine implements Reporter {
  private suite: Suite | undefined;
  private status: FullResult["status"] = "passed";

  onBegin(_config: unknown, suite: Suite) {
    this.suite = suite;
  }

  onEnd(result: FullResult) {
    this.status = result.status;
  }

  // After the other reporters had their say.
  async onExit() {
    const outcomes = (this.suite?.allTests() ?? []).map((test) => {
      if (test.results.length === 0) return "did not run";
      return { expected: "passed", unexpected: "failed", flaky: "failed", skipped: "skipped" }[test.outcome()];
    });
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    const rest = ["skipped", "did not run"].filter((each) => count(each) > 0).map((each) => `, ${count(each)} ${each}`);
    if (this.status === "interrupted") rest.push(", interrupted");
    console.log(`\n${count("passed")} passed, ${count("failed")} failed${rest.join("")}`);
  }

  printsToStdio() {
    return true;
  }
}
