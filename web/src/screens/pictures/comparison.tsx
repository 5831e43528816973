import { useEffect, useState } from "react";
import type { View } from "../search.ts";

/** Ways to look at a picture beside its baseline. */
export const viewLabels = {
  side: "Side by side",
  slider: "Slider",
  overlay: "Overlay",
  blink: "Blink",
  difference: "Difference",
} as const satisfies Record<View, string>;

type Shots = {
  readonly baseline: string;
  readonly actual: string;
  /** Null if the sizes differ or the picture was deleted. */
  readonly difference: string | null;
};

/** Two pictures in one of the ways to compare them. */
export const Comparison = ({ shots, view }: { readonly shots: Shots; readonly view: View }) => {
  switch (view) {
    case "side":
      return (
        <div className="side-by-side">
          <Shot label="Baseline" src={shots.baseline} />
          <Shot label="This run" src={shots.actual} />
        </div>
      );
    case "slider":
      return <Blended shots={shots} label="Share of the baseline" of={clipped} />;
    case "overlay":
      return <Blended shots={shots} label="Opacity of the baseline" of={transparent} />;
    case "blink":
      return <Blink shots={shots} />;
    case "difference":
      return shots.difference ? (
        <Shot label="Difference" src={shots.difference} />
      ) : (
        <p className="no-picture">There is no picture of the difference.</p>
      );
    default:
      return view satisfies never;
  }
};

/** A picture with its caption. */
export const Shot = ({ label, src }: { readonly label: string; readonly src: string }) => (
  <figure className="shot-figure">
    <figcaption>{label}</figcaption>
    <img src={src} alt={label} />
  </figure>
);

const clipped = (share: number) => ({ clipPath: `inset(0 ${100 - share}% 0 0)` });
const transparent = (share: number) => ({ opacity: share / 100 });

type BlendedProps = {
  readonly shots: Shots;
  readonly label: string;
  readonly of: (share: number) => Readonly<Record<string, string | number>>;
};

/** The baseline above the picture of this run; a slider sets how much of it is seen. */
const Blended = ({ shots, label, of }: BlendedProps) => {
  const [share, setShare] = useState(50);
  return (
    <div className="blended">
      <label className="slider">
        <span>Baseline</span>
        <input
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label={label}
          onChange={(event) => setShare(Number(event.target.value))}
        />
        <span>{share} %</span>
      </label>
      <div className="layers">
        <img src={shots.actual} alt="This run" />
        <img src={shots.baseline} alt="Baseline" style={of(share)} />
      </div>
    </div>
  );
};

const BLINK_MS = 700;

/** Both pictures in turn. A reader who wants less motion turns them by hand. */
const Blink = ({ shots }: { readonly shots: Shots }) => {
  const [isBaseline, setBaseline] = useState(false);
  const [isStill, setStill] = useState(matchMedia("(prefers-reduced-motion: reduce)").matches);
  useEffect(() => {
    if (isStill) return;
    const timer = setInterval(() => setBaseline((known) => !known), BLINK_MS);
    return () => clearInterval(timer);
  }, [isStill]);
  const turn = () => {
    setStill(true);
    setBaseline((known) => !known);
  };
  return (
    <div className="blended">
      <div className="slider">
        <span aria-live={isStill ? "polite" : "off"}>{isBaseline ? "Baseline" : "This run"}</span>
        <button type="button" className="button quiet" onClick={() => setStill(!isStill)}>
          {isStill ? "Blink" : "Pause"}
        </button>
        <button type="button" className="button quiet" onClick={turn}>
          Turn
        </button>
      </div>
      <div className="layers">
        <img src={shots.actual} alt="This run" />
        <img src={shots.baseline} alt="Baseline" hidden={!isBaseline} />
      </div>
    </div>
  );
};
