import { describe } from "vitest";
import { inProcessBus } from "../../../../src/platform/bus/inProcess.ts";
import { busContract } from "./busContract.ts";

describe("the bus inside the process", () => {
  busContract(async (ackWaitMs) => inProcessBus({ ackWaitMs }));
});
