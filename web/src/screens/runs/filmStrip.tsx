import { useEffect, useRef } from "react";
import type { StepResult } from "../../service/runs.ts";

type FilmStripProps = {
  readonly steps: readonly StepResult[];
  readonly current: number | undefined;
  readonly onChoose: (number: number) => void;
};

/** The pictures of the steps in a row. Pointer users choose a step here; the list of steps offers the same by keyboard. */
export const FilmStrip = ({ steps, current, onChoose }: FilmStripProps) => {
  const strip = useRef<HTMLFieldSetElement>(null);
  const pictures = steps.filter(({ screenshot_url }) => screenshot_url !== null);
  useEffect(() => {
    const chosen = strip.current?.querySelector<HTMLElement>(`[data-frame="${current}"]`);
    if (!chosen || !strip.current) return;
    strip.current.scrollLeft = chosen.offsetLeft - strip.current.clientWidth / 2;
  }, [current]);
  if (pictures.length < 2) return null;
  return (
    <fieldset className="film" ref={strip} aria-label="Pictures of the steps">
      {pictures.map(({ number, screenshot_url, status, description }) => (
        <button
          key={number}
          type="button"
          data-frame={number}
          className={`frame-button ${status}`}
          aria-pressed={number === current}
          aria-label={`Step ${number}: ${description}`}
          title={`${number} · ${description}`}
          onClick={() => onChoose(number)}
        >
          <img src={screenshot_url ?? ""} alt="" loading="lazy" />
          <span className="figures">{number}</span>
        </button>
      ))}
    </fieldset>
  );
};
