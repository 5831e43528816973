import { inspectionCommands } from "../../commands/inspection/inspection.ts";
import { createCommandLoop } from "../../commands/kernel/commandLoop.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { loadMasterKey } from "../../platform/masterKey.ts";
import { inspectorQueries } from "../../projections/inspection/index.ts";
import { personsState } from "../../stores/identity/persons.ts";
import { projections } from "../core/projections.ts";
import { createStops } from "../stops.ts";
import { connectToData } from "./projections.ts";

/** The actor of searches on the command line, which have no session. Stream `inspection-operator`. */
const OPERATOR = { type: "system", id: "operator" } as const;

/** Access of the command line to the inspector. */
export type InspectorAccess = {
  /** Finds the streams that a text matches, and records the search before returning them. */
  find(text: string): ReturnType<ReturnType<typeof inspectorQueries>["find"]>;
  close(): Promise<void>;
};

/** Connects to the log and the event index of a service. Rejects if the log is unreachable, because a search must be recorded. */
export const openInspector = async (config: Config, logger: Logger): Promise<InspectorAccess> => {
  const stops = createStops(logger);
  try {
    const { db, log } = await connectToData(config, logger, stops);
    if (log === null) {
      throw new Error("the event log is unreachable. Start the service, or set EVENTSTORE_URL");
    }
    const persons = personsState({ db, masterKey: await loadMasterKey(config) });
    const queries = inspectorQueries({ db, log, persons, projections });
    const commands = inspectionCommands({ loop: createCommandLoop({ log, clock: systemClock }) });
    return {
      find: async (text) => {
        const answer = await queries.find(text);
        const id = newId();
        const context = {
          actor: OPERATOR,
          organizationId: null,
          correlationId: id,
          causationId: id,
        };
        const subjects = answer.found.map(({ stream }) => stream);
        await commands.noteLook(context, { at: "find", subjects });
        return answer;
      },
      close: stops.all,
    };
  } catch (error) {
    await stops.all();
    throw error;
  }
};
