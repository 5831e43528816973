import { type PublishedText, publish } from "../../platform/publishing/publish.ts";
import { checkpointSigner } from "../../stores/audit/signer.ts";
import { tileStore } from "../../stores/audit/tiles.ts";
import { auditTree } from "../../stores/audit/tree.ts";
import { type AnchoringDeps, startAnchoring } from "../../workers/audit/anchoring.ts";
import { startTreeBuilder } from "../../workers/audit/builder.ts";
import { checkpointMail } from "../../workers/audit/checkpointMail.ts";
import { startLogVerifier } from "../../workers/audit/verifier.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the workers that make the log tamper-evident. Part of the role `projections`. */
export const startAuditWorkers = (context: WorkerContext): void => {
  const { config, platform, core, stops } = context;
  const { db, logger, holder } = commonDeps(context);
  const { raw } = platform;
  const tiles = tileStore(platform.blobs);
  const signer = checkpointSigner(platform.masterKey);
  const deps = { raw, db, tiles, signer, clock: core.clock, logger, holder };
  stops.add("tree builder", startTreeBuilder(deps).stop);
  const tree = auditTree(db);
  stops.add("log verifier", startLogVerifier({ ...deps, tree }).stop);
  const { auditAnchors: places, s3 } = config;
  if (places.length === 0) return;
  const sendMail = async (address: string, published: PublishedText): Promise<void> => {
    const mail = checkpointMail(address, published);
    const at = core.clock().toISOString();
    await core.outbox.put({ mail, kind: "log_checkpoint", userId: null, at });
  };
  const publishAt: AnchoringDeps["publish"] = (place, published) =>
    publish({ s3, sendMail }, place, published);
  stops.add("anchoring", startAnchoring({ ...deps, tree, places, publish: publishAt }).stop);
};
