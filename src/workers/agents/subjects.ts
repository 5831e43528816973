import { z } from "zod";

/** On the bus: something waits for agents. */
export const AGENT_WORK_SUBJECT = "agents.work";
/** On the bus: an agent has a connection, so that others of it are closed. */
export const AGENT_HERE_SUBJECT = "agents.here";

const here = z.object({ worker: z.string(), session: z.string() });

/** Who has come, null when the message is none of ours. */
export const decodeHere = (payload: string): z.output<typeof here> | null => {
  try {
    return here.parse(JSON.parse(payload));
  } catch {
    return null;
  }
};
