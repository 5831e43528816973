import { useEffect, useState } from "react";

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago an instant is, with the instant itself as the title. */
export const Ago = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={absolute.format(new Date(at))}>
    {ago(at)}
  </time>
);

const ago = (at: string): string => {
  const seconds = (Date.parse(at) - Date.now()) / 1_000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return "just now";
  return relative.format(Math.round(seconds / unit[1]), unit[0]);
};

/** A duration in milliseconds: `480 ms`, `2.1 s`, `3 min 20 s`. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** The time since `from`, counting. */
export const Elapsed = ({ from }: { readonly from: string }) => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return <span className="figures">{duration(Math.max(0, now - Date.parse(from)))}</span>;
};
