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
import { reach } from "./projections.ts";

/** Whose looks at the shell are: there is nobody's session. Stream `inspection-operator`. */
const OPERATOR = { type: "system", id: "operator" } as const;

/** What operators look at the log with, beside the service that runs. */
export type InspectorAccess = {
  /** The streams that a text touches; noted before they are told. */
  find(text: string): ReturnType<ReturnType<typeof inspectorQueries>["find"]>;
  close(): Promise<void>;
};

/** Reaches the log and the index of a service. Rejects when it cannot: a look that is not recorded is none. */
export const openInspector = async (config: Config, logger: Logger): Promise<InspectorAccess> => {
  const stops = createStops(logger);
  try {
    const { db, log } = await reach(config, logger, stops);
    if (log === null) {
      throw new Error("the event log is out of reach. Start the service, or set EVENTSTORE_URL");
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
