import { organizationDecider } from "../domain/organizations/organization.ts";
import type { Logger } from "../platform/logger.ts";
import { visualsFrom } from "../workers/baselines/visuals.ts";
import { healingFrom } from "../workers/healing/memory.ts";
import { resourcesFrom } from "../workers/runs/resources.ts";
import type { Core } from "./core/index.ts";
import type { Platform } from "./platform.ts";

/** The dependencies of running tests, for the executor of this process and for connected agents. */
export const testDependencies = (
  core: Core,
  { blobs }: Pick<Platform, "blobs">,
  logger: Logger,
) => {
  const { queries, loop, clock } = core;
  return {
    stepsOfVersion: queries.catalogue.stepsOfVersion,
    resourcesOf: resourcesFrom({
      secrets: core.environmentSecrets,
      findFile: queries.catalogue.findFile,
      blobs,
    }),
    healingOf: healingFrom({
      fingerprints: core.fingerprints,
      isAllowed: async (organizationId) => {
        const { state } = await loop.load(organizationDecider, organizationId);
        return "settings" in state && state.settings.healing;
      },
      rejectedOf: queries.healings.rejectedTargets,
      clock,
      logger,
    }),
    visualsOf: visualsFrom({
      baselines: core.commands.baselines,
      blobs,
      comparer: core.comparer,
    }),
  };
};
