import { describe } from "vitest";
import { inProcessBus } from "../../../../src/platform/bus/inProcess.ts";
import { busContract } from "./busContract.ts";

describe("in-process bus", () => {
  busContract(async (ackWaitMs) => inProcessBus({ ackWaitMs }));
});
