/** A parsed cron expression of five fields: the allowed values of each field. */
export type Cron = {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether the hour is left open: then ticks follow elapsed time (steps.md, "Cron"). */
  readonly everyHour: boolean;
  /** Whether both day fields are restricted: then a day that either allows is one. */
  readonly eitherDay: boolean;
};

export type ReadCron =
  | { readonly ok: true; readonly cron: Cron }
  | { readonly ok: false; readonly reason: string };

type Field = {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
};

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");

const fields: readonly Field[] = [
  { name: "minute", from: 0, to: 59, names: [] },
  { name: "hour", from: 0, to: 23, names: [] },
  { name: "day of month", from: 1, to: 31, names: [] },
  { name: "month", from: 1, to: 12, names: MONTHS },
  { name: "day of week", from: 0, to: 7, names: DAYS },
];

const MAX_LENGTH = 200;
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads a cron expression: minute, hour, day of month, month, day of week; numbers, names of months and
 * days, `*`, ranges, lists and steps. Sunday is 0 or 7. Six fields, `@daily`, `L`, `W` and `#` are not taken.
 */
export const readCron = (expression: string): ReadCron => {
  if (expression.length > MAX_LENGTH) return refused("The cron expression is too long.");
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    const hint = expression.trim().startsWith("@") ? " Names such as @daily are not taken." : "";
    return refused(
      `A cron expression has five fields (minute, hour, day of month, month, day of week); this one has ${parts.length}.${hint}`,
    );
  }
  const sets: ReadonlySet<number>[] = [];
  for (const [index, field] of fields.entries()) {
    const read = readField(parts[index] ?? "", field);
    if (typeof read === "string") return refused(read);
    sets.push(read);
  }
  const [minutes, hours, daysOfMonth, months, weekdays] = sets;
  if (!minutes || !hours || !daysOfMonth || !months || !weekdays)
    return refused("A field is missing.");
  const daysOfWeek = new Set([...weekdays].map((day) => day % 7));
  const everyDayOfMonth = daysOfMonth.size === 31;
  const everyDayOfWeek = daysOfWeek.size === 7;
  const cron = {
    minutes,
    hours,
    daysOfMonth,
    months,
    daysOfWeek,
    everyHour: hours.size === 24,
    eitherDay: !everyDayOfMonth && !everyDayOfWeek,
  };
  const isPossible =
    !everyDayOfWeek ||
    [...months].some((month) =>
      [...daysOfMonth].some((day) => day <= (DAYS_OF_MONTH[month - 1] ?? 0)),
    );
  return isPossible
    ? { ok: true, cron }
    : refused("There is no such date in any year: check the day of month and the month.");
};

const refused = (reason: string): ReadCron => ({ ok: false, reason });

const readField = (text: string, field: Field): ReadonlySet<number> | string => {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const match =
      /^(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/i.exec(part);
    if (!match) return wrong(part, field);
    const [, star, first, last, stepText] = match;
    const step = stepText === undefined ? 1 : Number(stepText);
    const from = star ? field.from : numberOf(first ?? "", field);
    // `5/10` starts at 5 and continues to the end of the field.
    const open = star !== undefined || (last === undefined && stepText !== undefined);
    const end = field.name === "day of week" && star ? 6 : field.to;
    const to = open ? end : numberOf(last ?? first ?? "", field);
    if (from === null || to === null || step < 1 || from > to) return wrong(part, field);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
};

const numberOf = (text: string, field: Field): number | null => {
  if (/^\d+$/.test(text)) {
    const value = Number(text);
    return value >= field.from && value <= field.to ? value : null;
  }
  const index = field.names.indexOf(text.toLowerCase());
  return index < 0 ? null : index + field.from;
};

const wrong = (part: string, field: Field): string => {
  const names = field.names.length > 0 ? `, or names such as ${field.names[0]}` : "";
  return `${JSON.stringify(part.slice(0, 20))} is no ${field.name}: numbers from ${field.from} to ${field.to}${names}, *, ranges, lists and steps.`;
};

/** Whether a local date is one of the expression's days. `month` counts from 1, `weekday` from Sunday = 0. */
export const isDay = (cron: Cron, month: number, day: number, weekday: number): boolean => {
  if (!cron.months.has(month)) return false;
  const byMonth = cron.daysOfMonth.has(day);
  const byWeek = cron.daysOfWeek.has(weekday);
  return cron.eitherDay ? byMonth || byWeek : byMonth && byWeek;
};
