import { type PointerEvent, useState } from "react";
import type { Mask } from "../../service/pictures.ts";

type Area = Pick<Mask, "x" | "y" | "width" | "height">;
type Point = { readonly x: number; readonly y: number };

type MaskDrawingProps = {
  readonly actual: string;
  readonly masks: readonly Mask[];
  readonly onDraw: (area: Area) => void;
};

/** The picture with its masks. A drag draws another one, in pixels of the picture. */
export const MaskDrawing = ({ actual, masks, onDraw }: MaskDrawingProps) => {
  const [size, setSize] = useState({ width: 1280, height: 720 });
  const [from, setFrom] = useState<Point | null>(null);
  const [to, setTo] = useState<Point | null>(null);
  const pointOf = (event: PointerEvent<SVGSVGElement>): Point => {
    const box = event.currentTarget.getBoundingClientRect();
    return {
      x: limited(((event.clientX - box.x) / box.width) * size.width, size.width),
      y: limited(((event.clientY - box.y) / box.height) * size.height, size.height),
    };
  };
  const drawn = from && to ? areaOf(from, to) : null;
  const end = () => {
    if (drawn && drawn.width > 2 && drawn.height > 2) onDraw(drawn);
    setFrom(null);
    setTo(null);
  };
  return (
    <div className="layers masked">
      <img
        src={actual}
        alt="This run"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSize({ width: naturalWidth, height: naturalHeight })
        }
      />
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label="Masks"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setFrom(pointOf(event));
        }}
        onPointerMove={(event) => from && setTo(pointOf(event))}
        onPointerUp={end}
        onPointerCancel={end}
      >
        {[...masks, ...(drawn ? [drawn] : [])].map(({ x, y, width, height }) => (
          <rect key={`${x} ${y} ${width} ${height}`} {...{ x, y, width, height }} />
        ))}
      </svg>
    </div>
  );
};

const limited = (value: number, most: number): number =>
  Math.round(Math.min(Math.max(value, 0), most));

const areaOf = (from: Point, to: Point): Area => ({
  x: Math.min(from.x, to.x),
  y: Math.min(from.y, to.y),
  width: Math.abs(from.x - to.x),
  height: Math.abs(from.y - to.y),
});
