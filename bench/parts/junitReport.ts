/** A JUnit report in which 5 % of the tests fail and 2 % are flaky. */
export const junitReport = (tests: number, run: number, at: string): string => {
  const cases = Array.from({ length: tests }, (_, n) => {
    const roll = (n * 31 + run * 17) % 100;
    const outcome =
      roll < 5
        ? "<failure>It did not open</failure>"
        : roll < 7
          ? "<flakyFailure>It opened late</flakyFailure>"
          : "";
    return `<testcase classname="area ${n % 40}" name="case ${n}" time="${(n % 70) / 10}">${outcome}</testcase>`;
  });
  return `<testsuite name="shop" timestamp="${at}" time="60">${cases.join("\n")}</testsuite>`;
};
