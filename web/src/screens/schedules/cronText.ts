/** A field of a cron expression as written: every value, every nth, a range or a list. */
type Field =
  | { readonly kind: "every" }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "list"; readonly values: readonly number[] };

const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** More times of a day than these are not listed. */
const MAX_TIMES = 6;

const short = (names: readonly string[]): readonly string[] =>
  names.map((name) => name.slice(0, 3).toLowerCase());

const numberOf = (text: string, names: readonly string[], first: number): number | null => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? null : index + first;
};

const readField = (text: string, names: readonly string[] = [], first = 0): Field | null => {
  if (text === "*") return { kind: "every" };
  const step = /^\*\/(\d{1,2})$/.exec(text);
  if (step) return step[1] === "1" ? { kind: "every" } : { kind: "step", step: Number(step[1]) };
  const [from, to, ...rest] = text.split("-").map((part) => numberOf(part, names, first));
  if (from != null && to != null && rest.length === 0) return { kind: "range", from, to };
  const values = text.split(",").map((part) => numberOf(part, names, first));
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return null;
  return { kind: "list", values: known.toSorted((a, b) => a - b) };
};

const and = (words: readonly string[]): string =>
  words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;

const clock = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

const minutesOfHour = (minutes: Field): string | null => {
  if (minutes.kind === "every") return "every minute";
  if (minutes.kind === "step") return `every ${minutes.step} minutes`;
  if (minutes.kind === "range") return `every minute from :${minutes.from} to :${minutes.to}`;
  return null;
};

const ofEveryHour = (minutes: Field, hours: string): string => {
  if (minutes.kind !== "list") return `${minutesOfHour(minutes)}${hours && ` of ${hours}`}`;
  const { values } = minutes;
  const every = hours || "every hour";
  if (values.length === 1 && values[0] === 0) return every;
  return `at minute ${and(values.map(String))} of ${every}`;
};

const timeText = (minutes: Field, hours: Field): string => {
  if (hours.kind === "every") return ofEveryHour(minutes, "");
  if (hours.kind === "step") return ofEveryHour(minutes, `every ${ordinal(hours.step)} hour`);
  if (hours.kind === "range") {
    const last = minutes.kind === "list" ? (minutes.values.at(-1) ?? 0) : 59;
    const first = minutes.kind === "list" ? (minutes.values[0] ?? 0) : 0;
    const text = ofEveryHour(minutes, "");
    return `${text} from ${clock(hours.from, first)} to ${clock(hours.to, last)}`;
  }
  const names = and(hours.values.map((hour) => clock(hour, 0)));
  if (minutes.kind !== "list") return `${minutesOfHour(minutes)} of the hours ${names}`;
  const times = hours.values.flatMap((hour) => minutes.values.map((minute) => clock(hour, minute)));
  if (times.length <= MAX_TIMES) return `at ${and(times)}`;
  return `at minute ${and(minutes.values.map(String))} of the hours ${names}`;
};

const ordinal = (number: number): string => {
  const suffix = number % 10 === 1 && number !== 11 ? "st" : number === 2 ? "nd" : "th";
  return `${number}${number === 3 ? "rd" : suffix}`;
};

const daysText = (field: Field, one: (value: number) => string, unit: string): string | null => {
  if (field.kind === "every") return null;
  if (field.kind === "step") return `on every ${ordinal(field.step)} ${unit}`;
  if (field.kind === "range") return `from ${one(field.from)} to ${one(field.to)}`;
  return `on ${and(field.values.map(one))}`;
};

/**
 * A cron expression of five fields as a sentence, such as "At 07:00 from Monday to Friday". Null for an expression that
 * is wrong, and for a rare form whose fields do not read as a sentence.
 */
export const cronText = (expression: string): string | null => {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== 5) return null;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = parts;
  const minutes = readField(minute);
  const hours = readField(hour);
  const days = readField(day);
  const months = readField(month, short(MONTHS), 1);
  const weekdays = readField(weekday, short(DAYS));
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const onDays = daysText(days, (value) => `day ${value}`, "day");
  const onWeekdays = daysText(weekdays, (value) => DAYS[value % 7] ?? "", "weekday");
  const either = [onDays && `${onDays} of the month`, onWeekdays].filter((text) => text !== null);
  const time = timeText(minutes, hours);
  const inMonths = daysText(months, (value) => MONTHS[value - 1] ?? "", "month");
  const everyDay = either.length === 0 && time.startsWith("at ") && hours.kind === "list";
  const sentence = [
    time,
    everyDay ? "every day" : either.join(" and "),
    inMonths?.replace(/^on (?!every)/, "in "),
  ]
    .filter(Boolean)
    .join(" ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
};
