import { describe, expect, it } from "vitest";
import { cronText } from "../../../web/src/screens/schedules/cronText.ts";

const sentences: readonly (readonly [cron: string, sentence: string])[] = [
  ["* * * * *", "Every minute"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "Every hour"],
  ["5,35 * * * *", "At minute 5 and 35 of every hour"],
  ["0 7 * * *", "At 07:00 every day"],
  ["30 7,19 * * *", "At 07:30 and 19:30 every day"],
  ["0 7 * * 1-5", "At 07:00 from Monday to Friday"],
  ["0 7 * * mon,thu", "At 07:00 on Monday and Thursday"],
  ["0 0 * * 7", "At 00:00 on Sunday"],
  ["0 9-17 * * mon-fri", "Every hour from 09:00 to 17:00 from Monday to Friday"],
  ["*/10 9-17 * * *", "Every 10 minutes from 09:00 to 17:59"],
  ["0 */6 * * *", "Every 6th hour"],
  ["0 3 1 * *", "At 03:00 on day 1 of the month"],
  ["0 3 1,15 * mon", "At 03:00 on day 1 and day 15 of the month and on Monday"],
  ["0 3 1 jan,jul *", "At 03:00 on day 1 of the month in January and July"],
];

describe("a cron expression as a sentence", () => {
  it.each(sentences)("reads %s as %s", (cron, sentence) => {
    expect(cronText(cron)).toBe(sentence);
  });

  it.each(["", "0 7 * *", "@daily", "0 7 * * frob", "0-10/2 7 * * *"])(
    "leaves %s alone",
    (cron) => {
      expect(cronText(cron)).toBeNull();
    },
  );
});
