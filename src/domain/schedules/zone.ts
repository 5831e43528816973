const MINUTE = 60_000;
/** All zones change their clocks at multiples of this interval. */
const BLOCK = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;

/** The clock of a time zone. Instants are milliseconds since the epoch; wall times are counted as if the zone were UTC. */
export type Zone = {
  /** The wall time that the zone's clocks show at an instant. */
  wallAt(instant: number): number;
  /** The instants at which the zone's clocks show a wall time: none where it is skipped, two where it is repeated, oldest first. */
  instantsOf(wall: number): readonly number[];
  /** The instant at which the clocks jump over a wall time that none of them shows. */
  jumpOver(wall: number): number;
};

/** Whether a name is an IANA zone. */
export const isZone = (name: string): boolean => {
  // Intl also accepts offsets (`+02:00`), which are not zones: they have no daylight saving time.
  if (!/^[A-Za-z]/.test(name) || name.length > 64) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** The clock of an IANA zone by the rules of the runtime. Throws RangeError if `isZone` returns false. */
export const zoneOf = (name: string): Zone => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const known = new Map<number, number>();

  const computeOffset = (instant: number): number => {
    const at: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) at[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at;
    const whole = Math.floor(instant / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  };

  const offsetAt = (instant: number): number => {
    const block = Math.floor(instant / BLOCK);
    const found = known.get(block);
    if (found !== undefined) return found;
    const offset = computeOffset(block * BLOCK);
    if (known.size > 20_000) known.clear();
    known.set(block, offset);
    return offset;
  };

  return {
    wallAt: (instant) => instant + offsetAt(instant),

    instantsOf: (wall) => {
      // Any offset is the offset of some instant within 36 hours.
      const offsets = new Set(
        [-36, -12, 12, 36].map((hours) => offsetAt(wall + (hours * DAY) / 24)),
      );
      return [...offsets]
        .map((offset) => wall - offset)
        .filter((instant) => instant + offsetAt(instant) === wall)
        .sort((a, b) => a - b);
    },

    jumpOver: (wall) => {
      // Before the jump the clocks show less, after it more.
      let [before, after] = [wall - 2 * DAY, wall + 2 * DAY];
      while (after - before > MINUTE) {
        const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
        if (middle === before) break;
        if (middle + offsetAt(middle) < wall) before = middle;
        else after = middle;
      }
      return after;
    },
  };
};
