import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { ownerOfDataFolder } from "../../embeddedPostgres/dataFolderLock.ts";
import { nameOfBlobStore, openBlobStore } from "../../platform/blobs/openBlobStore.ts";
import { type Config, ConfigError, loadConfig, ROLES } from "../../platform/config.ts";
import {
  BrowserNotFoundError,
  findBrowser,
  findOtherBrowser,
} from "../../workers/executor/index.ts";
import { checkAnchors } from "./anchors.ts";
import { checkDatabase } from "./database.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";
import { checkDataFolder, checkMachine, checkMasterKey } from "./machine.ts";
import { checkBus, checkEventLog, checkMail } from "./parts.ts";
import { checkUnfinished } from "./unfinished.ts";
import {
  checkAddress,
  checkAdministrators,
  checkPorts,
  failedCheck,
  settingFindings,
} from "./web.ts";

type Check = {
  /** The name of the finding if the check throws. */
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
};

/**
 * Checks everything that a service with this environment would use, and reports each finding as soon as it is known.
 * Starts and changes nothing, and may run beside the service.
 */
export const examine = async (
  environment: Readonly<Record<string, string | undefined>>,
  report: (finding: Finding) => void,
): Promise<void> => {
  for (const finding of await checkMachine()) report(finding);
  const config = settings(environment);
  if (!("dataDir" in config)) {
    for (const finding of config) report(finding);
    return;
  }
  report(ok("settings", `valid; roles ${config.roles.join(", ")}`));
  const { key, finding: keyFinding } = await checkMasterKey(config, ROLES.length);
  const checks: readonly Check[] = [
    { name: "data folder", run: () => checkDataFolder(config) },
    { name: "master key", run: async () => [keyFinding] },
    { name: "database", run: () => checkDatabase(config, key) },
    { name: "event log", run: async () => [await checkEventLog(config)] },
    { name: "restore, move", run: () => checkUnfinished(config) },
    { name: "bus", run: async () => [await checkBus(config)] },
    { name: "blob store", run: async () => [await checkBlobs(config)] },
    { name: "mail", run: async () => [await checkMail(config)] },
    { name: "browser", run: () => checkBrowsers(config) },
    { name: "address", run: () => checkAddress(config) },
    {
      name: "port",
      run: async () => checkPorts(config, await ownerOfDataFolder(config.dataDir)),
    },
    { name: "log checkpoints", run: () => checkAnchors(config) },
    { name: "administrators", run: async () => checkAdministrators(config) },
  ];
  for (const { name, run } of checks) {
    const findings = await run().catch((error: unknown) => [failedCheck(name, error)]);
    for (const finding of findings) report(finding);
  }
};

const settings = (
  environment: Readonly<Record<string, string | undefined>>,
): Config | readonly Finding[] => {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return settingFindings(error.problems);
    throw error;
  }
};

/** Writes, reads and deletes a probe in the blob store. */
const checkBlobs = async ({ blobStore }: Config): Promise<Finding> => {
  const name = "blob store";
  const place = nameOfBlobStore(blobStore);
  const isFolder = blobStore.kind === "folder";
  if (isFolder && !(await stat(blobStore.folder).catch(() => null))) {
    return ok(name, `${place}, created at the first start`);
  }
  try {
    const blobs = await openBlobStore(blobStore);
    // Unique, because checks may run concurrently.
    const folder = `doctor/${randomUUID()}`;
    const key = `${folder}/probe`;
    const bytes = Buffer.from("Runledger was here.");
    await blobs.put(key, { bytes, contentType: "text/plain" });
    const back = await blobs.get(key);
    await blobs.deleteUnder(folder);
    return back?.bytes.equals(bytes)
      ? ok(name, `${place}: written, read and deleted`)
      : bad(name, `${place} returned other data than was written`, "Check its disk.");
  } catch (error) {
    const advice = isFolder
      ? "Give the account of the service write access, or set BLOB_STORE to another folder."
      : "Check BLOB_STORE, S3_ENDPOINT and the AWS_… settings. The access key must have permission to list, read, write and delete.";
    return bad(name, `${place}: ${messageOf(error)}`, advice);
  }
};

/** Checks the browsers if this process has the role executor. */
const checkBrowsers = async ({ roles, browserPaths }: Config): Promise<readonly Finding[]> => {
  if (!roles.includes("executor")) return [];
  const findings: Finding[] = [];
  try {
    const configuredPath = browserPaths.chromium ?? undefined;
    const { executablePath, version } = await findBrowser({ configuredPath, allowInstall: false });
    findings.push(ok("chromium", `${version ?? ""} ${executablePath}`.trim()));
  } catch (error) {
    if (!(error instanceof BrowserNotFoundError)) throw error;
    findings.push(bad("chromium", "no working installation", error.message));
  }
  for (const name of ["firefox", "webkit"] as const) {
    const configuredPath = browserPaths[name] ?? undefined;
    try {
      const { executablePath, version } = await findOtherBrowser(name, {
        configuredPath,
        isAsked: true,
      });
      findings.push(ok(name, `${version ?? ""} ${executablePath}`.trim()));
    } catch (error) {
      if (!(error instanceof BrowserNotFoundError)) throw error;
      const found = "not installed: its tests end errored";
      findings.push(
        configuredPath ? bad(name, found, error.message) : note(name, found, error.message),
      );
    }
  }
  return findings;
};
