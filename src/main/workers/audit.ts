import { checkpointSigner } from "../../stores/audit/signer.ts";
import { tileStore } from "../../stores/audit/tiles.ts";
import { auditTree } from "../../stores/audit/tree.ts";
import { startTreeBuilder } from "../../workers/audit/builder.ts";
import { startLogVerifier } from "../../workers/audit/verifier.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the workers that make the log tamper-evident. Part of the role `projections`. */
export const startAuditWorkers = (context: WorkerContext): void => {
  const { platform, core, stops } = context;
  const { db, logger, holder } = commonDeps(context);
  const { raw } = platform;
  const tiles = tileStore(platform.blobs);
  const signer = checkpointSigner(platform.masterKey);
  const deps = { raw, db, tiles, signer, clock: core.clock, logger, holder };
  stops.add("tree builder", startTreeBuilder(deps).stop);
  stops.add("log verifier", startLogVerifier({ ...deps, tree: auditTree(db) }).stop);
};
