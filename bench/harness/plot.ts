/** A line plot with a logarithmic x axis. */
export type Plot = {
  readonly title: string;
  /** The label of the x axis. */
  readonly x: string;
  /** The unit of all lines. */
  readonly y: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly { readonly x: number; readonly y: number }[];
  }[];
};

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 64;
const RIGHT = 24;
const TOP = 44;
const BOTTOM = 92;
const COLOURS = ["#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c"] as const;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A coordinate with a tenth of a pixel. */
const at = (value: number): string => value.toFixed(1);

/** The smallest number of the form 1, 2, 2.5 or 5 times a power of ten that is at least `value`. */
const niceAbove = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

const TICKS = 5;

const abbreviate = (value: number): string =>
  value >= 1_000_000
    ? `${Number((value / 1_000_000).toPrecision(3))}M`
    : value >= 1_000
      ? `${Number((value / 1_000).toPrecision(3))}k`
      : String(Number(value.toPrecision(3)));

/** Renders a plot as SVG. The same points give the same bytes. Throws if a line has no points. */
export const renderPlot = ({ title, x, y, lines }: Plot): string => {
  const points = lines.flatMap((line) => line.points);
  if (lines.length === 0 || lines.some((line) => line.points.length === 0)) {
    throw new Error(`Nothing to plot: ${title}`);
  }
  const sizes = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const [least = 1, most = 1] = [sizes[0], sizes.at(-1)];
  const top = niceAbove(Math.max(...points.map((point) => point.y)));
  const span = Math.log(most / least) || 1;
  const across = (value: number): number =>
    LEFT + (Math.log(value / least) / span) * (WIDTH - LEFT - RIGHT);
  const down = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const text = (left: number, height: number, words: string, more = ""): string =>
    `<text x="${at(left)}" y="${at(height)}"${more}>${escaped(words)}</text>`;

  const grid = Array.from({ length: TICKS + 1 }, (_, n) => (top * n) / TICKS).flatMap((value) => [
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(down(value))}" y2="${at(down(value))}" stroke="#d4d4d8"/>`,
    text(LEFT - 8, down(value) + 4, abbreviate(value), ' text-anchor="end"'),
  ]);
  const axis = sizes.map((size) =>
    text(across(size), HEIGHT - BOTTOM + 20, abbreviate(size), ' text-anchor="middle"'),
  );
  const drawn = lines.flatMap(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const sorted = [...own].sort((a, b) => a.x - b.x);
    const path = sorted.map((point) => `${at(across(point.x))},${at(down(point.y))}`).join(" ");
    const column = LEFT + (index % 3) * 218;
    const row = HEIGHT - 26 + Math.floor(index / 3) * 18;
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${path}"/>`,
      ...sorted.map(
        (point) =>
          `<circle cx="${at(across(point.x))}" cy="${at(down(point.y))}" r="3" fill="${colour}"><title>${escaped(`${name}: ${abbreviate(point.y)} ${y} at ${abbreviate(point.x)}`)}</title></circle>`,
      ),
      `<rect x="${column}" y="${row - 9}" width="10" height="10" fill="${colour}"/>`,
      text(column + 16, row, name),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12" fill="#27272a">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 24, title, ' font-size="15" font-weight="600"'),
    text(LEFT - 8, TOP - 8, y, ' text-anchor="end"'),
    ...grid,
    ...axis,
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, x, ' text-anchor="middle"'),
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
};
