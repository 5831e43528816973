/**
 * How texts are compared (docs/matching.md, "Text"), as JavaScript for the page.
 *
 * `norm(text)` is the text as a person reads it. `tokensOf(text, lang)` cuts it into words, numbers and symbols by
 * UAX #29; punctuation and white space between them do not count. `wordsIn(text, words, lang)` is the range
 * `[start, end)` of the words in the normalised text, or null. `has(text, find, lang)` applies the way of matching of
 * a target or a claim: "words", "exactly" or "containing".
 */
export const TEXTS = String.raw`
const UNSEEN = /[\u00ad\ue000-\uf8ff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const grouped = (text) => String(text ?? "").normalize("NFC").replace(UNSEEN, "")
  .replace(/[\u2018\u2019\u02bc]/g, "'").replace(/[\u201c\u201d\u201e]/g, '"')
  .replace(/\u2026/g, "...").replace(/[\u2010\u2011\u05be]/g, "-").replace(/\u2212/g, "-")
  .replace(/(\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))/g, "$1\u2007").replace(/[^\S\u2007]+/g, " ").trim();
/* Spaces that group digits are kept apart from others until numbers are read. */
const norm = (text) => grouped(text).replaceAll("\u2007", " ");
const lower = (text) => norm(text).toLowerCase();
const langOf = (element) => {
  const said = element?.closest?.("[lang]")?.getAttribute("lang") || document.documentElement?.lang || "en";
  return Intl.NumberFormat.supportedLocalesOf([said.replace("_", "-")].filter((one) => /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(one)))[0] ?? "en";
};
const signs = new Map();
const signsOf = (lang) => {
  if (!signs.has(lang)) {
    const parts = new Intl.NumberFormat(lang).formatToParts(12345678.5);
    const of = (type) => parts.find((part) => part.type === type)?.value ?? "";
    const group = of("group");
    signs.set(lang, { group: /\s/.test(group) ? "\u2007" : group.replace("\u2019", "'"), isSpaced: /\s/.test(group), decimal: of("decimal") });
  }
  return signs.get(lang);
};
const asciiDigits = (text) => text.replace(/\p{Nd}/gu, (digit) => {
  const code = digit.codePointAt(0);
  if (code < 128) return digit;
  let zero = code;
  while (zero > code - 10 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
});
/* "1,234.50" of a language as "1234.50"; null if it is no number there. */
const numberIn = (raw, { group, decimal }) => {
  const text = asciiDigits(raw);
  const [whole = "", fraction, ...more] = decimal ? text.split(decimal) : [text];
  if (more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const sign = /^[-+]/.exec(whole)?.[0] ?? "";
  const digits = whole.slice(sign.length);
  const groups = group ? digits.split(group) : [digits];
  const isGrouped = groups.length === 1 || (groups[0].length < 4 && groups.at(-1).length === 3 && groups.slice(1).every((one) => one.length === 2 || one.length === 3));
  if (!isGrouped || !groups.every((one) => /^\d+$/.test(one))) return null;
  return (sign === "-" ? "-" : "") + groups.join("") + (fraction === undefined ? "" : "." + fraction);
};
const PLAIN = { group: "", decimal: "." };
const IS_NUMBER = /^[-+]?\p{Nd}+(?:[.,'\u2007\u066b\u066c]\p{Nd}+)*$/u;
const numbersOf = (raw, lang, isClaim) => {
  if (!IS_NUMBER.test(raw)) return null;
  const page = numberIn(raw, signsOf(lang));
  if (!isClaim) return page === null ? [] : [page];
  return [page, numberIn(raw, PLAIN)].filter((one) => one !== null);
};
const segmenters = new Map();
const segmentsOf = (text, lang) => {
  if (!segmenters.has(lang)) segmenters.set(lang, new Intl.Segmenter(lang, { granularity: "word" }));
  return segmenters.get(lang).segment(text);
};
const COUNTS = /[\p{S}\p{Extended_Pictographic}%#@&*\/\\]/u;
const CURRENCY = /^\p{Sc}$/u;
/* A hyphen between two words or numbers without a space makes one word of them: "non-active", "2026-01-15". */
const tokensOf = (text, lang, isClaim = false) => {
  const spaced = signsOf(lang).isSpaced;
  const source = spaced ? text.replace(/(\d) (?=\d{3}(?!\d))/g, "$1\u2007") : text;
  const found = [];
  let before = null;
  for (const { segment, index, isWordLike } of segmentsOf(source, lang)) {
    const isWord = isWordLike || /\p{Nd}/u.test(segment);
    const last = found.at(-1);
    const touches = last && last.end === index;
    if (isWord) {
      const joint = before !== null && /^(?:-|\u2007)$/.test(before.segment) ? before : null;
      const held = joint && found.length > 0 && found.at(-1).end === joint.index ? found.at(-1) : null;
      if (held && held.isWord) {
        held.raw += joint.segment + segment;
        held.end = index + segment.length;
      } else if (joint && joint.segment === "-" && /^\p{Nd}/u.test(segment) && (joint.index === 0 || /[\s(\p{Sc}]$/u.test(source.slice(0, joint.index)))) {
        found.push({ raw: "-" + segment, start: joint.index, end: index + segment.length, isWord: true });
      } else found.push({ raw: segment, start: index, end: index + segment.length, isWord: true });
    } else if (COUNTS.test(segment)) {
      if (touches && !last.isWord && last.raw.replaceAll(segment, "") === "") {
        last.raw += segment;
        last.end = index + segment.length;
      }
      else found.push({ raw: segment, start: index, end: index + segment.length, isWord: false });
    }
    before = { segment, index };
  }
  /* "C++", "C#": the signs behind a word belong to it. */
  found.forEach((token, at) => {
    const [sign, next] = [found[at + 1], found[at + 2]];
    if (!token.isWord || !/\p{L}$/u.test(token.raw) || !sign || !/^(?:\+{1,2}|#)$/.test(sign.raw)) return;
    if (sign.start !== token.end || (next && next.start === sign.end)) return;
    token.raw += sign.raw;
    token.end = sign.end;
    found.splice(at + 1, 1);
  });
  for (const token of found) {
    token.lower = token.raw.toLowerCase();
    token.numbers = numbersOf(token.raw, lang, isClaim);
  }
  return found;
};
/* "Ann" is in "Ann's cart"; "It" is not in "It's". */
const CONTRACTED = new Set("it he she that what there here who where how when let".split(" "));
const isOwner = (page, claim) => page.lower === claim.lower + "'s" && /^\p{Lu}/u.test(page.raw) && !CONTRACTED.has(claim.lower);
const isSameToken = (page, claim) => {
  if (page.lower === claim.lower || isOwner(page, claim)) return true;
  if (page.numbers === null || claim.numbers === null) return false;
  return claim.numbers.some((one) => page.numbers.includes(one));
};
const claims = new Map();
const claimOf = (text, lang) => {
  const key = lang + " " + text;
  if (!claims.has(key)) claims.set(key, tokensOf(grouped(text), lang, true));
  return claims.get(key);
};
/* Whether a text can have the words at all: spares cutting every text of a page into words. */
const mayHave = (said, words) => {
  const longest = words.reduce((best, one) => (one.numbers === null && one.lower.length > best.length ? one.lower : best), "");
  return longest === "" ? /\p{Nd}/u.test(said) || words.every((one) => one.numbers === null) : said.toLowerCase().includes(longest);
};
const wordsIn = (said, wanted, lang) => {
  const words = claimOf(wanted, lang);
  if (words.length === 0) {
    const at = norm(wanted) === "" ? -1 : said.indexOf(norm(wanted));
    return at < 0 ? null : [at, at + norm(wanted).length];
  }
  if (!mayHave(said, words)) return null;
  const tokens = tokensOf(said, lang);
  for (let at = 0; at + words.length <= tokens.length; at += 1) {
    let n = 0;
    while (n < words.length && isSameToken(tokens[at + n], words[n])) n += 1;
    if (n === words.length && isWhole(around(said, tokens[at], tokens[at + n - 1]), { ...around(grouped(wanted), words[0], words.at(-1)), isAddress: ADDRESS.test(norm(wanted)) }, words)) return [tokens[at].start, tokens[at + n - 1].end];
  }
  return null;
};
const around = (said, first, last) => ({ before: said.slice(0, first.start), after: said.slice(last.end) });
const ADDRESS = /\p{L}[.@](?=[\p{L}\p{N}])|\p{N}[.@](?=\p{L})/u;
const MAGNITUDE = /^ ?(?:hundred|thousand|million|billion|trillion|lakh|crore|tsd|tausend|mio|mrd|millionen|milliarden?|millions|milliards?|mil|millones|mille|milioni|miliardi)(?!\p{L})/iu;
/*
 * Signs beside a text that change what it says: what stands in front of it or behind it belongs to it, unless the
 * claim has it too. "-$3", "CA$3", ".5", "3.00-", "99+" and "3 million" are other amounts than their digits;
 * "mary.ann@a.org" and "report.pdf.exe" are other addresses and files; a Chinese negation makes another word.
 */
const SIGNS = [
  { of: "amount", before: /(?:^|[\s(])-$/ },
  { of: "amount", before: /\+$/ },
  { of: "currency", before: /(?<!\p{L})(?!US$)\p{L}{1,3}$/u },
  { of: "number", before: /(?:^|[^\p{L}\p{N}.])[.\u066b]$/u },
  { of: "number", before: /\^$/ },
  { of: "end", after: /^\+(?!\p{N})/u },
  { of: "end", after: /^-(?=$|[\s,;.)])/ },
  { of: "end", after: MAGNITUDE },
  { of: "address", before: /(?<=[\p{L}\p{N}])(?<!(?:^|[\s\/])www)[.@+_-]$/u },
  { of: "address", after: /^[.@+_-][\p{L}\p{N}]/u },
  { of: "han", before: /[未不非无無没沒]$/ },
];
const sortsOf = (words) => {
  const [first, second] = words;
  const isCurrency = CURRENCY.test(first.raw) && second !== undefined && second.numbers !== null;
  const isNumber = first.numbers !== null;
  const said = words.map(({ raw }) => raw).join(" ");
  return { amount: isNumber || isCurrency, currency: isCurrency, number: isNumber, end: words.at(-1).numbers !== null, han: /^\p{Script=Han}/u.test(said) };
};
const isWhole = (page, claim, words) => {
  const sorts = { ...sortsOf(words), address: claim.isAddress };
  const isBracketed = ({ before, after }) => /^\s*\($/.test(before) && /^\)\s*$/.test(after);
  if ((sorts.currency || (sorts.number && CURRENCY.test(words.at(-1).raw))) && isBracketed(page) && !isBracketed(claim)) return false;
  return SIGNS.every(({ of, before, after }) => !sorts[of] || (before ?? after).test(before ? page.before : page.after) === (before ?? after).test(before ? claim.before : claim.after));
};
const partIn = (said, wanted) => {
  const at = said.toLowerCase().indexOf(lower(wanted));
  return at < 0 || norm(wanted) === "" ? null : [at, at + norm(wanted).length];
};
/* Where a text is in what is said, both normalised here; null if it is not. */
const rangeIn = (text, wanted, match, lang) => {
  const said = norm(text);
  if (match === "containing") return partIn(said, wanted);
  if (match === "exactly") return said === norm(wanted) && said !== "" ? [0, said.length] : null;
  return wordsIn(grouped(text), wanted, lang);
};
const EDGE = /^[\p{P}\s*\u2731\uff0a]+|[\p{P}\s*\u2731\uff0a]+$/gu;
const COUNTER = /\s*[([]\s*\d+\+?\s*[)\]]$/;
const bare = (text, isCounterNamed) => {
  const said = lower(text).replace(/\s*\((?:required|optional)\)\s*[*:]?$/, "");
  const counted = isCounterNamed ? said : said.replace(COUNTER, "");
  const stripped = counted.replace(EDGE, "");
  return stripped === "" ? said : stripped;
};
/* How well a name matches: 3 in its case, 2 ignoring it, 1 without its edges, 0 as whole words; -1 if not at all. */
const rankOf = (name, wanted, match, lang) => {
  const said = norm(name);
  if (said === "") return -1;
  if (match === "exactly") return said === norm(wanted) ? 3 : -1;
  if (match === "containing") return partIn(said, wanted) ? 0 : -1;
  if (said === norm(wanted)) return 3;
  if (said.toLowerCase() === lower(wanted)) return 2;
  const isCounterNamed = COUNTER.test(norm(wanted));
  if (bare(said, isCounterNamed) === bare(wanted, isCounterNamed)) return 1;
  return wordsIn(grouped(name), wanted, lang) ? 0 : -1;
};
`;
