import { Select } from "../../ui/choice.tsx";

type ZoneSelectProps = {
  readonly value: string;
  readonly hint?: string;
  readonly onChoose: (zone: string) => void;
};

/** Chooses a time zone of those that the browser knows. */
export const ZoneSelect = ({ value, hint, onChoose }: ZoneSelectProps) => {
  const zones = new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")]);
  const options = [...zones].sort().map((zone) => ({ value: zone, label: zone }));
  return (
    <Select label="Time zone" value={value} hint={hint} options={options} onChoose={onChoose} />
  );
};
