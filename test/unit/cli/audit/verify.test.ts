import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../../../src/cli/audit/verify.ts";
import { createTerminal } from "../../../../src/cli/terminal.ts";
import {
  exportFormats,
  HEAD_TYPE,
  preamble,
  writeHead,
  writeLine,
} from "../../../../src/domain/billing/planExport.ts";
import { historyStart, nextLine } from "../../../../src/domain/billing/planLines.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { createStatements } from "../../../../src/stores/billing/statements.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const LINES = 60;

/** Exports read from a file in chunks. */
describe("verification of an export", () => {
  let folder: string;
  const files: Record<string, readonly string[]> = {};
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-export-"));
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const privateJwk = await exportJWK(privateKey);
    const kid = await calculateJwkThumbprint(privateJwk);
    const active = { kid, privateJwk } as never;
    const statements = createStatements({ ring: { current: () => ({ active }) as never } });
    for (const format of exportFormats) {
      let reached = historyStart;
      const lines: string[] = preamble(format) === "" ? [] : [preamble(format)];
      for (let nth = 0; nth < LINES; nth += 1) {
        const at = new Date(Date.UTC(2026, 0, 1) + nth * 1_000).toISOString();
        const plan = (["starter", "team"] as const)[nth % 2] ?? "team";
        // Characters of one to four bytes, so that chunks end inside of characters.
        const reason = `"a", é, €, 😀, ${"x".repeat(5 * nth)}`;
        const data = { changeId: newId(), plan, reason, until: null };
        const metadata = {
          $correlationId: newId(),
          $causationId: newId(),
          actor: { type: "user" as const, id: newId() },
          organization_id: newId(),
          occurred_at: at,
          recorded_at: at,
          schema_version: 1,
        };
        const stored = { id: newId(), type: "PlanGranted", data, metadata };
        const next = nextLine(reached, stored, digest);
        reached = next.reached;
        lines.push(writeLine(next.line, format));
      }
      const { jws } = await statements.sign(HEAD_TYPE, {
        organization_id: newId(),
        exported_at: "2026-02-01T00:00:00.000Z",
        format,
        count: LINES,
        hash: reached.hash,
        sha256: digest(lines.join("")),
      });
      files[format] = [...lines, writeHead(jws, format)];
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const verify = async (text: string | Buffer, chunkBytes: number, asOf: string | null = null) => {
    const file = path.join(folder, "export");
    await writeFile(file, text);
    let said = "";
    const terminal = createTerminal({
      json: false,
      output: { write: (part: string) => (said += part) },
      environment: {},
    });
    const options = { asOf, knownAt: null, jwks: null, key: null };
    return { code: await verifyExport(file, options, terminal, chunkBytes), said };
  };

  for (const format of exportFormats) {
    const textOf = (change: (lines: string[]) => void = () => undefined): string => {
      const lines = [...(files[format] ?? [])];
      change(lines);
      return lines.join("");
    };
    const first = format === "csv" ? 1 : 0;

    it(`verifies and replays ${format} read in chunks of any size`, async () => {
      for (const chunkBytes of [5, 64, 4_096, 1_048_576]) {
        const { code, said } = await verify(textOf(), chunkBytes);
        expect([code, said]).toEqual([0, expect.stringContaining(`${LINES} events`)]);
        expect(said).toContain("At its end the plan is team");
      }
      const { said } = await verify(textOf(), 100, "2026-01-01T00:00:04.000Z");
      expect(said).toContain("the plan is starter");
    });

    it(`names an altered, removed or inserted line of ${format} read in small chunks`, async () => {
      const at = 40 + first;
      const cases: readonly (readonly [(lines: string[]) => void, string])[] = [
        [
          (lines) => lines.splice(at, 1, (lines[at] ?? "").replace("€", "£")),
          `Line ${at + 1} was altered: event 41`,
        ],
        [(lines) => lines.splice(at, 1), `Removed after line ${at}: event 41`],
        [(lines) => lines.splice(at, 0, "nonsense\n"), `Line ${at + 1} was inserted`],
        [
          (lines) => lines.splice(at, 0, `${"x".repeat(17 * 1024 * 1024)}\n`),
          `Line ${at + 1} was inserted`,
        ],
      ];
      for (const [change, named] of cases) {
        const { code, said } = await verify(textOf(change), 4_099);
        expect([code, said]).toEqual([1, expect.stringContaining(named)]);
      }
    });

    it(`rejects ${format} with invalid UTF-8 or with a last line that is too long`, async () => {
      const bytes = Buffer.from(textOf());
      bytes[bytes.indexOf("€")] = 0xff;
      expect(await verify(bytes, 64)).toEqual({
        code: 1,
        said: expect.stringContaining("not valid UTF-8"),
      });
      const long = textOf((lines) => lines.splice(-1, 1, `${"h".repeat(100_000)}\n`));
      expect(await verify(long, 64)).toEqual({
        code: 1,
        said: expect.stringContaining("not a signed head"),
      });
    });
  }
});
