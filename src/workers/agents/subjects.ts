import { z } from "zod";

/** Bus subject: executions wait for agents. */
export const AGENT_WORK_SUBJECT = "agents.work";
/** Bus subject: an agent has connected, so its other connections close. */
export const AGENT_HERE_SUBJECT = "agents.here";

const here = z.object({ worker: z.string(), session: z.string() });

/** Decodes a message of AGENT_HERE_SUBJECT; null if it is malformed. */
export const decodeHere = (payload: string): z.output<typeof here> | null => {
  try {
    return here.parse(JSON.parse(payload));
  } catch {
    return null;
  }
};
