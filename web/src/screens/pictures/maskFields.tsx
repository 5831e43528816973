import type { Mask } from "../../service/pictures.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";

type Area = Pick<Mask, "x" | "y" | "width" | "height">;

const sides = [
  { side: "x", label: "Left", min: 0 },
  { side: "y", label: "Top", min: 0 },
  { side: "width", label: "Width", min: 1 },
  { side: "height", label: "Height", min: 1 },
] as const;

type MaskFieldsProps = {
  readonly masks: readonly Mask[];
  readonly onChange: (masks: Mask[]) => void;
  readonly onAdd: (area: Area) => void;
};

/** The masks as numbers, for the keyboard and for exact places. */
export const MaskFields = ({ masks, onChange, onAdd }: MaskFieldsProps) => (
  <fieldset className="stack">
    <legend className="label">Masks</legend>
    {masks.map((mask, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a mask has no id, and its numbers change as one types.
      <div className="mask-row" key={at}>
        {sides.map(({ side, label, min }) => (
          <Field
            key={side}
            label={label}
            type="number"
            required
            min={min}
            max={100_000}
            value={mask[side]}
            onChange={(event) =>
              onChange(masks.with(at, { ...mask, [side]: Number(event.target.value) }))
            }
          />
        ))}
        <IconButton
          icon="trash"
          label={`Remove mask ${at + 1}`}
          onClick={() => onChange(masks.toSpliced(at, 1))}
        />
      </div>
    ))}
    <div>
      <Button icon="plus" onClick={() => onAdd({ x: 0, y: 0, width: 100, height: 100 })}>
        Add a mask
      </Button>
    </div>
  </fieldset>
);
