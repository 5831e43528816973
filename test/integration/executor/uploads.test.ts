import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const told = `onchange="this.files[0].text().then((text) => { said.textContent = this.files[0].name + ' ' + this.files[0].type + ' ' + text })"`;
const pages = {
  "/": `<!doctype html><html lang="en"><title>Files</title>
   <label>Plain <input type="file" ${told}></label>
   <label><span>Drawn</span> <input type="file" hidden ${told}></label>
   <button onclick="late.click()">Choose a file</button> <input type="file" id="late" style="display: none" ${told}>
   <button onclick="said.textContent = 'nothing'">No file here</button> <p id="said"></p></html>`,
};

const { pool, site } = openSite(pages);

const files = async (name: string) =>
  name === "prices.csv" ? { bytes: Buffer.from("a,b"), contentType: "text/csv" } : null;
const upload = (target: string, name = "prices.csv") =>
  run(
    pool,
    [
      step("navigate", "", "/"),
      step("upload", target, name),
      step("assert_text", "css=#said", "prices.csv text/csv a,b"),
    ],
    { baseUrl: site.url, files },
  );

describe("an upload of a project file", () => {
  test.each(["Plain", "Drawn", "css=#late", '"Choose a file" button'])(
    "puts the whole file into %s",
    async (target) => {
      const { status, error } = await upload(target);
      expect([status, error]).toEqual(["passed", null]);
    },
  );

  test("fails with the reason for an unknown file or a button without a file dialog", async () => {
    expect((await upload("Plain", "other.csv")).error).toBe(
      'Step 2 failed: The project of the test has no file "other.csv".',
    );
    expect((await upload("No file here")).error).toContain("asks for no file when clicked");
  });

  test("makes the test errored in a run without the service", async () => {
    const steps = [step("navigate", "", "/"), step("upload", "Plain", "prices.csv")];
    const { status, error } = await run(pool, steps, { baseUrl: site.url });
    expect(status).toBe("errored");
    expect(error).toContain("without");
  });
});
