import type { Dashboard } from "../../service/dashboard.ts";

type Day = Dashboard["trend"][number];

const HEIGHT = 44;
const WIDTH = 9;
const GAP = 3;

const parts = [
  ["passed", (day: Day) => day.passed],
  ["flaky", (day: Day) => day.flaky],
  ["failed", (day: Day) => day.failed + day.errored],
] as const;

const total = (day: Day): number => parts.reduce((sum, [, of]) => sum + of(day), 0);

/** The outcomes of each day as stacked bars. */
export const Trend = ({ trend }: { readonly trend: Dashboard["trend"] }) => {
  const most = Math.max(1, ...trend.map(total));
  const label = `Tests by day: ${trend.reduce((sum, day) => sum + total(day), 0)} in ${trend.length} days`;
  return (
    <svg
      className="trend"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${trend.length * (WIDTH + GAP)} ${HEIGHT}`}
    >
      {trend.map((day, index) => (
        <Bar key={day.day} day={day} x={index * (WIDTH + GAP)} scale={HEIGHT / most} />
      ))}
    </svg>
  );
};

const Bar = ({
  day,
  x,
  scale,
}: {
  readonly day: Day;
  readonly x: number;
  readonly scale: number;
}) => {
  let y = HEIGHT;
  return (
    <g>
      <title>{`${day.day}: ${day.passed} passed, ${day.flaky} flaky, ${day.failed + day.errored} not passed`}</title>
      <rect className="none" x={x} y={HEIGHT - 2} width={WIDTH} height={2} rx={1} />
      {parts.map(([name, of]) => {
        const height = of(day) * scale;
        y -= height;
        return height > 0 ? (
          <rect key={name} className={name} x={x} y={y} width={WIDTH} height={height} rx={1.5} />
        ) : null;
      })}
    </g>
  );
};
